// Decisions of load balancing, for the log and for NAME.performance.json.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "domain/rebalance.hpp"
#include "session/job/performance.hpp"

namespace nfold::run {

/// Decision after one assessment of the ranks' loads.
struct BalanceDecision {
  domain::RebalanceOutcome outcome = domain::RebalanceOutcome::balanced;
  double gain_share = 0;  ///< fraction of a step that was to be gained, at most or by the estimate
  std::string text{};     ///< line for the log, with the numbers of the decision
};

/// Counter of decisions. Repeated ones are counted, so that the log stays short.
class BalanceLog {
 public:
  /// Counts a decision. Returns its line at the first, second, fourth, eighth ... time of its
  /// outcome; else an empty text.
  std::string record(const BalanceDecision& decision);
  [[nodiscard]] job::LoadBalanceCounts counts() const;

 private:
  std::array<std::int64_t, static_cast<std::size_t>(domain::RebalanceOutcome::count)> times_{};
  double largest_gain_share_ = 0;  // without repartitions
};

/// Returns "load balance: 38 assessments, 0 repartitions: 8 waiting, 30 gain below cost (largest
/// gain 4.0 % of a step)"; empty without assessments.
[[nodiscard]] std::string describe(const job::LoadBalanceCounts& counts);

}  // namespace nfold::run
