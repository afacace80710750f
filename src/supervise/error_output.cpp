// Message patterns of Open MPI 4 and 5, MPICH Hydra, Slurm srun and nfold.
// SPDX-License-Identifier: BSD-3-Clause

#include "supervise/error_output.hpp"

#include <array>
#include <regex>

#include "supervise/parse_number.hpp"

namespace nfold::supervise {
namespace {

using Match = std::smatch;

/// Part of the message of launch when the launcher cannot be executed.
constexpr const char* cannot_start = " cannot be started: ";

// Searches for a fixed string first, since regular expressions are slow and runs write many lines.
bool matches(const std::string& line, std::string_view word, const std::regex& pattern,
             Match& found) {
  return line.find(word) != std::string::npos && std::regex_search(line, found, pattern);
}

std::optional<int> number_of(const Match& found, std::size_t group) {
  return parse_number<int>(found[group].str());
}

}  // namespace

void ErrorOutputReader::read(std::string_view text) {
  std::string line(text);
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
  if (line.find_first_not_of("-=") == std::string::npos) return;  // an empty or ruled line
  read_open_mpi(line);
  read_slurm(line);
  read_hydra(line);
  read_nfold(line);
  words_.last_lines.push_back(line);
  if (words_.last_lines.size() > kept_lines) words_.last_lines.pop_front();
}

// The first rank named died first; the launcher ended the later ones.
void ErrorOutputReader::blame(int rank, const std::string& line) {
  if (words_.rank) return;
  words_.rank = rank;
  words_.seen = line;
}

void ErrorOutputReader::read_open_mpi(const std::string& line) {
  static const std::regex died(
      R"(noticed that process rank (\d+) with PID \d+ on node (\S+) exited on signal (\d+))");
  static const std::regex process(R"(Process name: +\[.*,(\d+)\])");
  static const std::regex code(R"(^ *Exit code: +(\d+))");
  static const std::regex daemon(R"(^ *Remote daemon: +\[.*\] on node (\S+))");
  static const std::regex unreachable(R"(connect to host (\S+) port \d+: )");
  static constexpr std::array never_began{"There are not enough slots available",
                                          "unable to find the specified executable",
                                          "could not access",
                                          "unable to reliably start one or more daemons",
                                          "An ORTE daemon has unexpectedly failed",
                                          "unrecognized option",
                                          cannot_start};
  Match found;
  if (matches(line, "noticed that process rank", died, found)) {
    blame(number_of(found, 1).value_or(-1), line);
    if (words_.host.empty()) words_.host = found[2].str();
    if (!words_.signal) words_.signal = number_of(found, 3);
  } else if (matches(line, "Process name:", process, found)) {
    blame(number_of(found, 1).value_or(-1), "mpirun: " + line.substr(line.find("Process")));
  } else if (matches(line, "Exit code:", code, found)) {
    if (!words_.exit_code) words_.exit_code = number_of(found, 1);
  } else if (matches(line, "Remote daemon:", daemon, found) ||
             matches(line, "connect to host", unreachable, found)) {
    words_.lost_host = found[1].str();
    words_.seen = "the node " + words_.lost_host + " does not answer: " + line;
  }
  for (const char* phrase : never_began) {
    if (words_.not_started.empty() && line.find(phrase) != std::string::npos) {
      words_.not_started = line;
    }
  }
}

void ErrorOutputReader::read_slurm(const std::string& line) {
  static const std::regex task(R"(srun: error: (\S+): tasks? (\d+)[-,\d]*: (.*))");
  static const std::regex exit(R"(Exited with exit code (\d+))");
  static const std::regex node(R"(Node failure on (\S+))");
  Match found, code;
  if (matches(line, "srun: error:", task, found)) {
    const std::string what = found[3].str();
    blame(number_of(found, 2).value_or(-1), line);
    if (words_.host.empty()) words_.host = found[1].str();
    if (std::regex_search(what, code, exit)) {
      if (!words_.exit_code) words_.exit_code = number_of(code, 1);
    } else if (!words_.signal && what.starts_with("Killed")) {
      words_.signal = 9;
    }
  } else if (matches(line, "Node failure on", node, found)) {
    words_.lost_host = found[1].str();
    words_.seen = line;
  } else if (line.find("srun: error: Unable to") != std::string::npos) {
    words_.not_started = line;
  }
}

void ErrorOutputReader::read_hydra(const std::string& line) {
  static const std::regex process(R"(PID \d+ RUNNING AT (\S+))");
  static const std::regex code(R"(^= +EXIT CODE: (\d+))");
  Match found;
  if (matches(line, "RUNNING AT", process, found)) {
    if (words_.host.empty()) words_.host = found[1].str();
    if (words_.seen.empty()) words_.seen = line;
  } else if (matches(line, "EXIT CODE:", code, found)) {
    if (!words_.exit_code) words_.exit_code = number_of(found, 1);
  }
}

void ErrorOutputReader::read_nfold(const std::string& line) {
  static constexpr std::string_view start = "nfold: error: ";
  static const std::regex of_rank(R"(nfold: error: rank (\d+): )");
  if (!line.starts_with(start)) return;
  if (words_.error.empty()) words_.error = line.substr(start.size());
  Match found;
  // "rank 1 waited for others" does not match: rank 1 is not at fault.
  if (std::regex_search(line, found, of_rank)) blame(number_of(found, 1).value_or(-1), line);
}

}  // namespace nfold::supervise
