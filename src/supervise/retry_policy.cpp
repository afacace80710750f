// Rules for retries and exclusions.
// SPDX-License-Identifier: BSD-3-Clause

#include "supervise/retry_policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace nfold::supervise {
namespace {

using core::Outcome;

constexpr int blamed_too_often = 2;

template <class Same>
int count_last(std::span<const Incident> history, const Same& same) {
  int count = 0;
  for (auto one = history.rbegin(); one != history.rend() && same(*one); ++one) ++count;
  return count;
}

template <class Field>
int times_blamed(std::span<const Incident> history, const Field& field) {
  const auto& last = field(history.back().suspect);
  if (last.empty()) return 0;
  return static_cast<int>(std::ranges::count_if(
      history, [&](const Incident& one) { return field(one.suspect) == last; }));
}

/// Returns devices and hosts to exclude: unfit by the test, proven by the run, or failed twice.
ExcludedResources find_exclusions(std::span<const Incident> history, const MachineState& machine) {
  const auto& last = history.back();
  ExcludedResources leave{machine.unfit, {}};
  const auto& device = last.suspect.device;
  const bool is_proven = last.outcome == Outcome::silent_error;
  const bool is_of_machine = is_proven || last.outcome == Outcome::crash ||
                             last.outcome == Outcome::hang || last.outcome == Outcome::lost_node;
  if (!is_of_machine) return leave;
  const auto device_of = [](const core::Suspect& one) -> const std::string& { return one.device; };
  const auto host_of = [](const core::Suspect& one) -> const std::string& { return one.host; };
  const bool others_remain =
      machine.fit_devices == 0 || machine.fit_devices > static_cast<int>(leave.devices.size()) + 1;
  if (!device.empty() && others_remain && !leave.has_device(device) &&
      (is_proven || times_blamed(history, device_of) >= blamed_too_often)) {
    leave.devices.push_back(device);
  }
  if (machine.nodes < 2) return leave;
  const bool is_lost = last.outcome == Outcome::lost_node && !last.suspect.host.empty();
  if (is_lost || times_blamed(history, host_of) >= blamed_too_often) {
    leave.hosts.push_back(last.suspect.host);
  }
  return leave;
}

/// Describes a failure that would recur on any machine. Empty for other failures.
std::string describe_permanent_failure(std::span<const Incident> history,
                                       const MachineState& machine) {
  const auto& last = history.back();
  if (last.outcome == Outcome::explosion && count_last(history, [&](const Incident& one) {
                                              return one.outcome == Outcome::explosion &&
                                                     one.details == last.details;
                                            }) >= 2) {
    return "the same explosion came again in the same step: it is the input, not the machine. Try "
           "a "
           "shorter dynamics.time_step_ps or start.minimise_steps";
  }
  if (last.outcome == Outcome::memory && failures_without_progress(history) >= 2) {
    return "memory is short again, and fewer GPUs would need more of it each: take more GPUs "
           "(-n), see 'nfold check', or raise --device-memory if that is the limit";
  }
  if (last.outcome == Outcome::damage) {
    return "no attempt can read a checkpoint: --overwrite begins anew";
  }
  if (last.outcome == Outcome::not_started && machine.nodes < 2) {
    return "no rank could be started: " + last.details;
  }
  return "";
}

}  // namespace

int failures_without_progress(std::span<const Incident> history) {
  int count = 0;
  std::int64_t furthest = -1;
  for (const auto& one : history) {
    count = one.step > furthest ? 1 : count + 1;
    furthest = std::max(furthest, one.step);
  }
  return count;
}

Decision decide(std::span<const Incident> history, const MachineState& machine,
                const RetryLimits& limits) {
  Decision decision;
  decision.why = describe_permanent_failure(history, machine);
  if (!decision.why.empty()) return decision;

  const int tries = failures_without_progress(history);
  if (tries > limits.retries) {
    decision.why =
        limits.retries == 0
            ? "no retries are allowed (--retries 0)"
            : fmt::format("{} failures in a row without progress; --retries {} is the limit", tries,
                          limits.retries);
    return decision;
  }
  decision.leave = find_exclusions(history, machine);
  auto sick = decision.leave.hosts;
  sick.insert(sick.end(), machine.sick_hosts.begin(), machine.sick_hosts.end());
  if (machine.can_requeue && !sick.empty()) {
    decision.what = Decision::What::requeue;
    decision.leave.hosts = sick;
    decision.why = fmt::format("the job is to be queued again without {}", fmt::join(sick, ", "));
    return decision;
  }
  decision.what = Decision::What::go_on;
  decision.pause_seconds =
      std::min(longest_pause_seconds, limits.pause_seconds * std::pow(2.0, tries - 1));
  decision.why = fmt::format("retry {} of {} without progress in between", tries, limits.retries);
  return decision;
}

}  // namespace nfold::supervise
