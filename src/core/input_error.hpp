// Errors in input: position, problem and remedy.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "core/failure.hpp"

namespace nfold::core {

/// A position in the input. `line` and `column` count from 1; 0 means that there is none (a missing
/// key, a command line option).
struct SourcePosition {
  std::string file;  ///< name given by the user, or "--set dynamics.steps=-1"
  int line = 0;
  int column = 0;
};

/// One problem of the input.
struct InputProblem {
  SourcePosition position;
  std::string problem;  ///< value found, e.g. "dynamics.steps = -5"
  std::string remedy;   ///< values allowed and remedy
  /// Returns "go.yaml:12:17: dynamics.time_step_ps = -0.01 (must be > 0 and at most 1)".
  [[nodiscard]] std::string message() const;
};

/// Thrown if the input cannot be used. what() has one line per problem, in the order of the file.
class InputError : public Failure {
 public:
  explicit InputError(std::vector<InputProblem> problems, Outcome outcome = Outcome::wrong_input);
  InputError(SourcePosition position, std::string problem, std::string remedy);
  [[nodiscard]] const std::vector<InputProblem>& problems() const { return problems_; }

 private:
  std::vector<InputProblem> problems_;  ///< never empty
};

}  // namespace nfold::core
