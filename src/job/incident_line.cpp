// Writes incidents as lines of JSON.
// SPDX-License-Identifier: BSD-3-Clause
#include "job/incident_line.hpp"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

#include "storage/file_error.hpp"

namespace nfold::job {

std::string name_of(const comm::Suspect& suspect) {
  return fmt::format("{} (host {}, {})", suspect.rank, suspect.host,
                     suspect.device.empty() ? "its processors" : "GPU " + suspect.device);
}

void append_incident(const std::filesystem::path& file, const std::string& what,
                     const nlohmann::ordered_json& where,
                     const std::optional<comm::Suspect>& suspect, const std::string& details) {
  nlohmann::ordered_json line{
      {"time", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))},
      {"what", what}};
  line.update(where);
  if (suspect) {
    line["rank"] = suspect->rank;
    line["host"] = suspect->host;
    line["device"] = suspect->device;
  }
  line["details"] = details;
  const auto text =
      line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  std::ofstream stream(file, std::ios::app);
  stream << text << std::flush;
  if (!stream) throw storage::FileError(file.string() + ": an incident cannot be kept there");
}

}  // namespace nfold::job
