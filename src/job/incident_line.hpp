// Incidents that the program itself sees, as lines of a file beside its outputs.
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

/// Adds a line of JSON: time, what, the fields of `where`, whose fault as far as it is known, and
/// details. In one write, since several ranks may add lines. storage::FileError.
void append_incident(const std::filesystem::path& file, const std::string& what,
                     const nlohmann::ordered_json& where,
                     const std::optional<comm::Suspect>& suspect, const std::string& details);

}  // namespace nfold::job
