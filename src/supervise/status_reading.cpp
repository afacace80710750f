// Parser for the lines of a status file.
// SPDX-License-Identifier: BSD-3-Clause

#include "supervise/status_reading.hpp"

#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <utility>

#include "supervise/parse_number.hpp"

namespace nfold::supervise {
namespace {

void set_field(StatusReading& reading, const std::string& key, const std::string& value) {
  auto& suspect = reading.suspect;
  const std::map<std::string_view, std::string*> texts{
      {"state", &reading.state},       {"reason", &reading.reason},
      {"host", &reading.host},         {"phase", &reading.phase},
      {"device", &reading.device},     {"work", &reading.work},
      {"moved", &reading.moved},       {"attempt", &reading.attempt},
      {"suspect_host", &suspect.host}, {"suspect_device", &suspect.device},
      {"suspect_what", &suspect.what}};
  if (const auto text = texts.find(key); text != texts.end()) *text->second = value;
  if (key == "step") reading.step = parse_number<std::int64_t>(value).value_or(0);
  if (key == "steps") reading.steps = parse_number<std::int64_t>(value).value_or(0);
  if (key == "first_step") reading.first_step = parse_number<std::int64_t>(value);
  if (key == "rank") reading.rank = parse_number<int>(value);
  if (key == "exit_code") reading.exit_code = parse_number<int>(value);
  if (key == "suspect_rank") suspect.rank = parse_number<int>(value);
}

}  // namespace

StatusReading parse_status(std::string text) {
  StatusReading reading;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto colon = line.find(": ");
    if (colon != std::string::npos)
      set_field(reading, line.substr(0, colon), line.substr(colon + 2));
  }
  reading.text = std::move(text);
  return reading;
}

std::optional<StatusReading> read_status(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) return std::nullopt;
  return parse_status(std::move(text));
}

}  // namespace nfold::supervise
