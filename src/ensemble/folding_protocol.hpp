// What a batch does with a go model within its budget: how many replicas, where, how long.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nfold::ensemble {

/// One system, as far as plans go.
struct SystemSize {
  std::int64_t residues = 0;
  bool is_resident = true;    ///< many steps a launch; else an engine for each replica
  double epsilon_kj_mol = 1;  ///< unit of energy of the go model
};

/// Seconds of one H200 that a system of this size is given: 10 below 100 residues, 300 to 500,
/// 7,200 to 2,000, 86,400 above.
[[nodiscard]] double budget_gpu_seconds(std::int64_t residues);

/// Residue-steps a second that one H200 makes of about a thousand replicas (`nfold bench`). A
/// number of this page, not of the machine at hand: it decides how long a target runs, and that
/// must be the same everywhere.
[[nodiscard]] double residue_steps_per_gpu_second(const SystemSize& size);

/// The parts of the protocol in their order: a coarse ladder from the native state finds the
/// melting region; a ladder around it, from both ends, gives folding temperature and free energy;
/// unfolded replicas at 0.85 of the folding temperature give folding times.
enum class Stage { scan, ladder, kinetics };
inline constexpr Stage all_stages[] = {Stage::scan, Stage::ladder, Stage::kinetics};
[[nodiscard]] const char* stage_name(Stage stage);
/// Part of the budget.
[[nodiscard]] double stage_share(Stage stage);

/// Shape of one part.
struct StagePlan {
  int temperatures = 1, ladders = 1;
  double lowest_kelvin = 0, highest_kelvin = 0;
  std::int64_t steps = 0, exchange_every_steps = 0, sample_every_steps = 0;
  std::int64_t equilibration_steps = 0;
};

/// A function of its arguments alone; at least 20,000 steps, whatever the budget. folding_kelvin:
/// what the part before found; not used by scan.
[[nodiscard]] StagePlan plan_of(Stage stage, const SystemSize& size, double gpu_seconds,
                                double folding_kelvin);

}  // namespace nfold::ensemble
