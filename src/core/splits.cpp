// Proportional shares limited by memory, and the shortest time by bisection.
// SPDX-License-Identifier: BSD-3-Clause

#include "core/splits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace nfold::core {
namespace {

using std::size_t;

constexpr std::array<std::string_view, 5> names{"equal", "score", "measured-speed", "memory-aware",
                                                "lowest-latency"};

bool is_above_zero(double number) { return number > 0 && std::isfinite(number); }

void require_sound(std::span<const DeviceSpeed> devices, const SharedWork& work) {
  if (devices.empty()) throw std::invalid_argument("work is split among no devices");
  for (size_t k = 0; k < devices.size(); ++k) {
    const auto& device = devices[k];
    const auto refuse = [k](const char* what, double found, const char* expected) {
      throw std::invalid_argument(
          fmt::format("device {}: {} is {} (must be {})", k, what, found, expected));
    };
    if (!is_above_zero(device.score)) refuse("its score", device.score, "above 0");
    if (device.units_per_second && !is_above_zero(*device.units_per_second)) {
      refuse("its speed", *device.units_per_second, "above 0");
    }
    if (!(device.seconds_before >= 0)) refuse("its latency", device.seconds_before, "0 or more");
  }
  if (work.units < 0 || !(work.bytes_per_unit >= 0) || !(work.bytes_at_least >= 0)) {
    throw std::invalid_argument("work to split is of negative size");
  }
}

/// (devices) Returns units per second; an unmeasured device gets its score, scaled to the measured
/// ones.
std::vector<double> speeds_of(std::span<const DeviceSpeed> devices) {
  double measured = 0, scores = 0;
  for (const auto& device : devices) {
    if (!device.units_per_second) continue;
    measured += *device.units_per_second;
    scores += device.score;
  }
  const double per_score = scores > 0 ? measured / scores : 0.01;
  std::vector<double> speeds;
  speeds.reserve(devices.size());
  for (const auto& device : devices) {
    speeds.push_back(device.units_per_second.value_or(device.score * per_score));
  }
  return speeds;
}

/// (devices) Returns the most units that fit each memory. Throws std::invalid_argument if their sum
/// is too small.
std::vector<std::int64_t> unit_capacities(std::span<const DeviceSpeed> devices,
                                          const SharedWork& work) {
  std::vector<std::int64_t> capacity;
  capacity.reserve(devices.size());
  for (const auto& device : devices) {
    if (!device.memory_bytes) {
      capacity.push_back(work.units);
      continue;
    }
    const double left = static_cast<double>(*device.memory_bytes) - work.bytes_at_least;
    const double fit = work.bytes_per_unit > 0 ? std::floor(left / work.bytes_per_unit)
                                               : static_cast<double>(work.units);
    capacity.push_back(left < 0 ? 0
                                : static_cast<std::int64_t>(
                                      std::clamp(fit, 0.0, static_cast<double>(work.units))));
  }
  const auto all = std::accumulate(capacity.begin(), capacity.end(), std::int64_t{0});
  if (all < work.units) {
    throw std::invalid_argument(fmt::format(
        "{} units find no room: all devices together have memory for {} of {} bytes each",
        work.units, all, work.bytes_per_unit));
  }
  return capacity;
}

/// Returns shares by weight; full devices keep their capacity, the others share the rest.
std::vector<std::int64_t> limited_shares(std::int64_t units, std::vector<double> weights,
                                         const std::vector<std::int64_t>& capacity) {
  std::vector<std::int64_t> shares(weights.size(), 0);
  std::vector<bool> is_full(weights.size(), false);
  for (auto left = units; left > 0;) {
    const auto wanted = shares_in_proportion(left, weights);
    bool any_full = false;
    for (size_t k = 0; k < weights.size(); ++k) {
      if (is_full[k] || wanted[k] <= capacity[k]) continue;
      shares[k] = capacity[k];
      left -= capacity[k];
      weights[k] = 0;
      is_full[k] = any_full = true;
    }
    if (any_full) continue;
    for (size_t k = 0; k < weights.size(); ++k) shares[k] += wanted[k];
    left = 0;
  }
  return shares;
}

double seconds_for(std::int64_t units, const DeviceSpeed& device, double speed) {
  if (units == 0) return 0;
  const auto& steps = device.time_steps;
  if (steps.empty()) return device.seconds_before + static_cast<double>(units) / speed;
  const auto step =
      std::lower_bound(steps.begin(), steps.end(), units,
                       [](const TimeStep& one, std::int64_t wanted) { return one.units < wanted; });
  if (step != steps.end()) return step->seconds;
  return steps.back().seconds * static_cast<double>(units) /
         static_cast<double>(steps.back().units);
}

/// Returns the most units that a device completes in `seconds`.
std::int64_t units_within(double seconds, const DeviceSpeed& device, double speed,
                          std::int64_t capacity) {
  const double enough = seconds * (1 + 1e-12);
  if (device.time_steps.empty()) {
    const double units = std::floor((enough - device.seconds_before) * speed);
    return units <= 0 ? 0
                      : static_cast<std::int64_t>(std::min(units, static_cast<double>(capacity)));
  }
  std::int64_t least = 0, too_many = capacity + 1;
  while (least + 1 < too_many) {
    const auto middle = least + (too_many - least) / 2;
    (seconds_for(middle, device, speed) <= enough ? least : too_many) = middle;
  }
  return least;
}

/// Returns the shares with which all units are completed soonest, by bisection.
std::vector<std::int64_t> soonest(std::span<const DeviceSpeed> devices,
                                  const std::vector<double>& speeds, std::int64_t units,
                                  const std::vector<std::int64_t>& capacity) {
  const auto done_within = [&](double seconds) {
    std::int64_t done = 0;
    for (size_t k = 0; k < devices.size(); ++k) {
      done += units_within(seconds, devices[k], speeds[k], capacity[k]);
    }
    return done;
  };
  double too_short = 0, enough = 0;
  for (size_t k = 0; k < devices.size(); ++k) {
    enough = std::max(enough, seconds_for(units, devices[k], speeds[k]));
  }
  enough = std::max(2 * enough, std::numeric_limits<double>::min());
  constexpr int halvings = 100;
  for (int k = 0; k < halvings; ++k) {
    const double middle = too_short + (enough - too_short) / 2;
    (done_within(middle) >= units ? enough : too_short) = middle;
  }
  std::vector<std::int64_t> shares;
  std::vector<double> weights;
  for (size_t k = 0; k < devices.size(); ++k) {
    shares.push_back(units_within(enough, devices[k], speeds[k], capacity[k]));
    weights.push_back(static_cast<double>(shares.back()));
  }
  // Removes the surplus from all devices in proportion, so that groups are nearly full everywhere.
  const auto surplus = done_within(enough) - units;
  if (surplus > 0) {
    const auto less = shares_in_proportion(surplus, weights);
    for (size_t k = 0; k < shares.size(); ++k) shares[k] -= less[k];
  }
  return shares;
}

/// Raises each share to `at_least`, taking units from the largest share.
void raise_to_minimum(std::int64_t at_least, std::vector<std::int64_t>& units) {
  for (auto& few : units) {
    while (few < at_least) {
      auto& most = *std::ranges::max_element(units);
      if (most <= at_least) return;
      --most;
      ++few;
    }
  }
}

/// Returns "32 + 32"; for many devices their number and the extremes.
std::string format_counts(const std::vector<std::int64_t>& units) {
  constexpr size_t most_named = 16;
  if (units.size() <= most_named) return fmt::format("{}", fmt::join(units, " + "));
  const auto [least, most] = std::minmax_element(units.begin(), units.end());
  return fmt::format("{} to {} on each of {} devices", *least, *most, units.size());
}

}  // namespace

