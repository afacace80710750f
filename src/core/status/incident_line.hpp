// Incidents as lines of JSON beside a run's outputs, by the program and by nfold launch.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "core/failure.hpp"

namespace nfold::status {

/// Returns "1 (host n1, GPU GPU-8f3a)", with "its processors" in place of a missing GPU.
[[nodiscard]] std::string describe_suspect(const core::Suspect& suspect);

/// Fields common to all incidents.
struct Incident {
  std::string time;  ///< UTC, ISO 8601
  core::Outcome outcome = core::Outcome::crash;
  core::Suspect suspect{};  ///< suspected origin
  std::string details{};    ///< cause, in one line
};
/// Returns time, what, the fields of `where`, rank, host, device (null: unknown or no GPU) and
/// details.
[[nodiscard]] nlohmann::ordered_json json_of(const Incident& incident,
                                             const nlohmann::ordered_json& where);
/// Returns null for an empty text.
[[nodiscard]] nlohmann::ordered_json text_or_null(const std::string& text);
/// Returns the JSON on one line. Invalid UTF-8, as in output of other programs, is replaced.
[[nodiscard]] std::string to_json_line(const nlohmann::ordered_json& json);

/// Appends an incident with the current time in one write, since several ranks may append. Throws
/// storage::FileError.
void append_incident(const std::filesystem::path& file, core::Outcome what,
                     const nlohmann::ordered_json& where,
                     const std::optional<core::Suspect>& suspect, const std::string& details);

}  // namespace nfold::status
