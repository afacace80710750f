// Comparison of an attempt's status files with their earlier contents.
// SPDX-License-Identifier: BSD-3-Clause

#include "supervise/heartbeat_monitor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <system_error>

#include "core/status/output_paths.hpp"
#include "core/status/running_status.hpp"
#include "core/text.hpp"

namespace nfold::supervise {
namespace fs = std::filesystem;
namespace {

/// Minimum limit for a rank's status file, in units of its writing interval.
constexpr double least_pauses = 3;

bool makes_steps(const status::Status& reading) {
  return reading.phase.empty() || reading.phase == status::verification_phase;
}

}  // namespace

HeartbeatMonitor::HeartbeatMonitor(WatchedFolder where, double now_s)
    : where_(std::move(where)), began_s_(now_s) {
  const auto found = files();
  const auto read = [](std::map<fs::path, Part>& parts, const fs::path& file) {
    if (const auto reading = status::read_status(file)) parts[file].last = *reading;
  };
  for (const auto& file : found.parts) read(parts_, file);
  for (const auto& file : found.ranks) read(ranks_, file);
}

HeartbeatMonitor::Files HeartbeatMonitor::files() const {
  Files found{{where_.status}, {}};
  if (!where_.has_parts) return found;
  const auto name = where_.status.stem().string();
  std::error_code error;
  // Parts of a target, also of its further attempts.
  const auto add_parts_in = [&](const fs::path& folder) {
    for (const auto& part : fs::directory_iterator(folder, error)) {
      const auto file = part.path() / (part.path().filename().string() + ".status");
      if (fs::exists(file, error)) found.parts.push_back(file);
    }
  };
  for (const auto& entry : fs::directory_iterator(where_.folder, error)) {
    if (status::is_rank_status(entry.path(), name)) found.ranks.push_back(entry.path());
    if (!entry.is_directory(error)) continue;
    add_parts_in(entry.path());
    for (int attempt = 2; fs::exists(entry.path() / status::attempt_folder(attempt), error);
         ++attempt) {
      add_parts_in(entry.path() / status::attempt_folder(attempt));
    }
  }
  return found;
}

void HeartbeatMonitor::update(double now_s) {
  const auto found = files();
  for (const auto& file : found.parts) update_part(file, now_s);
  for (const auto& file : found.ranks) update_rank(file, now_s);
  // A rank that ends in good order removes its file.
  const std::set<fs::path> there(found.ranks.begin(), found.ranks.end());
  std::erase_if(ranks_, [&there](const auto& rank) { return !there.contains(rank.first); });
  if (!all_ranks_wait()) {
    all_wait_since_.reset();
  } else if (!all_wait_since_) {
    all_wait_since_ = now_s;
  }
}

/// True if no rank has a target and one waits for a target. In a healthy batch this ends at once.
bool HeartbeatMonitor::all_ranks_wait() const {
  bool waits = false;
  for (const auto& [file, part] : ranks_) {
    if (!part.is_of_this_attempt || !part.last.rank->work.empty()) return false;
    waits = waits || part.last.phase == status::target_wait_phase;
  }
  return waits;
}

void HeartbeatMonitor::update_rank(const fs::path& file, double now_s) {
  const auto reading = status::read_status(file);
  if (!reading || !reading->rank || reading->attempt != where_.attempt) return;
  Part& part = ranks_[file];
  if (part.is_of_this_attempt && *reading == part.last) return;
  if (!part.is_of_this_attempt || reading->rank->moved != part.last.rank->moved) {
    part.moved_s = now_s;
  }
  part.is_of_this_attempt = true;
  part.changed_s = now_s;
  part.last = *reading;
}

void HeartbeatMonitor::update_part(const fs::path& file, double now_s) {
  const auto reading = status::read_status(file);
  if (!reading || reading->attempt != where_.attempt) return;
  Part& part = parts_[file];
  const bool is_first = !part.is_of_this_attempt;
  if (!is_first && *reading == part.last) return;
  part.is_of_this_attempt = true;
  part.changed_s = now_s;
  part.last = *reading;
  if (is_first) part.first_step = reading->first_step.value_or(reading->step);
  if (part.trail.empty() || part.trail.back().second < reading->step) {
    part.trail.emplace_back(now_s, reading->step);
  }
  const bool has_moved = reading->step > part.first_step || reading->outcome == core::Outcome::done;
  if (has_moved && !is_of_batch(file) && !first_new_step_at_) first_new_step_at_ = now_s;
}

std::optional<status::Status> HeartbeatMonitor::status() const {
  const auto whole = parts_.find(where_.status);
  if (whole == parts_.end() || !whole->second.is_of_this_attempt) return std::nullopt;
  return whole->second.last;
}

template <class Step>
std::int64_t HeartbeatMonitor::sum_over_parts(const Step& step) const {
  std::int64_t sum = 0;
  for (const auto& [file, part] : parts_) sum += is_of_batch(file) ? 0 : step(part);
  return sum;
}

std::int64_t HeartbeatMonitor::first_step() const {
  return sum_over_parts(
      [](const Part& part) { return part.is_of_this_attempt ? part.first_step : part.last.step; });
}

std::int64_t HeartbeatMonitor::progress() const {
  return sum_over_parts([](const Part& part) { return part.last.step; });
}

Stall HeartbeatMonitor::find_stall(double now_s, double limit_s) const {
  if (limit_s <= 0) return {};
  auto ranks = find_stalled_ranks(now_s, limit_s);
  if (!ranks.words.empty()) return ranks;
  if (all_wait_since_ && now_s - *all_wait_since_ > limit_s) {
    return {
        fmt::format("no rank has had a target for {:.4g} s, and the batch has not ended", limit_s)};
  }
  if (!status()) {
    if (now_s - began_s_ <= limit_s) return {};
    return {fmt::format("{} was not written {:.4g} s after the start", where_.status.string(),
                        limit_s)};
  }
  return find_stalled_part(now_s, limit_s);
}

/// Finds ranks without heartbeat or progress. A rank that waits for others counts as progressing.
Stall HeartbeatMonitor::find_stalled_ranks(double now_s, double limit_s) const {
  Stall found;
  const double pause_s =
      std::chrono::duration<double>(status::rank_status_pause(ranks_.size())).count();
  limit_s = std::max(limit_s, least_pauses * pause_s);
  std::vector<const Part*> all;
  for (const auto& [file, part] : ranks_) {
    if (!part.is_of_this_attempt) continue;
    const auto& last = part.last;
    const double work_limit_s = makes_steps(last) ? limit_s : limit_s * phase_limit_factor;
    const bool is_silent = now_s - part.changed_s > limit_s;
    if (!is_silent && now_s - part.moved_s <= work_limit_s) continue;
    all.push_back(&part);
    if (all.size() > 1) continue;
    const std::string at = last.rank->work.empty()
                               ? ""
                               : fmt::format(", at step {} of {}", last.step, last.rank->work);
    const std::string in_phase = last.phase.empty() ? "" : ", while " + last.phase;
    found.words = is_silent
                      ? fmt::format("rank {} on {} has given no sign of life for {:.4g} s{}{}",
                                    last.rank->rank, last.host, limit_s, at, in_phase)
                      : fmt::format("rank {} on {} lives, and has come no further for {:.4g} s{}{}",
                                    last.rank->rank, last.host, work_limit_s, at, in_phase);
  }
  if (all.empty()) return found;
  const auto& first = all.front()->last;
  const bool is_one_host =
      std::ranges::all_of(all, [&first](const Part* one) { return one->last.host == first.host; });
  if (is_one_host) found.by.host = first.host;
  if (all.size() == 1) {
    found.by.rank = first.rank->rank;
    found.by.device = first.rank->device;
  } else {
    found.words += fmt::format("; so it is with {}{}", core::pluralise(all.size() - 1, "more rank"),
                               is_one_host ? " of this host" : "");
  }
  return found;
}

Stall HeartbeatMonitor::find_stalled_part(double now_s, double limit_s) const {
  // With rank status files, a part may wait for its turn or for a busy rank.
  const bool ranks_report =
      std::ranges::any_of(ranks_, [](const auto& rank) { return rank.second.is_of_this_attempt; });
  for (const auto& [file, part] : parts_) {
    if (is_of_batch(file) || !part.is_of_this_attempt || part.last.outcome) continue;
    const auto& phase = part.last.phase;
    const double limit_now_s =
        makes_steps(part.last) && !ranks_report ? limit_s : limit_s * phase_limit_factor;
    if (now_s - part.changed_s <= limit_now_s) continue;
    return {fmt::format("{} has not changed for {:.4g} s, at step {}{}{}", file.string(),
                        limit_now_s, part.last.step, phase.empty() ? "" : ", while ", phase)};
  }
  return {};
}

Loss HeartbeatMonitor::loss_since(const HeartbeatMonitor& before, double now_s) const {
  Loss loss;
  for (const auto& [file, part] : parts_) {
    const auto old = before.parts_.find(file);
    if (!part.is_of_this_attempt || old == before.parts_.end()) continue;
    const auto& trail = old->second.trail;
    const auto steps = old->second.last.step - part.first_step;
    if (!old->second.is_of_this_attempt || steps <= 0) continue;
    loss.steps += steps;
    const auto passed = std::ranges::find_if(
        trail, [&part = part](const auto& seen) { return seen.second >= part.first_step; });
    if (passed != trail.end()) loss.seconds = std::max(loss.seconds, now_s - passed->first);
  }
  return loss;
}

}  // namespace nfold::supervise