std::span<const std::string_view> split_names() { return names; }
std::string_view name_of(SplitStrategy strategy) { return names.at(static_cast<size_t>(strategy)); }
bool uses_measured_speeds(SplitStrategy strategy) {
  return strategy != SplitStrategy::equal && strategy != SplitStrategy::score;
}

double Split::seconds_of_slowest() const {
  return seconds.empty() ? 0 : *std::ranges::max_element(seconds);
}

std::vector<std::int64_t> shares_in_proportion(std::int64_t units,
                                               std::span<const double> weights) {
  double sum = 0;
  for (const double weight : weights) {
    if (!(weight >= 0) || !std::isfinite(weight)) {
      throw std::invalid_argument(fmt::format("a weight is {} (must be 0 or more)", weight));
    }
    sum += weight;
  }
  if (!is_above_zero(sum)) throw std::invalid_argument("no weight is above 0");
  std::vector<std::int64_t> shares;
  std::vector<double> remainder;
  for (const double weight : weights) {
    const double exact = static_cast<double>(units) * (weight / sum);
    shares.push_back(static_cast<std::int64_t>(std::floor(exact)));
    remainder.push_back(exact - std::floor(exact));
  }
  std::vector<size_t> order(weights.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](size_t k) { return remainder[k]; });
  auto left = units - std::accumulate(shares.begin(), shares.end(), std::int64_t{0});
  for (size_t k = 0; left > 0; k = (k + 1) % order.size()) {
    if (weights[order[k]] > 0) {
      ++shares[order[k]];
      --left;
    }
  }
  return shares;
}

