// nfold plan --hybrid: division of a job between this computer and another machine.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "cli/plan/plan_command.hpp"
#include "cli/plan/site_plan.hpp"
#include "core/exit_code.hpp"
#include "estimate/site_choice.hpp"
#include "estimate/transfer.hpp"

namespace nfold::plan {

/// Numbers of a job that its division depends on.
struct DivisionCounts {
  estimate::OutputCounts outputs;
  std::int64_t input_bytes = 0;    ///< input and the files that it names
  bool has_separate_start = true;  ///< a first state made here can be resumed there
};

struct Division {
  std::vector<estimate::JobOption> options;  ///< here alone, there alone, hybrid
  estimate::SiteChoice choice;
  estimate::TransferBytes bytes;  ///< moved by the hybrid
  bool makes_first_state_here = false;
};
inline constexpr std::size_t here_alone = 0, there_alone = 1, hybrid = 2;

/// Divides a job; a pure function of its arguments. The report is cheap and stays here; the first
/// state does if it is minimised and that saves; steps with their files go to the other machine.
[[nodiscard]] Division divide(const MachinePlan& here, const MachinePlan& there,
                              const DivisionCounts& counts, const estimate::PlanGoal& goal);

/// Prints the division, and writes its scripts into the folder --write. Throws core::InputError.
[[nodiscard]] core::ExitCode plan_hybrid(const PlanOptions& options);

}  // namespace nfold::plan
