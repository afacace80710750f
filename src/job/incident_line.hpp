// Incidents as lines of JSON beside a run's outputs, of the program itself and of nfold launch.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "comm/suspect.hpp"

namespace nfold::job {

/// "1 (host n1, GPU GPU-8f3a)", or "its processors" in place of a GPU; behind "rank".
[[nodiscard]] std::string name_of(const comm::Suspect& suspect);

/// What every line has, whoever writes it.
struct Incident {
  std::string time;  ///< UTC, ISO 8601
  std::string what;  ///< "hang", "silent error", "memory", "failure", ...
  std::optional<int> rank{};
  std::string host{}, device{};  ///< whose fault it seems to be; device: a GPU's UUID
  std::string details{};
};
/// time, what, the fields of `where`, rank, host and device (null: not known, or no GPU), details.
[[nodiscard]] nlohmann::ordered_json json_of(const Incident& incident,
                                             const nlohmann::ordered_json& where);
/// Without a line break; what is no UTF-8, as in words of other programs, is replaced.
[[nodiscard]] std::string line_of(const nlohmann::ordered_json& json);

/// Adds a line, of now. In one write, since several ranks may add lines. storage::FileError.
void append_incident(const std::filesystem::path& file, const std::string& what,
                     const nlohmann::ordered_json& where,
                     const std::optional<comm::Suspect>& suspect, const std::string& details);

}  // namespace nfold::job
