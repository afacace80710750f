// nfold plan --resume: a started run that goes on here or moves to another machine.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/plan/plan_command.hpp"
#include "cli/plan/site_plan.hpp"
#include "core/exit_code.hpp"
#include "core/status/output_paths.hpp"
#include "estimate/dispatch.hpp"
#include "estimate/site_choice.hpp"
#include "input/settings.hpp"

namespace nfold::plan {

/// Measured speed of a run, all parts of its steps included.
struct MeasuredSpeed {
  double step_seconds = 0;
  double start_seconds = 0;  ///< start of a session, before its first step
  int ranks = 1;
  std::string source;  ///< "ubiquitin.performance.json, 1200000 steps in 10 s"
};

/// Run that was started in a folder.
struct StartedRun {
  status::OutputPaths paths;
  input::Settings settings;
  std::int64_t step = 0;  ///< step of the newest checkpoint
  bool is_running = false;
  std::optional<estimate::Backend> backend;  ///< backend that wrote the checkpoint
  std::optional<MeasuredSpeed> speed;        ///< none: it made too few steps
  std::int64_t bytes = 0;                    ///< size of all files
  [[nodiscard]] std::int64_t steps_left() const { return settings.dynamics.steps - step; }
};
/// Reads the run of a folder. Throws InputError if the folder holds no run, several, or a finished
/// one; storage::FileError for a checkpoint that cannot be read.
[[nodiscard]] StartedRun read_started_run(const std::filesystem::path& folder,
                                          const std::vector<std::string>& overrides);

struct Migration {
  std::vector<estimate::JobOption> options;  ///< stay, move
  estimate::SiteChoice choice;
  double chance_sooner = 0;  ///< probability that moving ends sooner
  /// Steps left at which both end at the same time; none: moving never ends sooner.
  std::optional<std::int64_t> break_even_steps;
  bool keeps_bits = true;  ///< the other machine computes on the same backend
};
inline constexpr std::size_t stay = 0, move = 1;

/// Compares both; a pure function of its arguments. here: machine of the run, for its price; its
/// best layout is used if the run has no measured speed. there: plan of the whole run.
[[nodiscard]] Migration compare_sites(const StartedRun& run, const MachinePlan& here,
                                      const MachinePlan& there, const estimate::PlanGoal& goal);

/// Prints the comparison, and writes scripts into the folder --write if moving is chosen.
[[nodiscard]] core::ExitCode plan_migration(const PlanOptions& options);

}  // namespace nfold::plan
