// Error messages on standard error.
// SPDX-License-Identifier: BSD-3-Clause

#include "core/failure.hpp"

#include <cstdio>
#include <sstream>

namespace nfold::core {
namespace {

std::string attempt_of_process;

std::string with_prefix(const char* prefix, const std::string& message) {
  std::istringstream lines(message);
  std::string text;
  for (std::string line; std::getline(lines, line);) text += prefix + line + "\n";
  return text;
}

// Written in one call so that lines of several processes do not mix.
void print(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

void mark_attempt(const std::string& attempt) { attempt_of_process = attempt; }
const std::string& own_attempt() { return attempt_of_process; }

void print_error(const std::string& message, std::optional<Outcome> outcome) {
  auto text = with_prefix("nfold: error: ", message);
  if (outcome && !own_attempt().empty())
    text += with_prefix(outcome_line_start, outcome_name(*outcome));
  print(text);
}

void print_warning(const std::string& message) { print(with_prefix("nfold: warning: ", message)); }

}  // namespace nfold::core
