// JSON lines and messages of incidents.
// SPDX-License-Identifier: BSD-3-Clause

#include "supervise/incident.hpp"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "core/storage/atomic_file.hpp"

namespace nfold::supervise {

std::string json_of(const Incident& incident) {
  auto json = status::json_of(incident, {{"incident", incident.number}, {"step", incident.step}});
  json["devices"] = status::text_or_null(incident.devices);
  json["done"] = incident.done;
  json["last_words"] = incident.last_words;
  if (incident.recovery) {
    const auto& recovery = *incident.recovery;
    json["resumed_at_step"] = recovery.step;
    json["lost_steps"] = recovery.lost.steps;
    json["lost_seconds"] = recovery.lost.seconds;
    json["seconds_to_first_new_step"] = recovery.seconds_to_first_new_step;
  }
  return status::to_json_line(json);
}

std::vector<std::string> describe(const Incident& incident) {
  const auto& suspect = incident.suspect;
  std::string where;
  if (suspect.rank) where += fmt::format(", rank {}", *suspect.rank);
  if (!suspect.host.empty()) where += " on " + suspect.host;
  if (!suspect.device.empty()) where += ", " + suspect.device;
  std::vector<std::string> lines{
      fmt::format("incident {}, {}, {}{}, at step {}", incident.number, incident.time,
                  outcome_name(incident.outcome), where, incident.step),
      "  seen: " + incident.details};
  if (!incident.devices.empty()) lines.push_back("  devices: " + incident.devices);
  lines.push_back("  done: " + incident.done);
  return lines;
}

std::string describe(const Incident::Recovery& recovery) {
  return fmt::format("on again from step {} after {:.1f} s; {} steps ({:.1f} s) were lost",
                     recovery.step, recovery.seconds_to_first_new_step, recovery.lost.steps,
                     recovery.lost.seconds);
}

IncidentFile::IncidentFile(std::filesystem::path file, std::filesystem::path ready_marker)
    : file_(std::move(file)), ready_marker_(std::move(ready_marker)) {}

void IncidentFile::add(Incident incident) {
  incident.number = count() + 1;
  incidents_.push_back(std::move(incident));
}

std::string IncidentFile::write() {
  std::error_code error;
  if (!std::filesystem::exists(ready_marker_, error)) return "";
  std::vector<std::string> mine;
  mine.reserve(incidents_.size());
  for (const auto& incident : incidents_) mine.push_back(json_of(incident));
  std::string text;
  std::size_t placed = 0;
  std::ifstream before(file_, std::ios::binary);
  for (std::string line; std::getline(before, line);) {
    const bool is_mine = placed < written_.size() && line == written_[placed];
    text += (is_mine ? mine[placed++] : line) + "\n";
  }
  // Missing lines were removed when the run replaced its output.
  for (; placed < mine.size(); ++placed) text += mine[placed] + "\n";
  try {
    storage::write_file_atomically(file_, text);
  } catch (const storage::FileError& failure) {
    return failure.what();
  }
  written_ = std::move(mine);
  return "";
}

}  // namespace nfold::supervise
