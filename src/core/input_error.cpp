// Formatting of messages about wrong input.
// SPDX-License-Identifier: BSD-3-Clause

#include "core/input_error.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace nfold::core {

std::string InputProblem::message() const {
  std::string text = position.file;
  if (position.line > 0) text += fmt::format(":{}", position.line);
  if (position.line > 0 && position.column > 0) text += fmt::format(":{}", position.column);
  text += ": " + problem;
  if (!remedy.empty()) text += " (" + remedy + ")";
  // A message is one line, whatever characters a name contains.
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  std::replace_if(text.begin(), text.end(), is_control, '?');
  return text;
}

namespace {
std::string join_messages(const std::vector<InputProblem>& problems) {
  std::string text;
  for (const auto& problem : problems) {
    if (!text.empty()) text += '\n';
    text += problem.message();
  }
  return text;
}
}  // namespace

InputError::InputError(std::vector<InputProblem> problems, Outcome outcome)
    : Failure(join_messages(problems), outcome, Reach::all_ranks), problems_(std::move(problems)) {}

InputError::InputError(SourcePosition position, std::string problem, std::string remedy)
    : InputError(
          std::vector<InputProblem>{{std::move(position), std::move(problem), std::move(remedy)}}) {
}

}  // namespace nfold::core
