// Counts of decisions by outcome.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/run/balance_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/text.hpp"

namespace nfold::run {
namespace {

using domain::RebalanceOutcome;

constexpr std::array<const char*, static_cast<std::size_t>(RebalanceOutcome::count)> outcome_names{
    "balanced",
    "below_threshold",
    "waiting",
    "bound_by_communication",
    "resting",
    "not_timed",
    "requested",
    "gain_below_cost",
    "no_better_partition",
    "no_partition_fits",
    "moved"};

constexpr std::size_t at(RebalanceOutcome outcome) { return static_cast<std::size_t>(outcome); }

}  // namespace

std::string BalanceLog::record(const BalanceDecision& decision) {
  const auto times = ++times_[at(decision.outcome)];
  if (decision.outcome != RebalanceOutcome::moved) {
    largest_gain_share_ = std::max(largest_gain_share_, decision.gain_share);
  }
  if (!std::has_single_bit(static_cast<std::uint64_t>(times))) return {};
  if (times == 1 || decision.text.empty()) return decision.text;
  return fmt::format("{} ({} such assessments so far)", decision.text, times);
}

job::LoadBalanceCounts BalanceLog::counts() const {
  job::LoadBalanceCounts counts;
  counts.largest_gain_share = largest_gain_share_;
  counts.repartitions = times_[at(RebalanceOutcome::moved)];
  for (std::size_t outcome = 0; outcome < times_.size(); ++outcome) {
    counts.assessments += times_[outcome];
    if (times_[outcome] > 0 && outcome != at(RebalanceOutcome::moved)) {
      counts.others.emplace_back(outcome_names[outcome], times_[outcome]);
    }
  }
  return counts;
}

std::string describe(const job::LoadBalanceCounts& counts) {
  if (counts.assessments == 0) return {};
  constexpr double percent = 100;
  auto text = fmt::format("load balance: {}, {}", core::pluralise(counts.assessments, "assessment"),
                          core::pluralise(counts.repartitions, "repartition"));
  const char* separator = ": ";
  for (const auto& [name, times] : counts.others) {
    auto words = name;
    std::ranges::replace(words, '_', ' ');
    text += fmt::format("{}{} {}", separator, times, words);
    if (name == outcome_names[at(RebalanceOutcome::gain_below_cost)]) {
      text +=
          fmt::format(" (largest gain {:.1f} % of a step)", percent * counts.largest_gain_share);
    }
    separator = ", ";
  }
  return text;
}

}  // namespace nfold::run
