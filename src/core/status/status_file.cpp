// Writing of NAME.status.
// SPDX-License-Identifier: BSD-3-Clause

#include "core/status/status_file.hpp"

#include <unistd.h>

#include <ctime>
#include <utility>
#include <vector>

#include "comm/host_name.hpp"
#include "core/storage/atomic_file.hpp"
#include "core/utc.hpp"

namespace nfold::status {
namespace {

const char* state_name(RunState state) {
  switch (state) {
    case RunState::running:
      return "running";
    case RunState::done:
      return "done";
    case RunState::stopped:
      return "stopped";
    case RunState::failed:
      return "failed";
  }
  return "unknown";
}

std::string& own_attempt() {
  static std::string attempt;
  return attempt;
}

}  // namespace

void mark_attempt(const std::string& attempt) { own_attempt() = attempt; }

void write_status(const std::filesystem::path& path, const Status& status) {
  std::vector<std::pair<std::string, std::string>> lines{{"state", state_name(status.state)},
                                                         {"step", std::to_string(status.step)}};
  if (!status.rank) lines.emplace_back("steps", std::to_string(status.steps));
  lines.emplace_back("reason", status.reason);
  if (status.exit_code) {
    lines.emplace_back("exit_code", std::to_string(static_cast<int>(*status.exit_code)));
  }
  if (status.first_step) {
    lines.emplace_back("first_step", std::to_string(*status.first_step));
  }
  if (!status.phase.empty()) lines.emplace_back("phase", status.phase);
  if (status.suspect) {
    lines.emplace_back("suspect_rank", std::to_string(status.suspect->rank));
    lines.emplace_back("suspect_host", status.suspect->host);
    if (!status.suspect->device.empty()) {
      lines.emplace_back("suspect_device", status.suspect->device);
    }
    lines.emplace_back("suspect_what", status.suspect->what);
  }
  if (status.rank) {
    lines.emplace_back("rank", std::to_string(status.rank->rank));
    if (!status.rank->device.empty()) lines.emplace_back("device", status.rank->device);
    if (!status.rank->work.empty()) lines.emplace_back("work", status.rank->work);
    lines.emplace_back("moved", core::utc(status.rank->moved));
  }
  lines.emplace_back("host", comm::host_name());
  lines.emplace_back("process", std::to_string(getpid()));
  if (!own_attempt().empty()) lines.emplace_back("attempt", own_attempt());
  lines.emplace_back("written", core::utc(std::time(nullptr)));
  storage::write_status_file(path, lines);
}

}  // namespace nfold::status
