// Loops over several threads: each item once, and the first failure told.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/threads_alone.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace nfold::device {
namespace {

TEST(ThreadsAlone, DoEachItemOnce) {
  for (const int threads : {0, 1, 3, 64}) {
    for (const std::size_t items : {std::size_t{0}, std::size_t{1}, std::size_t{50}}) {
      std::vector<int> done(items, 0);
      on_threads_alone(
          items, [&](std::size_t k) { ++done[k]; }, threads);
      EXPECT_EQ(done, std::vector<int>(items, 1)) << threads << " threads";
    }
  }
}

TEST(ThreadsAlone, TellOfTheFirstItemThatFailed) {
  for (const int threads : {1, 4}) {
    std::atomic<int> done = 0;
    std::string told;
    try {
      on_threads_alone(
          40,
          [&](std::size_t k) {
            ++done;
            if (k % 10 == 7) throw std::runtime_error("item " + std::to_string(k));
          },
          threads);
    } catch (const std::runtime_error& error) {
      told = error.what();
    }
    EXPECT_EQ(told, "item 7");
    EXPECT_EQ(done, 40) << "others use what is there until they end";
  }
}

}  // namespace
}  // namespace nfold::device
