// Output of a plan as text, JSON and CSV.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "cli/plan/workload.hpp"
#include "estimate/choice.hpp"
#include "estimate/machine.hpp"

namespace nfold::plan {

struct PlanReport {
  std::string input;
  const std::vector<estimate::Machine>& machines;
  const std::vector<Workload>& workloads;  ///< (machines)
  const estimate::PlanGoal& goal;
  const estimate::Choice& choice;
  /// Index of the machine of the choice; the first one if nothing is feasible.
  [[nodiscard]] std::size_t taken() const {
    return choice.best ? choice.all[*choice.best].machine : 0;
  }
  [[nodiscard]] const estimate::Machine& machine() const { return machines[taken()]; }
  [[nodiscard]] const Workload& workload() const { return workloads[taken()]; }
};

/// Returns a table of layouts, the chosen one marked, and the reason; lines end in \n.
[[nodiscard]] std::string format_text(const PlanReport& answer);
/// Returns the plan as JSON; `format` 1.
[[nodiscard]] std::string format_json(const PlanReport& answer);
/// Returns one row per layout, for plots.
[[nodiscard]] std::string format_csv(const PlanReport& answer);

}  // namespace nfold::plan
