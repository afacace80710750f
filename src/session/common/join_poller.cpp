// Estimate of a run's remaining time from its progress.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/common/join_poller.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace nfold::common {

JoinPoller::JoinPoller(job::JoinQuery query_join, const telemetry::StepClock& clock)
    : query_join_(std::move(query_join)), clock_(clock) {}

void JoinPoller::begin(std::int64_t step) {
  first_step_ = step;
  start_seconds_ = asked_at_ = clock_.elapsed_seconds();
}

bool JoinPoller::join(std::int64_t step, std::int64_t last_step, const CheckpointTimer& pace,
                      job::RunLog& log, const std::function<double(int ranks)>& step_time_ratio) {
  constexpr double between_questions_seconds = 0.25;
  const double now = clock_.elapsed_seconds();
  if (!query_join_ || step == first_step_ || now - asked_at_ < between_questions_seconds)
    return false;
  asked_at_ = now;
  const auto left = static_cast<double>(last_step - step);
  // Work between blocks (samples, exchanges, files) is not distributed over ranks.
  const double computing = left * clock_.median_seconds_per_step();
  const double other = std::max(
      0.0, left * (now - start_seconds_) / static_cast<double>(step - first_step_) - computing);
  const auto answer =
      query_join_({computing + other, start_seconds_ + 2 * pace.longest_seconds(),
                   [&](int ranks) { return other + computing * step_time_ratio(ranks); }});
  if (!answer.reason.empty()) log.note(fmt::format("step {}: {}", step, answer.reason));
  return answer.join;
}

}  // namespace nfold::common
