// Plan of an input on one machine, for questions about two, and the table of their options.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/plan/plan_command.hpp"
#include "cli/plan/workload.hpp"
#include "estimate/choice.hpp"
#include "estimate/machine.hpp"
#include "estimate/site_choice.hpp"
#include "estimate/transfer.hpp"
#include "input/settings.hpp"

namespace nfold::plan {

/// Workload of an input and its best layout on a machine.
struct MachinePlan {
  estimate::Machine machine;
  Workload workload;  ///< without `on`
  std::optional<estimate::LayoutEstimate> best;
  std::string refused;  ///< reason why there is no best layout
};
/// Chooses a layout of a machine for counted work.
[[nodiscard]] MachinePlan plan_on(const estimate::Machine& machine,
                                  const WorkloadOnMachine& workload_on,
                                  const estimate::PlanGoal& goal);
/// Returns the one machine that --machine names beside this computer. Throws InputError for none or
/// several, since the question of `option` is about two.
[[nodiscard]] estimate::Machine other_machine(const PlanOptions& options, const char* option);
[[nodiscard]] estimate::PlanGoal plan_goal(const PlanOptions& options);

/// Returns the counts of all files that a run writes. workload: of the same settings.
[[nodiscard]] estimate::OutputCounts count_outputs(const input::Settings& settings,
                                                   const Workload& workload);

/// Name of the stage in which a run makes its steps and files.
inline constexpr const char* steps_stage = "steps and files";

/// Returns a stage of a plan's best layout, with its share of the spread and the cost.
[[nodiscard]] estimate::Stage compute_stage(const std::string& name, estimate::Site site,
                                            double seconds, const MachinePlan& plan);
/// Returns the stage in which data move to or from a machine.
[[nodiscard]] estimate::Stage transfer_stage(const std::string& name,
                                             const estimate::TransferLink& link, std::int64_t bytes,
                                             bool is_back);
/// Returns the stage in which a job waits to start on a machine.
[[nodiscard]] estimate::Stage wait_stage(const estimate::TransferLink& link);

/// Returns a column of stages for each option, with sums, intervals and costs; lines end in \n.
[[nodiscard]] std::string format_table(const std::vector<estimate::JobOption>& options,
                                       const estimate::SiteChoice& choice,
                                       const std::string& currency);
/// Returns the chosen option with its interval and cost, and the reason; lines end in \n.
[[nodiscard]] std::string format_choice(const std::vector<estimate::JobOption>& options,
                                        const estimate::SiteChoice& choice,
                                        const std::string& currency);
[[nodiscard]] nlohmann::json format_json(const estimate::JobOption& option);
/// Returns a machine with its layout, for JSON.
[[nodiscard]] nlohmann::json format_json(const MachinePlan& plan);

/// Returns the machine's description with its layout, "h200: node of eight NVIDIA H200, 1 GPU".
[[nodiscard]] std::string describe(const MachinePlan& plan);

}  // namespace nfold::plan
