// Stoppable wait of the helper thread.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/periodic_thread.hpp"

#include <stop_token>
#include <utility>

namespace nfold::core {

PeriodicThread::PeriodicThread(std::chrono::milliseconds interval, FirstCall first_call,
                               std::function<void()> call)
    : thread_([this, interval, first_call, call = std::move(call)](const std::stop_token& stop) {
        const auto is_stopped = [&stop] { return stop.stop_requested(); };
        const auto stops_within_interval = [&] {
          std::unique_lock lock(mutex_);
          return wake_.wait_for(lock, stop, interval, is_stopped);
        };
        if (first_call == FirstCall::at_once) call();
        while (!stops_within_interval()) call();
      }) {}

PeriodicThread::~PeriodicThread() = default;  // std::jthread requests the stop and joins

}  // namespace nfold::core
