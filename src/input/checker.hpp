// Collector of contradictions in an input, and rules of several keys by section.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "input/consistency.hpp"
#include "input/settings.hpp"

namespace nfold::input {

class Checker {
 public:
  Checker(const GivenKeys& given, const std::string& file) : given_(given), file_(file) {}

  /// Adds a problem at the position of the key if it was given, else at the file as a whole.
  void complain(std::string_view key, std::string problem, std::string remedy) {
    const auto found = given_.find(key);
    const core::SourcePosition at =
        found == given_.end() ? core::SourcePosition{file_, 0, 0} : found->second;
    problems.push_back({at, std::move(problem), std::move(remedy)});
  }

  std::vector<core::InputProblem> problems;

 private:
  const GivenKeys& given_;
  const std::string& file_;
};

/// Checks `system`: species with one source and one amount each, box and concentrations that agree.
void complete_and_check_system(input::Settings& settings, Checker& checker);
/// Checks `start`: a start that the box and the species allow.
void complete_and_check_start(input::Settings& settings, const GivenKeys& given, Checker& checker);
/// Completes `ensemble` and checks it with the sections that it restricts.
void complete_and_check_ensemble(Settings& settings, const GivenKeys& given, Checker& checker);

}  // namespace nfold::input
