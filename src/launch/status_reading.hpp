// NAME.status as launch reads it: leniently, for it may be of another version.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace nfold::launch {

/// Whom the run itself holds to be at fault.
struct Suspect {
  std::optional<int> rank;
  std::string host, device;  ///< device: UUID
  std::string what;          ///< hang, silent error, memory, failure
};

struct StatusReading {
  std::string state;  ///< running, done, stopped, failed; empty if there is none
  std::int64_t step = 0, steps = 0;
  std::optional<std::int64_t> first_step;  ///< of the session that runs
  std::string reason;
  std::optional<int> exit_code;  ///< none while running
  std::string host;
  std::string phase;  ///< what takes its time without steps
  /// Of a rank's own file: which, on what GPU, what it is about, when it last came further.
  std::optional<int> rank;
  std::string device, work, moved;
  std::string attempt;  ///< of launch, that started the process; empty: none
  Suspect suspect;
  std::string text;  ///< whole: two readings of one text are of one writing
};

/// Lines "key: value"; others, and keys that are not known, are passed over.
[[nodiscard]] StatusReading parse_status(std::string text);
/// None if there is no file or it cannot be read.
[[nodiscard]] std::optional<StatusReading> read_status(const std::filesystem::path& path);

}  // namespace nfold::launch
