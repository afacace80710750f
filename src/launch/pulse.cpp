// Compares each status file with what it said before.
// SPDX-License-Identifier: BSD-3-Clause

#include "launch/pulse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

namespace nfold::launch {
namespace fs = std::filesystem;

Pulse::Pulse(WatchedFolder where, double now_s) : where_(std::move(where)), began_s_(now_s) {
  for (const auto& file : files()) {
    const auto reading = read_status(file);
    if (!reading) continue;
    Part part;
    part.text_before = reading->text;
    part.last = *reading;
    parts_.emplace(file, std::move(part));
  }
}

std::vector<fs::path> Pulse::files() const {
  std::vector<fs::path> found{where_.status};
  if (!where_.has_parts) return found;
  std::error_code error;
  for (const auto& target : fs::directory_iterator(where_.folder, error)) {
    if (!target.is_directory(error)) continue;
    for (const auto& part : fs::directory_iterator(target.path(), error)) {
      const auto file = part.path() / (part.path().filename().string() + ".status");
      if (fs::exists(file, error)) found.push_back(file);
    }
  }
  return found;
}

void Pulse::look(double now_s) {
  for (const auto& file : files()) look_at(file, now_s);
}

void Pulse::look_at(const fs::path& file, double now_s) {
  const auto reading = read_status(file);
  if (!reading) return;
  Part& part = parts_[file];
  const bool is_first = !part.is_of_this_attempt;
  if (reading->text == (is_first ? part.text_before : part.last.text)) return;
  part.is_of_this_attempt = true;
  part.changed_s = now_s;
  part.last = *reading;
  if (is_first) part.first_step = reading->first_step.value_or(reading->step);
  if (part.trail.empty() || part.trail.back().second < reading->step) {
    part.trail.emplace_back(now_s, reading->step);
  }
  const bool is_whole_of_parts = where_.has_parts && file == where_.status;
  const bool has_moved = reading->step > part.first_step || reading->state == "done";
  if (has_moved && !is_whole_of_parts && !first_new_step_at_) first_new_step_at_ = now_s;
}

std::optional<StatusReading> Pulse::status() const {
  const auto whole = parts_.find(where_.status);
  if (whole == parts_.end() || !whole->second.is_of_this_attempt) return std::nullopt;
  return whole->second.last;
}

std::int64_t Pulse::first_step() const {
  std::int64_t sum = 0;
  for (const auto& [file, part] : parts_) {
    if (where_.has_parts && file == where_.status) continue;
    sum += part.is_of_this_attempt ? part.first_step : part.last.step;
  }
  return sum;
}

std::int64_t Pulse::progress() const {
  std::int64_t sum = 0;
  for (const auto& [file, part] : parts_) {
    if (where_.has_parts && file == where_.status) continue;
    sum += part.last.step;
  }
  return sum;
}

std::string Pulse::standing_still(double now_s, double limit_s) const {
  if (limit_s <= 0) return "";
  if (!status()) {
    if (now_s - began_s_ <= limit_s) return "";
    return fmt::format("{} was not written {:.4g} s after the start", where_.status.string(),
                       limit_s);
  }
  for (const auto& [file, part] : parts_) {
    // The whole of a batch has nothing to say while its parts are under way.
    if (where_.has_parts && file == where_.status) continue;
    if (!part.is_of_this_attempt || part.last.state != "running") continue;
    const auto& phase = part.last.phase;
    const double limit_now_s = phase.empty() ? limit_s : limit_s * patience_in_phases;
    if (now_s - part.changed_s <= limit_now_s) continue;
    return fmt::format("{} has not changed for {:.4g} s, at step {}{}{}", file.string(),
                       limit_now_s, part.last.step, phase.empty() ? "" : ", while ", phase);
  }
  return "";
}

Loss Pulse::lost_of(const Pulse& before, double now_s) const {
  Loss loss;
  for (const auto& [file, part] : parts_) {
    const auto old = before.parts_.find(file);
    if (!part.is_of_this_attempt || old == before.parts_.end()) continue;
    const auto& trail = old->second.trail;
    const auto steps = old->second.last.step - part.first_step;
    if (!old->second.is_of_this_attempt || steps <= 0) continue;
    loss.steps += steps;
    const auto passed = std::find_if(trail.begin(), trail.end(), [&part = part](const auto& seen) {
      return seen.second >= part.first_step;
    });
    if (passed != trail.end()) loss.seconds = std::max(loss.seconds, now_s - passed->first);
  }
  return loss;
}

}  // namespace nfold::launch
