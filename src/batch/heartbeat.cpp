// Thread that writes the status of a rank, and on one rank that of the batch.
// SPDX-License-Identifier: BSD-3-Clause
#include "batch/heartbeat.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "comm/rank_record.hpp"
#include "job/output_paths.hpp"
#include "job/running_status.hpp"
#include "job/status_file.hpp"
#include "storage/file_error.hpp"

namespace nfold::batch {
namespace fs = std::filesystem;
namespace {

using namespace std::chrono_literals;

/// Converts a wait phase to the phase of a status file. Empty if the rank makes steps.
std::string phase_of(const std::string& told) {
  constexpr std::string_view of_all = "while ", steps = "blocks of steps", step = "block of steps";
  if (told.ends_with(steps) || told.ends_with(step)) return "";
  return told.starts_with(of_all) ? told.substr(of_all.size()) : told;
}

/// Progress counters of a rank's record. A change means that the rank has advanced.
struct Marks {
  std::uint64_t borders = 0, phases = 0, work = 0;
  std::int64_t step = -1;
  bool operator==(const Marks&) const = default;
};

std::int64_t rows_of(const fs::path& table) {
  std::ifstream file(table);
  std::int64_t lines = 0;
  for (std::string line; std::getline(file, line);) ++lines;
  return std::max<std::int64_t>(0, lines - 1);
}

}  // namespace

struct Heartbeat::State {
  BatchFolder folder;
  int rank = 0;
  std::chrono::milliseconds pause{};

  std::mutex mutex;  // never held while a file is written
  std::condition_variable changed;
  bool is_done = false;
  std::vector<std::string> targets;
  int draws = 0;

  std::timed_mutex whole_mutex;
  std::atomic<bool> tells_whole = false;
  std::int64_t targets_of_all = 0;
  std::uintmax_t size_of_results = 0;

  Marks before;
  std::time_t moved = 0;
  std::thread thread;

  void work() {
    std::unique_lock lock(mutex);
    do {
      const std::string own_work = fmt::format("{}", fmt::join(targets, ", "));
      const bool waits = draws > 0;
      const bool is_idle = targets.empty() || waits;
      lock.unlock();
      beat(own_work, is_idle, waits);
      tell_whole();
      lock.lock();
    } while (!changed.wait_for(lock, pause, [this] { return is_done; }));
  }

  void beat(const std::string& own_work, bool is_idle, bool waits_for_target) {
    const auto& record = comm::own_record();
    const auto borders = record.borders.load(std::memory_order_acquire);
    const auto report = comm::report_of(record, comm::seconds_now());
    const Marks now{borders, report.phases, report.work, report.step};
    const bool waits = borders % 2 == 1 && !report.waits_for_device;
    if (is_idle || waits || now != before) moved = std::time(nullptr);
    before = now;
    job::Status status;
    status.rank = {rank, report.device, own_work, moved};
    if (!own_work.empty()) status.step = std::max<std::int64_t>(0, report.step);
    if (!is_idle) status.phase = phase_of(report.phase);
    if (waits_for_target) status.phase = job::target_wait_phase;
    write(folder.rank_status(rank), status);
  }

  /// Writes batch.status if results.csv has grown.
  void tell_whole() {
    const std::scoped_lock lock(whole_mutex);
    if (!tells_whole) return;
    std::error_code error;
    const auto size = fs::file_size(folder.results(), error);
    if (error || size == size_of_results) return;
    size_of_results = size;
    write(folder.status(),
          {job::RunState::running, rows_of(folder.results()), targets_of_all, "", {}});
  }

  /// Writes a status file. Ignores FileError, since the next file of the run reports a full disk.
  static void write(const fs::path& file, const job::Status& status) {
    try {
      job::write_status(file, status);
    } catch (const storage::FileError&) {
      return;
    }
  }
};

Heartbeat::Heartbeat(const BatchFolder& folder, int rank, std::chrono::milliseconds pause)
    : state_(std::make_unique<State>()) {
  state_->folder = folder;
  state_->rank = rank;
  state_->pause = pause;
  state_->thread = std::thread([state = state_.get()] { state->work(); });
}

Heartbeat::~Heartbeat() {
  {
    const std::scoped_lock lock(state_->mutex);
    state_->is_done = true;
  }
  state_->changed.notify_one();
  state_->thread.join();
  std::error_code ignored;
  fs::remove(state_->folder.rank_status(state_->rank), ignored);
}

void Heartbeat::forget_others(const BatchFolder& folder) {
  std::error_code ignored;
  std::vector<fs::path> left;
  for (const auto& entry : fs::directory_iterator(folder.folder, ignored)) {
    if (job::is_rank_status(entry.path(), folder.name())) left.push_back(entry.path());
  }
  for (const auto& file : left) fs::remove(file, ignored);
}

void Heartbeat::begin_whole(std::int64_t targets) {
  const std::scoped_lock lock(state_->whole_mutex);
  state_->targets_of_all = targets;
  std::error_code error;
  state_->size_of_results = fs::file_size(state_->folder.results(), error);
  job::write_status(state_->folder.status(),
                    {job::RunState::running, rows_of(state_->folder.results()), targets, "", {}});
  state_->tells_whole = true;
}

void Heartbeat::end_whole() {
  state_->tells_whole = false;
  const std::unique_lock writing(state_->whole_mutex, 1s);  // waits for a write in progress
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
