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

std::string describe_suspect(const core::Suspect& suspect) {
  return fmt::format("{} (host {}, {})", suspect.rank.value_or(-1), suspect.host,
                     suspect.device.empty() ? "its processors" : "GPU " + suspect.device);
}

nlohmann::ordered_json json_of(const Incident& incident, const nlohmann::ordered_json& where) {
  using Json = nlohmann::ordered_json;
  const auto or_null = [](const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
  };
  Json json{{"time", incident.time}, {"what", incident.what}};
  if (!where.is_null()) json.update(where);
  json["rank"] = incident.rank ? Json(*incident.rank) : Json(nullptr);
  json["host"] = or_null(incident.host);
  json["device"] = or_null(incident.device);
  json["details"] = incident.details;
  return json;
}

std::string to_json_line(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

void append_incident(const std::filesystem::path& file, core::Outcome what,
                     const nlohmann::ordered_json& where,
                     const std::optional<core::Suspect>& suspect, const std::string& details) {
  Incident incident{core::utc(std::time(nullptr)), core::outcome_name(what)};
  if (suspect) {
    incident.rank = suspect->rank;
    incident.host = suspect->host;
    incident.device = suspect->device;
  }
  incident.details = details;
  const auto text = to_json_line(json_of(incident, where)) + "\n";
  std::ofstream stream(storage::require_regular_file(file), std::ios::app);
  stream << text << std::flush;
  if (!stream) throw storage::FileError(file.string() + ": an incident cannot be kept there");
}

}  // namespace nfold::status
