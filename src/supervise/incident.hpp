// Records of failures: lines of NAME.incidents.jsonl, and messages.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/status/incident_line.hpp"
#include "supervise/heartbeat_monitor.hpp"

namespace nfold::supervise {

/// Incident that ended an attempt, with what nfold launch did.
struct Incident : status::Incident {
  int number = 1;                       ///< Number within this launch, from 1.
  std::vector<std::string> last_words;  ///< Last lines of standard error.
  std::int64_t step = 0;                ///< Last step observed, summed over parts.
  std::string devices;                  ///< Result of the device test.
  std::string done;                     ///< Action taken.
  /// Resumption after the incident.
  struct Recovery {
    std::int64_t step = 0;  ///< Step of the checkpoint.
    Loss lost;
    double seconds_to_first_new_step = 0;  ///< Since the failure [s].
  };
  std::optional<Recovery> recovery;
};

/// Formats the JSON line, without a line break.
[[nodiscard]] std::string json_of(const Incident& incident);
/// Formats a message, "incident 1, ...", without the last lines of standard error.
[[nodiscard]] std::vector<std::string> describe(const Incident& incident);
[[nodiscard]] std::string describe(const Incident::Recovery& recovery);

/// Incident file, replaced atomically. Lines of earlier launches and of the run itself stay where
/// they are.
class IncidentFile {
 public:
  /// ready_marker: file that exists once the folder belongs to this run. Nothing is written before.
  IncidentFile(std::filesystem::path file, std::filesystem::path ready_marker);

  void add(Incident incident);
  /// Returns the last incident for completion, to be followed by write(). Null if none.
  [[nodiscard]] Incident* last() { return incidents_.empty() ? nullptr : &incidents_.back(); }
  /// Writes the file. Returns an error message, or empty if written or not due. May be retried.
  [[nodiscard]] std::string write();
  [[nodiscard]] const std::vector<Incident>& all() const { return incidents_; }
  [[nodiscard]] int count() const { return static_cast<int>(incidents_.size()); }
  [[nodiscard]] const std::filesystem::path& path() const { return file_; }

 private:
  std::filesystem::path file_, ready_marker_;
  std::vector<Incident> incidents_;
  std::vector<std::string> written_;  // lines of incidents_ in the file
};

}  // namespace nfold::supervise
