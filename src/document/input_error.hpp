// Wrong input: where it stands, what is wrong, what to do.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace nfold::document {

/// A place in the input. `line` and `column` count from 1; 0 means that the place has none (a
/// missing key, an option of the command line).
struct SourcePosition {
  std::string file;  ///< as the user named it, or "--set dynamics.steps=-1"
  int line = 0;
  int column = 0;
};

/// One thing wrong with the input.
struct InputProblem {
  SourcePosition position;
  std::string problem;  ///< what was found, e.g. "dynamics.steps = -5"
  std::string remedy;   ///< what was expected and what to do
  /// "go.yaml:12:17: dynamics.time_step_ps = -0.01 (must be > 0 and at most 1)"
  [[nodiscard]] std::string message() const;
};

/// The input cannot be used. what() is a line per problem, in the order of the file.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<InputProblem> problems);
  InputError(SourcePosition position, std::string problem, std::string remedy);
  [[nodiscard]] const std::vector<InputProblem>& problems() const { return problems_; }

 private:
  std::vector<InputProblem> problems_;  ///< never empty
};

}  // namespace nfold::document
