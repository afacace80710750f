// Worker threads that process items one by one.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/node_threads.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <future>
#include <vector>

namespace nfold::device {

void for_each_on_node_threads(std::size_t items, const std::function<void(std::size_t)>& item,
                              int threads) {
  const auto workers = std::min(items, static_cast<std::size_t>(std::max(1, threads)));
  std::vector<std::exception_ptr> failures(items);
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t k = next++; k < items; k = next++) {
      try {
        item(k);
      } catch (...) {
        failures[k] = std::current_exception();
      }
    }
  };
  if (workers <= 1) {
    work();
  } else {
    const ProcessorsOfAllRanks everywhere;
    std::vector<std::future<void>> all;
    all.reserve(workers);
    for (std::size_t worker = 0; worker < workers; ++worker) {
      all.push_back(std::async(std::launch::async, work));
    }
    for (const auto& one : all) one.wait();
  }
  for (const auto& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace nfold::device
