// Parts of the time of a whole job, from its start to its last file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string_view>

namespace nfold::estimate {

/// Parts of a job [s]; their sum is the job.
struct JobTime {
  double start = 0;  ///< process, devices, input, first state and its minimisation
  double steps = 0;  ///< or the targets of a list, from start to result row
  double energies = 0, observables = 0, frames = 0, checkpoints = 0;
  double analysis = 0;  ///< at the end: averages, profiles, tables and their files
  double transfer = 0;  ///< data moved between machines

  struct Part {
    std::string_view name;         ///< name of the member
    std::string_view description;  ///< for people
    double seconds;
  };
  [[nodiscard]] std::array<Part, 8> parts() const;
  [[nodiscard]] double seconds() const;
  /// Returns the largest part.
  [[nodiscard]] Part largest() const;
};

}  // namespace nfold::estimate
