// What an input asks for on a layout: seconds and memory, from counted work.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "batch/batch.hpp"
#include "plan/interval.hpp"
#include "plan/layouts.hpp"
#include "plan/machine.hpp"
#include "plan/sampling.hpp"

namespace nfold::forecast {

/// What a target of a list takes on one rank of the machine, if it begins at the beginning.
struct TargetTime {
  std::string name;
  double seconds = 0;       ///< from its first part to its row
  plan::Interval interval;  ///< of 90 %
  int runs = 0;             ///< of the history that told
};

struct Workload {
  std::string kind;                ///< "run", "ensemble" or "batch"
  std::vector<std::string> lines;  ///< what it is, for people
  std::int64_t residues = 0;       ///< of one system; of a batch of its largest target
  std::int64_t steps = 0;          ///< of a run, or of each replica; 0: several
  std::int64_t replicas = 1;
  double time_step_ps = 0;  ///< 0: several
  /// Seconds of one H200 that a folding equilibrium of this size needs, by classes, and that all
  /// steps would take there; 0: it is not about folding.
  double folding_gpu_seconds = 0, given_gpu_seconds = 0;
  std::vector<plan::ExpectedError> errors;  ///< of what it averages, as far as runs told
  std::vector<TargetTime> targets;          ///< of a batch, those that can begin
  std::function<plan::LayoutWork(const plan::Layout&)> on;
};

/// Of the input of a run, an ensemble, a list of targets or a folder of them. `machine` must
/// outlive it. side_by_side: targets of a list at once on a rank, at most. document::InputError and
/// structure::StructureError as the run would meet them.
[[nodiscard]] Workload workload_of(const std::filesystem::path& input,
                                   const std::vector<std::string>& overrides,
                                   const plan::Machine& machine,
                                   int side_by_side = batch::BatchOptions().side_by_side);

}  // namespace nfold::forecast
