// Table of the layouts of a plan.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "cli/plan/plan_report.hpp"

namespace nfold::plan {

/// Returns the table: of one machine with steps and efficiencies, of several machines with their
/// best layouts. Marks the choice. Lines end in \n.
[[nodiscard]] std::string format_table(const PlanReport& answer);

/// Returns the time of a step [s]; 0 if steps differ.
[[nodiscard]] double step_seconds(const PlanReport& answer, const estimate::LayoutEstimate& one);
/// Returns simulated nanoseconds a day, of all replicas; 0 if steps differ.
[[nodiscard]] double ns_per_day(const PlanReport& answer, const estimate::LayoutEstimate& one);
/// True if the layout has more ranks than were measured.
[[nodiscard]] bool is_extrapolated(const PlanReport& answer, const estimate::LayoutEstimate& one);
/// Returns "3.50 USD", with three digits below 1, or "free".
[[nodiscard]] std::string format_money(double amount, const std::string& currency);

}  // namespace nfold::plan
