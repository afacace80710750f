// Loops over several threads: each item once, and the first failure rethrown.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/node_threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace nfold::device {
namespace {

TEST(NodeThreads, RunEachItemOnce) {
  for (const int threads : {0, 1, 3, 64}) {
    for (const std::size_t items : {std::size_t{0}, std::size_t{1}, std::size_t{50}}) {
      std::vector<int> done(items, 0);
      for_each_on_node_threads(
          items, [&](std::size_t k) { ++done[k]; }, threads);
      EXPECT_EQ(done, std::vector<int>(items, 1)) << threads << " threads";
    }
  }
}

TEST(NodeThreads, RethrowFirstFailure) {
  for (const int threads : {1, 4}) {
    std::atomic<int> done = 0;
    std::string message;
    try {
      for_each_on_node_threads(
          40,
          [&](std::size_t k) {
            ++done;
            if (k % 10 == 7) throw std::runtime_error("item " + std::to_string(k));
          },
          threads);
    } catch (const std::runtime_error& error) {
      message = error.what();
    }
    EXPECT_EQ(message, "item 7");
    EXPECT_EQ(done, 40) << "others use what is there until they end";
  }
}

}  // namespace
}  // namespace nfold::device
