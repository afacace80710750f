// History of sampling errors, from which the errors of a planned run are estimated.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "estimate/history.hpp"

namespace nfold::estimate {

/// Mean over one simulation, with its standard error by blocking or resampling.
struct SampledMean {
  std::string observable;  ///< "radius of gyration [nm]"
  std::string of;          ///< species; empty: the whole system
  double residues = 0;     ///< residues of one chain of the species, or of the system
  double sampled_ps = 0;   ///< sum over chains or replicas
  double mean = 0, standard_error = 0;
  std::string state;  ///< digest of all settings that the mean depends on
};

/// Sampled mean of a finished run.
struct SampledRow {
  Origin origin;
  std::string model;  ///< model of the force field
  SampledMean mean;
};

/// Adds a row to the history (history.hpp). Throws HistoryError.
void append(const std::filesystem::path& file, const SampledRow& row);
/// Returns the latest rows of a model, newest first. Throws HistoryError.
[[nodiscard]] std::vector<SampledRow> sampled_rows(const std::filesystem::path& file,
                                                   const std::string& model);

/// Expected mean and error of an observable.
struct ExpectedError {
  SampledMean mean;  ///< planned sampled_ps and the resulting standard error
  int runs = 0;      ///< runs of the history it is based on
  /// Scatter of these runs' means relative to their errors: the root of chi squared per degree of
  /// freedom (Birge, Phys. Rev. 40, 207 (1932)). 0: one run. Far above 1 the runs were shorter than
  /// the slowest motion.
  double scatter = 0;
};
/// Scatter from which chance is excluded.
inline constexpr double suspicious_scatter = 2;

/// Returns the expected error of each planned mean (whose mean and error are unknown), from the
/// newest ten runs of the same state that sampled a fifth to five times the planned time. Errors
/// fall as the square root of the sampled time: Flyvbjerg and Petersen, J. Chem. Phys. 91, 461
/// (1989). Means without such a run are omitted.
[[nodiscard]] std::vector<ExpectedError> expected_errors(const std::vector<SampledRow>& rows,
                                                         const std::vector<SampledMean>& planned);

}  // namespace nfold::estimate
