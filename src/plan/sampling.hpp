// How exactly runs knew what they averaged: kept, so that a plan says how exactly the next will.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace nfold::plan {

/// A mean over one simulation, with its standard error by blocking or resampling.
struct SampledMean {
  std::string observable;  ///< "radius of gyration [nm]"
  std::string of;          ///< a species; empty: the whole system
  double residues = 0;     ///< of one of its chains, or of the whole system
  double sampled_ps = 0;   ///< all chains or replicas together
  double mean = 0, standard_error = 0;
  std::string state;  ///< digest of all settings that the mean depends on
};

/// Of a finished run.
struct SampledRow {
  std::string time, host, version;
  std::string model;  ///< of the force field
  SampledMean mean;
};

/// Adds a row to the history (history.hpp). HistoryError.
void append(const std::filesystem::path& file, const SampledRow& row);
/// The latest rows of a model, newest first. HistoryError.
[[nodiscard]] std::vector<SampledRow> sampled_rows(const std::filesystem::path& file,
                                                   const std::string& model);

/// What a plan says of an observable.
struct ExpectedError {
  SampledMean mean;  ///< with the planned sampled_ps and the error that it leads to
  int runs = 0;      ///< of the history that told it
  /// How much further means of these runs lie apart than their errors say: the root of chi squared
  /// by degree of freedom (Birge, Phys. Rev. 40, 207 (1932)). 0: one run. Far above 1 they were
  /// shorter than the slowest motion.
  double scatter = 0;
};
/// From here on the scatter is no chance.
inline constexpr double suspicious_scatter = 2;

/// For each observable and species of the planned means (whose mean and error are unknown) what the
/// newest ten runs of the same state say that sampled at least a fifth of the planned time and at
/// most five times that. Errors fall as the square root of the time that is sampled: Flyvbjerg and
/// Petersen, J. Chem. Phys. 91, 461 (1989). Those that no run tells of are left out.
[[nodiscard]] std::vector<ExpectedError> expected_errors(const std::vector<SampledRow>& rows,
                                                         const std::vector<SampledMean>& planned);

}  // namespace nfold::plan
