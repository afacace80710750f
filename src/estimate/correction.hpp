// Correction of estimates by similar jobs of the history.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>
#include <vector>

#include "estimate/history.hpp"

namespace nfold::estimate {

/// Estimate and measurement of a finished job [s].
struct PastJob {
  double residues = 0;  ///< residues of a rank, or of a replica
  int ranks = 1;
  /// Estimate and measurement of the same steps; 0: not measured.
  double steps_estimated = 0, steps_measured = 0;
  WorkSeconds estimated;  ///< whole job
  double measured = 0;    ///< whole job; 0: not measured
};

/// Factors by which an estimate is multiplied.
struct Correction {
  double steps = 1, overhead = 1;
  int jobs = 0;  ///< number of jobs it is based on
  /// Standard deviation of ln(real / corrected) for one more job (widened_spread()); 0 if fewer
  /// than three, or if none had as many ranks and a similar size.
  double spread = 0;
};

/// Returns the correction by the ten newest of the most similar jobs. These have a third to three
/// times the residues, if there are such jobs; of these, if there are such, also one rank or
/// several, like `ranks`. Steps: geometric mean of measured / estimated. Overhead: ratio of sums
/// over jobs measured as a whole. Spread: of whole jobs, or of steps if none was measured as a
/// whole. jobs: newest first, all alike in what decides their speed.
[[nodiscard]] Correction correction_for(const std::vector<PastJob>& jobs, double residues,
                                        int ranks);

/// Returns correction_for() a step: by the runs of its pair form and precision.
[[nodiscard]] Correction correction_for(const std::vector<StepRow>& rows, const StepDemand& demand,
                                        int ranks);
/// Returns correction_for() an ensemble or target: by work on the same curve.
[[nodiscard]] Correction correction_for(const std::vector<WorkRow>& rows, const TargetWork& work,
                                        int ranks);

/// Factors of the parts of a job.
struct JobCorrection {
  JobTime factors = uniform_factors(1);
  int jobs = 0;       ///< number of jobs it is based on
  double spread = 0;  ///< like Correction::spread, of all parts but the steps
};
/// Returns the correction of the parts beside the steps by the ten newest of the most similar jobs
/// of a kind: ratios of sums, since parts of one job may be too short to measure. Steps keep the
/// factor 1: other tables correct them.
[[nodiscard]] JobCorrection correction_for(const std::vector<JobRow>& rows, std::string_view kind,
                                           double residues, int ranks);

}  // namespace nfold::estimate
