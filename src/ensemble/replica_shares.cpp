// Time per step of each rank, assignment by it, and the decision to move replicas.
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/replica_shares.hpp"

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

ReplicaShares shares_of_counts(std::span<const std::int64_t> counts) {
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
  shares_ = shares_of_counts(split_.units);
}

std::string ReplicaBalance::shares_in_words() const {
  return plan::in_words(settings_.strategy, split_, "replicas");
}

void ReplicaBalance::learn_costs(std::vector<std::vector<plan::TimeStep>> by_rank) {
  for (std::size_t k = 0; k < ranks_.size(); ++k) ranks_[k].cost_steps = std::move(by_rank.at(k));
}

plan::DeviceSpeed ReplicaBalance::device_of(std::size_t rank, double seconds_per_step) const {
  const auto& known = ranks_[rank];
  plan::DeviceSpeed device;
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

plan::Split ReplicaBalance::split_by(std::span<const double> seconds_per_step) const {
  std::vector<plan::DeviceSpeed> devices;
  for (std::size_t k = 0; k < ranks_.size(); ++k) {
    devices.push_back(device_of(k, seconds_per_step.empty() ? 0 : seconds_per_step[k]));
  }
  // Each rank keeps a replica, whose time shows when its device is fast again.
  auto work = work_;
  work.units_at_least = 1;
  return plan::split(settings_.strategy, devices, work);
}

void ReplicaBalance::judge_last_move(double slowest) {
  if (hoped_for_ == 0) return;
  next_rest_ = slowest > hoped_for_ ? std::min(2 * next_rest_, settings_.longest_rest) : 1;
  if (slowest > hoped_for_) rest_ = next_rest_;
  hoped_for_ = 0;
}

std::string ReplicaBalance::look(const Times& times) {
  if (!plan::wants_measured_speeds(settings_.strategy) || ranks_.size() < 2) return {};
  steps_ += times.steps;
  for (std::size_t k = 0; k < ranks_.size(); ++k) busy_seconds_[k] += times.busy_seconds[k];
  const double longest = *std::max_element(busy_seconds_.begin(), busy_seconds_.end());
  const double shortest = *std::min_element(busy_seconds_.begin(), busy_seconds_.end());
  if (longest < settings_.look_seconds || shortest <= 0 || steps_ == 0) return {};

  auto seconds = std::exchange(busy_seconds_, std::vector<double>(ranks_.size(), 0));
  for (double& one : seconds) one /= static_cast<double>(steps_);
  steps_ = 0;
  const double slowest = *std::max_element(seconds.begin(), seconds.end());
  judge_last_move(slowest);
  if (rest_ > 0) {
    --rest_;
    return {};
  }
  auto split = split_by(seconds);
  const double then = split.seconds_of_slowest();
  const double gained = (slowest - then) * static_cast<double>(times.steps_left);
  const bool pays =
      slowest > settings_.least_gain * then && gained > settings_.margin * times.move_seconds;
  uneven_in_a_row_ = pays ? uneven_in_a_row_ + 1 : 0;
  if (uneven_in_a_row_ < settings_.patience) return {};
  uneven_in_a_row_ = 0;
  hoped_for_ = (slowest + then) / 2;
  const auto before = shares_.counts();
  split_ = std::move(split);
  shares_ = shares_of_counts(split_.units);
  auto milliseconds = seconds;
  for (double& one : milliseconds) one *= 1e3;
  return fmt::format(
      "replicas move from {} to {} on the ranks: a step took them {:.3g} ms, expected {:.3g} ms of "
      "the slowest; {:.3g} s gained until the end for a move of {:.3g} s",
      fmt::join(before, " + "), fmt::join(split_.units, " + "), fmt::join(milliseconds, ", "),
      1e3 * then, gained, times.move_seconds);
}

}  // namespace nfold::ensemble
