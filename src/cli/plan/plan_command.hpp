// Command nfold plan.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "batch/batch.hpp"
#include "cli/plan/workload.hpp"
#include "core/exit_code.hpp"
#include "estimate/choice.hpp"
#include "estimate/job_script.hpp"
#include "estimate/machine.hpp"

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
  bool hybrid = false;  ///< divide the job between this computer and the machine; write: a folder
  std::string resume;   ///< output folder of a started run that may move; write: a folder
  std::vector<std::string> overrides;
  int side_by_side =
      batch::BatchOptions().side_by_side;  ///< most concurrent targets of a list on a rank
};

/// Returns the job script of a layout, with spare time within the machine's limits.
[[nodiscard]] estimate::JobScript job_script(const PlanOptions& options,
                                             const estimate::Machine& machine,
                                             const Workload& workload,
                                             const estimate::LayoutEstimate& best);

/// Prints the plan. Returns wrong_input if no layout is feasible. Throws core::InputError.
[[nodiscard]] core::ExitCode make_plan(const PlanOptions& options);

}  // namespace nfold::plan
