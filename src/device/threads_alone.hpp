// A loop of what a process does alone, on the processors of all ranks of its node that wait for it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>

#include "device/host_threads.hpp"

namespace nfold::device {

/// item(k) for each k < items, by several threads at once and in no order: an item may write only
/// what is its own. Throws what the first of the items that failed has thrown, once all have ended.
void on_threads_alone(std::size_t items, const std::function<void(std::size_t)>& item,
                      int threads = host_threads_alone());

}  // namespace nfold::device
