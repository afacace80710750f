// Writing of incidents as lines of JSON.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/status/incident_line.hpp"

#include <fmt/core.h>

#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/storage/posix_file.hpp"
#include "core/utc.hpp"

namespace nfold::status {

using Json = nlohmann::ordered_json;

std::string describe_suspect(const core::Suspect& suspect) {
  return fmt::format("{} (host {}, {})", suspect.rank.value_or(-1), suspect.host,
                     suspect.device.empty() ? "its processors" : "GPU " + suspect.device);
}

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json json_of(const Incident& incident, const Json& where) {
  const auto& suspect = incident.suspect;
  Json json{{"time", incident.time}, {"what", core::outcome_name(incident.outcome)}};
  if (!where.is_null()) json.update(where);
  json["rank"] = suspect.rank ? Json(*suspect.rank) : Json();
  json["host"] = text_or_null(suspect.host);
  json["device"] = text_or_null(suspect.device);
  json["details"] = incident.details;
  return json;
}

std::string to_json_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void append_incident(const std::filesystem::path& file, core::Outcome what, const Json& where,
                     const std::optional<core::Suspect>& suspect, const std::string& details) {
  const Incident incident{core::utc(std::time(nullptr)), what, suspect.value_or(core::Suspect()),
                          details};
  const auto text = to_json_line(json_of(incident, where)) + "\n";
  std::ofstream stream(storage::require_regular_file(file), std::ios::app);
  stream << text << std::flush;
  if (!stream) throw storage::FileError(file.string() + ": an incident cannot be kept there");
}

}  // namespace nfold::status