Split split(SplitStrategy strategy, std::span<const DeviceSpeed> devices, const SharedWork& work) {
  require_sound(devices, work);
  const auto speeds = speeds_of(devices);
  Split result;
  result.is_measured = std::ranges::any_of(
      devices, [](const DeviceSpeed& device) { return device.units_per_second.has_value(); });
  switch (strategy) {
    case SplitStrategy::equal:
      result.units = shares_in_proportion(work.units, std::vector<double>(devices.size(), 1));
      break;
    case SplitStrategy::score: {
      std::vector<double> scores;
      scores.reserve(devices.size());
      for (const auto& device : devices) scores.push_back(device.score);
      result.units = shares_in_proportion(work.units, scores);
      break;
    }
    case SplitStrategy::measured_speed:
      result.units = shares_in_proportion(work.units, speeds);
      break;
    case SplitStrategy::memory_aware:
      result.units = limited_shares(work.units, speeds, unit_capacities(devices, work));
      break;
    case SplitStrategy::lowest_latency:
      result.units = soonest(devices, speeds, work.units, unit_capacities(devices, work));
      break;
  }
  raise_to_minimum(work.units_at_least, result.units);
  double sum = 0;
  const bool has_neighbours = std::ranges::count_if(result.units, [](auto n) { return n > 0; }) > 1;
  for (size_t k = 0; k < devices.size(); ++k) {
    const auto units = static_cast<double>(result.units[k]);
    result.seconds.push_back(seconds_for(result.units[k], devices[k], speeds[k]));
    sum += result.seconds.back();
    if (units > 0 && has_neighbours && work.border_factor > 0) {
      const double border =
          std::min(units, work.border_factor * std::pow(units, work.border_exponent));
      result.communication_bytes += border * work.bytes_per_border_unit;
    }
  }
  const double slowest = result.seconds_of_slowest();
  if (slowest > 0) result.balance = sum / (slowest * static_cast<double>(devices.size()));
  return result;
}

std::string describe(SplitStrategy strategy, const Split& split, std::string_view unit) {
  auto text = fmt::format("{} are shared out by {}: {}; expected ", unit, name_of(strategy),
                          format_counts(split.units));
  text += split.is_measured
              ? fmt::format("{:.3g} s of the slowest, balance {:.1f} %", split.seconds_of_slowest(),
                            100 * split.balance)
              : fmt::format("balance {:.1f} %, by scores, for no speed is measured yet",
                            100 * split.balance);
  if (split.communication_bytes > 0) {
    text += fmt::format(", {:.3g} MB sent a step", 1e-6 * split.communication_bytes);
  }
  return text;
}

}  // namespace nfold::core
