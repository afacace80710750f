// Message patterns of Open MPI 4 and 5, MPICH Hydra, Slurm srun and nfold.
// SPDX-License-Identifier: BSD-3-Clause

#include "supervise/error_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <regex>

#include "core/failure.hpp"
#include "core/parse_number.hpp"

namespace nfold::supervise {
namespace {

/// Message of a launcher, and the groups of its pattern that hold facts. 0: none.
struct LauncherMessage {
  std::string_view phrase;  ///< searched first, since regular expressions are slow
  std::regex pattern;
  std::size_t rank = 0, host = 0, signal = 0, exit_code = 0, lost_host = 0;
  const char* prefix = "";  ///< text before the line in a message; {}: the lost host
};

/// Returns the message in a line of Open MPI 4 and 5, Slurm srun or MPICH Hydra, with the matches;
/// null if there is none. A launcher reports a rank that died or a lost node only as text.
const LauncherMessage* find_launcher_message(const std::string& line, std::smatch& found) {
  constexpr auto unreachable = "the node {} does not answer: ";
  static const std::array messages{
      LauncherMessage{
          .phrase = "noticed that process rank",
          .pattern = std::regex(
              R"(noticed that process rank (\d+) with PID \d+ on node (\S+) exited on signal (\d+))"),
          .rank = 1,
          .host = 2,
          .signal = 3},
      LauncherMessage{.phrase = "Process name:",
                      .pattern = std::regex(R"(Process name: +\[.*,(\d+)\])"),
                      .rank = 1,
                      .prefix = "mpirun: "},
      LauncherMessage{
          .phrase = "Exit code:", .pattern = std::regex(R"(^ *Exit code: +(\d+))"), .exit_code = 1},
      LauncherMessage{.phrase = "Remote daemon:",
                      .pattern = std::regex(R"(^ *Remote daemon: +\[.*\] on node (\S+))"),
                      .lost_host = 1,
                      .prefix = unreachable},
      LauncherMessage{.phrase = "connect to host",
                      .pattern = std::regex(R"(connect to host (\S+) port \d+: )"),
                      .lost_host = 1,
                      .prefix = unreachable},
      LauncherMessage{
          .phrase = "srun: error:",
          .pattern = std::regex(
              R"(srun: error: (\S+): tasks? (\d+)[-,\d]*: (?:.*Exited with exit code (\d+)|(Killed))?)"),
          .rank = 2,
          .host = 1,
          .signal = 4,
          .exit_code = 3},
      LauncherMessage{.phrase = "Node failure on",
                      .pattern = std::regex(R"(Node failure on (\S+))"),
                      .lost_host = 1},
      LauncherMessage{
          .phrase = "RUNNING AT", .pattern = std::regex(R"(PID \d+ RUNNING AT (\S+))"), .host = 1},
      LauncherMessage{.phrase = "EXIT CODE:",
                      .pattern = std::regex(R"(^= +EXIT CODE: (\d+))"),
                      .exit_code = 1}};
  for (const auto& message : messages) {
    if (line.find(message.phrase) != std::string::npos &&
        std::regex_search(line, found, message.pattern)) {
      return &message;
    }
  }
  return nullptr;
}

/// True if a launcher reports that it could start no rank.
bool reports_no_start(const std::string& line) {
  constexpr std::array phrases{"There are not enough slots available",
                               "unable to find the specified executable",
                               "could not access",
                               "unable to reliably start one or more daemons",
                               "An ORTE daemon has unexpectedly failed",
                               "unrecognized option",
                               "srun: error: Unable to"};
  return std::ranges::any_of(
      phrases, [&line](const char* phrase) { return line.find(phrase) != std::string::npos; });
}

}  // namespace

void ErrorOutputReader::read(std::string_view text) {
  std::string line(text);
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
  if (line.find_first_not_of("-=") == std::string::npos) return;  // an empty or ruled line
  if (line.starts_with(core::outcome_line_start)) {
    if (!words_.outcome) {
      words_.outcome = core::parse_outcome(line.substr(std::strlen(core::outcome_line_start)));
    }
    return;
  }
  read_launcher(line);
  read_nfold(line);
  words_.last_lines.push_back(line);
  if (words_.last_lines.size() > kept_lines) words_.last_lines.pop_front();
}

// The first rank named died first; the launcher ended the later ones.
void ErrorOutputReader::blame(std::optional<int> rank, const std::string& line) {
  if (words_.rank) return;
  words_.rank = rank.value_or(-1);
  words_.seen = line;
}

void ErrorOutputReader::read_launcher(const std::string& line) {
  if (words_.not_started.empty() && reports_no_start(line)) words_.not_started = line;
  std::smatch found;
  const auto* const message = find_launcher_message(line, found);
  if (message == nullptr) return;
  const auto number = [&found](std::size_t group) {
    return core::parse_number<int>(found[group].str());
  };
  const auto is_in = [&found](std::size_t group) { return group > 0 && found[group].matched; };
  const std::string seen =
      fmt::format(fmt::runtime(message->prefix), found[message->lost_host].str()) +
      line.substr(line.find_first_not_of(' '));
  if (message->rank > 0) blame(number(message->rank), seen);
  if (message->host > 0) {
    if (words_.host.empty()) words_.host = found[message->host].str();
    if (words_.seen.empty()) words_.seen = seen;
  }
  constexpr int killed = 9;  // srun names this signal
  if (is_in(message->signal) && !words_.signal) {
    words_.signal = number(message->signal).value_or(killed);
  }
  if (is_in(message->exit_code) && !words_.exit_code) {
    words_.exit_code = number(message->exit_code);
  }
  if (message->lost_host > 0) {
    words_.lost_host = found[message->lost_host].str();
    words_.seen = seen;
  }
}

void ErrorOutputReader::read_nfold(const std::string& line) {
  static constexpr std::string_view start = "nfold: error: ";
  static const std::regex of_rank(R"(nfold: error: rank (\d+): )");
  if (!line.starts_with(start)) return;
  if (words_.error.empty()) words_.error = line.substr(start.size());
  std::smatch found;
  // "rank 1 waited for others" does not match: rank 1 is not at fault.
  if (std::regex_search(line, found, of_rank)) blame(core::parse_number<int>(found[1].str()), line);
}

}  // namespace nfold::supervise
