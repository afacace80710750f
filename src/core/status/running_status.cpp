// Timing of heartbeat writes.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/status/running_status.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "core/periodic_thread.hpp"

namespace nfold::status {
namespace {

constexpr std::chrono::milliseconds poll_interval{250};

/// True if the file's state is still "running": a process that gave up has written its reason,
/// which must stay.
bool is_running_state(const std::filesystem::path& status) {
  const auto last = read_status(status);
  return last && !last->outcome;
}

}  // namespace

std::chrono::milliseconds rank_status_pause(std::size_t ranks) {
  constexpr std::chrono::milliseconds of_a_rank{10}, longest{60'000};
  return std::clamp<std::chrono::milliseconds>(of_a_rank * ranks, RunningStatus::usual_pause,
                                               longest);
}

/// Deferred write of a phase, and its thread. Every writer holds the mutex.
struct RunningStatus::DeferredWrite {
  explicit DeferredWrite(RunningStatus& status)
      : thread(poll_interval, core::PeriodicThread::FirstCall::after_interval,
               [this, &status] { write_if_due(status); }) {}

  void write_if_due(RunningStatus& status) {
    const std::scoped_lock lock(mutex);
    if (phase == nullptr || Clock::now() - status.last_at_ < status.pause_) return;
    if (is_running_state(status.path_)) status.try_to_write(phase, step);
    phase = nullptr;
  }

  std::mutex mutex;
  const char* phase = nullptr;
  std::int64_t step = 0;
  core::PeriodicThread thread;  // last, since it uses the others
};

RunningStatus::RunningStatus(std::filesystem::path path, std::int64_t steps,
                             std::chrono::milliseconds pause)
    : path_(std::move(path)), pause_(pause), steps_(steps) {}
RunningStatus::~RunningStatus() = default;

void RunningStatus::write(std::int64_t step) {
  const auto alone = lock_file();
  if (!first_step_) first_step_ = step;
  write_status(path_, make_status("", step));
  last_step_ = step;
  last_at_ = Clock::now();
}

void RunningStatus::report_progress(std::int64_t step) {
  const auto alone = lock_file();
  if (step == last_step_ || Clock::now() - last_at_ < pause_) return;
  last_step_ = step;
  try_to_write("", step);
}

void RunningStatus::begin_phase(const std::string& phase, std::int64_t step) {
  const auto alone = lock_file();
  try_to_write(phase, step);
}

std::unique_lock<std::mutex> RunningStatus::lock_file() const {
  return deferred_ ? std::unique_lock(deferred_->mutex) : std::unique_lock<std::mutex>();
}

Status RunningStatus::make_status(const std::string& phase, std::int64_t step) const {
  return {{}, step, steps_, "", phase, {}, first_step_};
}

void RunningStatus::try_to_write(const std::string& phase, std::int64_t step) {
  last_at_ = Clock::now();
  try_to_write_status(path_, make_status(phase, step));
}

RunningStatus::Phase::Phase(RunningStatus* status, const char* phase, std::int64_t step)
    : status_(status) {
  if (status_ == nullptr) return;
  if (!status_->deferred_) status_->deferred_ = std::make_unique<DeferredWrite>(*status_);
  const auto alone = status_->lock_file();
  status_->deferred_->phase = phase;
  status_->deferred_->step = step;
}
RunningStatus::Phase::~Phase() {
  if (status_ == nullptr) return;
  const auto alone = status_->lock_file();
  status_->deferred_->phase = nullptr;
}

}  // namespace nfold::status
