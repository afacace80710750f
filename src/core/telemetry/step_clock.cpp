// Median step time and the time limit.
// SPDX-License-Identifier: BSD-3-Clause

#include "core/telemetry/step_clock.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace nfold::telemetry {

namespace {
// Long enough that a handful of slow blocks does not affect the median, short enough to follow a
// run whose steps become slower (a collapsing chain has more neighbours).
constexpr std::size_t window = 101;
}  // namespace

StepClock::StepClock(SecondsClock now)
    : now_(std::move(now)), started_(now_()), block_started_(started_) {}

void StepClock::begin_block() { block_started_ = now_(); }

void StepClock::end_block(std::int64_t steps) {
  const double now = now_();
  if (steps > 0) {
    blocks_.push_back({(now - block_started_) / static_cast<double>(steps), steps});
    if (blocks_.size() > window) blocks_.pop_front();
  }
  block_started_ = now;
}

double StepClock::median_seconds_per_step() const {
  if (blocks_.empty()) return 0;
  std::vector<Block> sorted(blocks_.begin(), blocks_.end());
  std::ranges::sort(sorted, {}, &Block::seconds_per_step);
  std::int64_t total = 0;
  for (const auto& block : sorted) total += block.steps;
  std::int64_t below = 0;
  for (const auto& block : sorted) {
    below += block.steps;
    if (2 * below >= total) return block.seconds_per_step;
  }
  return sorted.back().seconds_per_step;
}

double StepClock::elapsed_seconds() const { return now_() - started_; }

bool StepClock::time_left_for(std::int64_t steps, double limit_seconds,
                              double reserve_seconds) const {
  return steps_that_fit(steps, limit_seconds, reserve_seconds) >= steps;
}

std::int64_t StepClock::steps_that_fit(std::int64_t wanted, double limit_seconds,
                                       double reserve_seconds) const {
  if (limit_seconds <= 0) return wanted;
  const double left = limit_seconds - reserve_seconds - elapsed_seconds();
  if (left <= 0) return 0;
  const double step_seconds = median_seconds_per_step();
  if (step_seconds * static_cast<double>(wanted) <= left) return wanted;
  return static_cast<std::int64_t>(left / step_seconds);
}

}  // namespace nfold::telemetry
