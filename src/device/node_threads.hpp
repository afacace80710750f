// Parallel loop of a single process, on the processors of all waiting ranks of its node.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>

#include "device/host_threads.hpp"

namespace nfold::device {

/// Calls item(k) for each k < items, on several threads at once and in no order: an item may write
/// only its own data. Rethrows the exception of the first failed item, after all have ended.
void for_each_on_node_threads(std::size_t items, const std::function<void(std::size_t)>& item,
                              int threads = node_thread_count());

}  // namespace nfold::device
