// Thread that writes the status of a rank, and on one rank that of the batch.
// SPDX-License-Identifier: BSD-3-Clause
#include "batch/heartbeat.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "comm/rank_record.hpp"
#include "core/clock.hpp"
#include "core/periodic_thread.hpp"
#include "core/status/output_paths.hpp"
#include "core/status/running_status.hpp"
#include "core/status/status_file.hpp"
#include "core/utc.hpp"

namespace nfold::batch {
namespace fs = std::filesystem;
namespace {

using namespace std::chrono_literals;

/// Converts a wait phase to the phase of a status file. Empty if the rank makes steps.
std::string to_status_phase(const std::string& wait_phase) {
  constexpr std::string_view of_all = "while ", steps = "blocks of steps", step = "block of steps";
  if (wait_phase.ends_with(steps) || wait_phase.ends_with(step)) return "";
  return wait_phase.starts_with(of_all) ? wait_phase.substr(of_all.size()) : wait_phase;
}

/// Progress counters of a rank's record. A change means that the rank has advanced.
struct ProgressMarks {
  std::uint64_t wait_transitions = 0, phases = 0, work = 0;
  std::int64_t step = -1;
  bool operator==(const ProgressMarks&) const = default;
};

std::int64_t count_rows(const fs::path& table) {
  std::ifstream file(table);
  std::int64_t lines = 0;
  for (std::string line; std::getline(file, line);) ++lines;
  return std::max<std::int64_t>(0, lines - 1);
}

}  // namespace

struct Heartbeat::State {
  BatchFolder folder;
  int rank = 0;

  std::mutex mutex;  // never held while a file is written
  std::vector<std::string> targets;
  int draws = 0;

  std::timed_mutex batch_status_mutex;
  std::atomic<bool> writes_batch_status = false;
  std::int64_t targets_of_all = 0;
  std::uintmax_t size_of_results = 0;

  ProgressMarks before;
  std::time_t moved = 0;
  std::optional<core::PeriodicThread> thread;

  void write_files() {
    std::unique_lock lock(mutex);
    const std::string own_work = fmt::format("{}", fmt::join(targets, ", "));
    const bool waits = draws > 0;
    const bool is_idle = targets.empty() || waits;
    lock.unlock();
    write_rank_status(own_work, is_idle, waits);
    write_batch_status();
  }

  void write_rank_status(const std::string& own_work, bool is_idle, bool waits_for_target) {
    const auto& record = comm::own_record();
    const auto wait_transitions = record.wait_transitions.load(std::memory_order_acquire);
    const auto report = comm::report_of(record, core::seconds_now());
    const ProgressMarks now{wait_transitions, report.phases, report.work, report.step};
    const bool waits = wait_transitions % 2 == 1 && !report.waits_for_device;
    if (is_idle || waits || now != before) moved = std::time(nullptr);
    before = now;
    status::Status status;
    status.rank = {rank, report.device, own_work, core::utc(moved)};
    if (!own_work.empty()) status.step = std::max<std::int64_t>(0, report.step);
    if (!is_idle) status.phase = to_status_phase(report.phase);
    if (waits_for_target) status.phase = status::target_wait_phase;
    status::try_to_write_status(folder.rank_status(rank), status);
  }

  /// Writes batch.status if results.csv has grown.
  void write_batch_status() {
    const std::scoped_lock lock(batch_status_mutex);
    if (!writes_batch_status) return;
    std::error_code error;
    const auto size = fs::file_size(folder.results(), error);
    if (error || size == size_of_results) return;
    size_of_results = size;
    status::try_to_write_status(folder.status(),
                                {{}, count_rows(folder.results()), targets_of_all});
  }
};

Heartbeat::Heartbeat(const BatchFolder& folder, int rank, std::chrono::milliseconds pause)
    : state_(std::make_unique<State>()) {
  state_->folder = folder;
  state_->rank = rank;
  state_->thread.emplace(pause, core::PeriodicThread::FirstCall::at_once,
                         [state = state_.get()] { state->write_files(); });
}

Heartbeat::~Heartbeat() {
  state_->thread.reset();
  std::error_code ignored;
  fs::remove(state_->folder.rank_status(state_->rank), ignored);
}

void Heartbeat::remove_stale_files(const BatchFolder& folder) {
  std::error_code ignored;
  std::vector<fs::path> left;
  for (const auto& entry : fs::directory_iterator(folder.folder, ignored)) {
    if (status::is_rank_status(entry.path(), folder.name())) left.push_back(entry.path());
  }
  for (const auto& file : left) fs::remove(file, ignored);
}

void Heartbeat::begin_batch_status(std::int64_t targets) {
  const std::scoped_lock lock(state_->batch_status_mutex);
  state_->targets_of_all = targets;
  std::error_code error;
  state_->size_of_results = fs::file_size(state_->folder.results(), error);
  status::write_status(state_->folder.status(),
                       {{}, count_rows(state_->folder.results()), targets});
  state_->writes_batch_status = true;
}

void Heartbeat::end_batch_status() {
  state_->writes_batch_status = false;
  const std::unique_lock writing(state_->batch_status_mutex, 1s);  // waits for a write in progress
}

Heartbeat::Work::Work(Heartbeat& heartbeat, const std::string& target)
    : heartbeat_(heartbeat), target_(target) {
  const std::scoped_lock lock(heartbeat_.state_->mutex);
  heartbeat_.state_->targets.push_back(target);
}
Heartbeat::Work::~Work() {
  const std::scoped_lock lock(heartbeat_.state_->mutex);
  auto& targets = heartbeat_.state_->targets;
  const auto own = std::find(targets.begin(), targets.end(), target_);
  if (own != targets.end()) targets.erase(own);
}

Heartbeat::Draw::Draw(Heartbeat& heartbeat) : heartbeat_(heartbeat) {
  const std::scoped_lock lock(heartbeat_.state_->mutex);
  ++heartbeat_.state_->draws;
}
Heartbeat::Draw::~Draw() {
  const std::scoped_lock lock(heartbeat_.state_->mutex);
  --heartbeat_.state_->draws;
}

}  // namespace nfold::batch
