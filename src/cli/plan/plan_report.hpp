// Output of a plan as text, JSON and CSV.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "cli/plan/workload.hpp"
#include "estimate/layouts.hpp"
#include "estimate/machine.hpp"

namespace nfold::plan {

struct PlanReport {
  std::string input;
  const estimate::Machine& machine;
  const Workload& workload;
  const estimate::PlanGoal& goal;
  const estimate::Choice& choice;
};

/// Returns a table of layouts, the chosen one marked, and the reason; lines end in \n.
[[nodiscard]] std::string format_text(const PlanReport& answer);
/// Returns the plan as JSON; `format` 1.
[[nodiscard]] std::string format_json(const PlanReport& answer);
/// Returns one row per layout, for plots.
[[nodiscard]] std::string format_csv(const PlanReport& answer);

}  // namespace nfold::plan
