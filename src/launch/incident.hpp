// The record of a failure: NAME.incidents.jsonl, a line each, and the same for a person.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "launch/ending.hpp"
#include "launch/pulse.hpp"

namespace nfold::launch {

struct Incident {
  int number = 1;    ///< of this launch
  std::string when;  ///< UTC, ISO 8601
  Ending ending = Ending::crash;
  Culprit culprit;
  std::string seen;                     ///< in one line
  std::vector<std::string> last_words;  ///< the last lines of standard error
  std::int64_t step = 0;                ///< the last one that was seen
  std::string devices;                  ///< what their test found, in words
  std::string done;                     ///< what was done about it
  /// Known once it is on again.
  struct Recovery {
    std::int64_t step = 0;  ///< that it went on from
    Loss lost;
    double seconds_to_first_new_step = 0;  ///< since the failure was seen
  };
  std::optional<Recovery> recovery;
};

/// Without a line break.
[[nodiscard]] std::string json_of(const Incident& incident);
/// "incident 1, ...": lines for a person, the last words not among them.
[[nodiscard]] std::vector<std::string> in_words(const Incident& incident);
[[nodiscard]] std::string in_words(const Incident::Recovery& recovery);

/// Keeps the file whole at any moment: it is small, and replaced as one. Lines of earlier launches,
/// and of the run itself, stay where they are.
class IncidentFile {
 public:
  /// is_ready_by: exists once the folder is this run's; nothing is written before.
  IncidentFile(std::filesystem::path file, std::filesystem::path is_ready_by);

  void add(Incident incident);
  /// The last one, to be completed; then write().
  [[nodiscard]] Incident* last() { return incidents_.empty() ? nullptr : &incidents_.back(); }
  /// Why it cannot be written, empty if it was or is not due. The next one tries again.
  [[nodiscard]] std::string write();
  [[nodiscard]] int count() const { return static_cast<int>(incidents_.size()); }
  [[nodiscard]] const std::filesystem::path& path() const { return file_; }

 private:
  std::filesystem::path file_, is_ready_by_;
  std::vector<Incident> incidents_;
  std::vector<std::string> written_;  // lines of these as they stand in the file
};

}  // namespace nfold::launch
