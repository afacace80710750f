// Workload of an input on a layout: seconds and memory, from counted work.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "batch/batch.hpp"
#include "estimate/interval.hpp"
#include "estimate/layouts.hpp"
#include "estimate/machine.hpp"
#include "estimate/sampling.hpp"

namespace nfold::plan {

/// Time of a target of a list on one rank of the machine, from its beginning.
struct TargetTime {
  std::string name;
  double seconds = 0;           ///< from first part to result row
  estimate::Interval interval;  ///< 90 % interval
  int runs = 0;                 ///< runs of the history it is based on
};

struct Workload {
  std::string kind;                    ///< "run", "ensemble" or "batch"
  std::vector<std::string> lines;      ///< description for people
  std::int64_t residues = 0;           ///< residues of one system, or of the largest target
  std::int64_t distinct_residues = 0;  ///< rows of tables by residue of a run
  std::int64_t steps = 0;              ///< per replica; 0: differs
  std::int64_t replicas = 1;
  double time_step_ps = 0;  ///< 0: differs
  /// Time on one H200 [s] that a folding equilibrium of this size needs, by size classes, and that
  /// all steps take there; 0: no folding system.
  double folding_gpu_seconds = 0, given_gpu_seconds = 0;
  std::vector<estimate::ExpectedError>
      errors;                       ///< expected errors of its averages, where the history has runs
  std::vector<TargetTime> targets;  ///< targets of a batch that can start
  std::function<estimate::LayoutWork(const estimate::Layout&)> on;  ///< work on a layout
};

/// Returns the workload on a machine, which must outlive it.
using WorkloadOnMachine = std::function<Workload(const estimate::Machine& machine)>;
/// Counts a run, an ensemble, a list of targets or a folder of them, once for all machines.
/// side_by_side: most concurrent targets of a list on a rank. Throws core::InputError and
/// structure::StructureError like the run.
[[nodiscard]] WorkloadOnMachine count_workload(
    const std::filesystem::path& input, const std::vector<std::string>& overrides,
    int side_by_side = batch::BatchOptions().side_by_side);
/// Returns the workload on one machine.
[[nodiscard]] Workload count_workload(const std::filesystem::path& input,
                                      const std::vector<std::string>& overrides,
                                      const estimate::Machine& machine,
                                      int side_by_side = batch::BatchOptions().side_by_side);

}  // namespace nfold::plan
