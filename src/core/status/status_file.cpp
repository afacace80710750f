// Writing and parsing of NAME.status.
// SPDX-License-Identifier: BSD-3-Clause

#include "core/status/status_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <sstream>
#include <string_view>
#include <utility>

#include "core/host_name.hpp"
#include "core/parse_number.hpp"
#include "core/read_text.hpp"
#include "core/storage/atomic_file.hpp"
#include "core/utc.hpp"

namespace nfold::status {
namespace {

using core::Outcome;

/// Returns "done", "stopped", "failed", or "running" without an outcome.
const char* state_name(std::optional<Outcome> outcome) {
  if (!outcome) return "running";
  switch (*outcome) {
    case Outcome::done:
    case Outcome::partly_failed:
      return "done";
    case Outcome::incomplete:
    case Outcome::stopped:
      return "stopped";
    default:
      return "failed";
  }
}

/// Returns the outcome of a file that has no known `outcome`. None while running.
std::optional<Outcome> infer_outcome(std::string_view state, std::string_view exit_code) {
  const auto code = core::parse_number<int>(exit_code);
  for (const auto outcome : {Outcome::done, Outcome::stopped, Outcome::failure,
                             Outcome::wrong_input, Outcome::partly_failed}) {
    if (code ? *code == static_cast<int>(core::to_exit_code(outcome))
             : state == state_name(outcome))
      return outcome;
  }
  return code ? std::optional(Outcome::failure) : std::nullopt;
}

}  // namespace

void write_status(const std::filesystem::path& path, const Status& status) {
  std::string text;
  // A line break in a value becomes a blank.
  const auto add = [&text](const char* key, const auto& value) {
    auto line = fmt::format("{}: {}", key, value);
    std::replace(line.begin(), line.end(), '\n', ' ');
    text += line + "\n";
  };
  const auto add_known = [&add](const char* key, const std::string& value) {
    if (!value.empty()) add(key, value);
  };
  add("state", state_name(status.outcome));
  add("step", status.step);
  if (!status.rank) add("steps", status.steps);
  add("reason", status.reason);
  if (status.outcome) {
    add("outcome", core::outcome_name(*status.outcome));
    add("exit_code", static_cast<int>(core::to_exit_code(*status.outcome)));
  }
  if (status.first_step) add("first_step", *status.first_step);
  add_known("phase", status.phase);
  if (status.suspect) {
    if (status.suspect->rank) add("suspect_rank", *status.suspect->rank);
    add("suspect_host", status.suspect->host);
    add_known("suspect_device", status.suspect->device);
    if (status.outcome) add("suspect_what", core::outcome_name(*status.outcome));
  }
  if (status.rank) {
    add("rank", status.rank->rank);
    add_known("device", status.rank->device);
    add_known("work", status.rank->work);
    add("moved", status.rank->moved);
  }
  add("host", core::host_name());
  add("process", getpid());
  add_known("attempt", core::own_attempt());
  add("written", core::utc(std::time(nullptr)));
  storage::write_file_atomically(path, text);
}

void try_to_write_status(const std::filesystem::path& path, const Status& status) {
  try {
    write_status(path, status);
  } catch (const storage::FileError&) {
    return;
  }
}

Status parse_status(const std::string& text) {
  Status status;
  core::Suspect suspect;
  std::optional<int> rank;
  RankProgress progress;
  std::string state, exit_code, outcome;
  const std::pair<std::string_view, std::string*> texts[] = {{"state", &state},
                                                             {"exit_code", &exit_code},
                                                             {"outcome", &outcome},
                                                             {"reason", &status.reason},
                                                             {"phase", &status.phase},
                                                             {"host", &status.host},
                                                             {"attempt", &status.attempt},
                                                             {"written", &status.written},
                                                             {"device", &progress.device},
                                                             {"work", &progress.work},
                                                             {"moved", &progress.moved},
                                                             {"suspect_host", &suspect.host},
                                                             {"suspect_device", &suspect.device}};
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto colon = line.find(": ");
    if (colon == std::string::npos) continue;
    const std::string value = line.substr(colon + 2);
    const auto is = [&](std::string_view key) {
      return std::string_view(line).substr(0, colon) == key;
    };
    for (const auto& [key, field] : texts) {
      if (is(key)) *field = value;
    }
    if (is("step")) status.step = core::parse_number<std::int64_t>(value).value_or(0);
    if (is("steps")) status.steps = core::parse_number<std::int64_t>(value).value_or(0);
    if (is("first_step")) status.first_step = core::parse_number<std::int64_t>(value);
    if (is("rank")) rank = core::parse_number<int>(value);
    if (is("suspect_rank")) suspect.rank = core::parse_number<int>(value);
  }
  status.outcome = core::parse_outcome(outcome);
  if (!status.outcome) status.outcome = infer_outcome(state, exit_code);
  if (suspect != core::Suspect()) status.suspect = suspect;
  if (rank) {
    progress.rank = *rank;
    status.rank = progress;
  }
  return status;
}

std::optional<Status> read_status(const std::filesystem::path& path) {
  const auto text = core::read_text(path);
  return text ? std::optional(parse_status(*text)) : std::nullopt;
}

}  // namespace nfold::status
