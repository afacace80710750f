// Time per step of each rank, assignment by it, and the decision to move replicas.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/ensemble/replica_shares.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace nfold::ensemble {

int ReplicaShares::rank_of(int replica) const {
  return static_cast<int>(std::upper_bound(first.begin(), first.end(), replica) - first.begin()) -
         1;
}

std::vector<std::int64_t> ReplicaShares::counts() const {
  std::vector<std::int64_t> counts;
  for (std::size_t k = 1; k < first.size(); ++k) counts.push_back(first[k] - first[k - 1]);
  return counts;
}

ReplicaShares to_shares(std::span<const std::int64_t> counts) {
  ReplicaShares shares;
  for (const auto count : counts) {
    shares.first.push_back(shares.first.back() + static_cast<int>(count));
  }
  return shares;
}

ReplicaBalance::ReplicaBalance(const ReplicaBalanceSettings& settings, std::vector<Rank> ranks,
                               int replicas, double bytes_per_replica)
    : settings_(settings), ranks_(std::move(ranks)), busy_seconds_(ranks_.size(), 0) {
  work_.units = replicas;
  work_.bytes_per_unit = bytes_per_replica;
  split_ = split_by({});
  shares_ = to_shares(split_.units);
}

std::string ReplicaBalance::describe_shares() const {
  return core::describe(settings_.strategy, split_, "replicas");
}

void ReplicaBalance::set_costs(std::vector<std::vector<core::TimeStep>> by_rank) {
  for (std::size_t k = 0; k < ranks_.size(); ++k) ranks_[k].cost_steps = std::move(by_rank.at(k));
}

core::DeviceSpeed ReplicaBalance::device_speed(std::size_t rank, double seconds_per_step) const {
  const auto& known = ranks_[rank];
  core::DeviceSpeed device;
  device.score = known.score;
  device.memory_bytes = known.memory_bytes;
  if (!(seconds_per_step > 0)) return device;
  const auto count = shares_.count_of(static_cast<int>(rank));
  device.units_per_second = count / seconds_per_step;
  double cost_now = 0;
  for (const auto& step : known.cost_steps) {
    if (step.units < count) continue;
    cost_now = step.seconds;
    break;
  }
  if (cost_now > 0) {
    for (const auto& step : known.cost_steps) {
      device.time_steps.push_back({step.units, seconds_per_step * step.seconds / cost_now});
    }
  }
  return device;
}

core::Split ReplicaBalance::split_by(std::span<const double> seconds_per_step) const {
  std::vector<core::DeviceSpeed> devices;
  for (std::size_t k = 0; k < ranks_.size(); ++k) {
    devices.push_back(device_speed(k, seconds_per_step.empty() ? 0 : seconds_per_step[k]));
  }
  // Each rank keeps a replica, whose time shows when its device is fast again.
  auto work = work_;
  work.units_at_least = 1;
  return core::split(settings_.strategy, devices, work);
}

void ReplicaBalance::evaluate_last_move(double slowest) {
  if (expected_step_seconds_ == 0) return;
  next_rest_ =
      slowest > expected_step_seconds_ ? std::min(2 * next_rest_, settings_.longest_rest) : 1;
  if (slowest > expected_step_seconds_) rest_ = next_rest_;
  expected_step_seconds_ = 0;
}

std::string ReplicaBalance::rebalance(const Times& times) {
  if (!core::uses_measured_speeds(settings_.strategy) || ranks_.size() < 2) return {};
  steps_ += times.steps;
  for (std::size_t k = 0; k < ranks_.size(); ++k) busy_seconds_[k] += times.busy_seconds[k];
  const double longest = *std::max_element(busy_seconds_.begin(), busy_seconds_.end());
  const double shortest = *std::min_element(busy_seconds_.begin(), busy_seconds_.end());
  if (longest < settings_.measurement_seconds || shortest <= 0 || steps_ == 0) return {};

  auto seconds = std::exchange(busy_seconds_, std::vector<double>(ranks_.size(), 0));
  for (double& one : seconds) one /= static_cast<double>(steps_);
  steps_ = 0;
  const double slowest = *std::max_element(seconds.begin(), seconds.end());
  evaluate_last_move(slowest);
  if (rest_ > 0) {
    --rest_;
    return {};
  }
  auto split = split_by(seconds);
  const double then = split.seconds_of_slowest();
  const double gained = (slowest - then) * static_cast<double>(times.steps_left);
  const bool pays =
      slowest > settings_.least_gain * then && gained > settings_.margin * times.move_seconds;
  consecutive_requests_ = pays ? consecutive_requests_ + 1 : 0;
  if (consecutive_requests_ < settings_.patience) return {};
  consecutive_requests_ = 0;
  expected_step_seconds_ = (slowest + then) / 2;
  const auto before = shares_.counts();
  split_ = std::move(split);
  shares_ = to_shares(split_.units);
  auto milliseconds = seconds;
  for (double& one : milliseconds) one *= 1e3;
  return fmt::format(
      "replicas move from {} to {} on the ranks: a step took them {:.3g} ms, expected {:.3g} ms of "
      "the slowest; {:.3g} s gained until the end for a move of {:.3g} s",
      fmt::join(before, " + "), fmt::join(split_.units, " + "), fmt::join(milliseconds, ", "),
      1e3 * then, gained, times.move_seconds);
}

}  // namespace nfold::ensemble
