// Command nfold plan.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "batch/batch.hpp"
#include "core/exit_code.hpp"
#include "estimate/choice.hpp"
#include "estimate/job_script.hpp"

namespace nfold::plan {

struct PlanOptions {
  std::string input, machine;  ///< machine: names and files, separated by commas
  estimate::LayoutWish layouts;
  estimate::Objective objective = estimate::Objective::efficiency;
  std::string deadline;          ///< duration; empty: none
  std::optional<double> budget;  ///< in the machines' currency
  bool json = false;
  std::string csv;    ///< file; empty: none
  std::string write;  ///< job script file; empty: none
  estimate::Scheduler scheduler = estimate::Scheduler::slurm;
  std::string queue, account;
  bool overwrite = false;  ///< csv and write may exist
  bool list_machines = false;
  std::vector<std::string> overrides;
  int side_by_side =
      batch::BatchOptions().side_by_side;  ///< most concurrent targets of a list on a rank
};

/// Prints the plan. Returns wrong_input if no layout is feasible. Throws core::InputError.
[[nodiscard]] core::ExitCode make_plan(const PlanOptions& options);

}  // namespace nfold::plan
