// Messages of wrong input.
// SPDX-License-Identifier: BSD-3-Clause

#include "config/input_error.hpp"

#include <fmt/core.h>

#include <utility>

namespace nfold::config {

std::string InputProblem::message() const {
  std::string text = position.file;
  if (position.line > 0) text += fmt::format(":{}:{}", position.line, position.column);
  text += ": " + problem;
  if (!remedy.empty()) text += " (" + remedy + ")";
  return text;
}

namespace {
std::string joined(const std::vector<InputProblem>& problems) {
  std::string text;
  for (const auto& problem : problems) {
    if (!text.empty()) text += '\n';
    text += problem.message();
  }
  return text;
}
}  // namespace

InputError::InputError(std::vector<InputProblem> problems)
    : std::runtime_error(joined(problems)), problems_(std::move(problems)) {}

InputError::InputError(SourcePosition position, std::string problem, std::string remedy)
    : InputError(
          std::vector<InputProblem>{{std::move(position), std::move(problem), std::move(remedy)}}) {
}

}  // namespace nfold::config
