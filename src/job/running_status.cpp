// When the heartbeat is written.
// SPDX-License-Identifier: BSD-3-Clause
#include "job/running_status.hpp"

#include <utility>

#include "job/status_file.hpp"
#include "storage/file_error.hpp"

namespace nfold::job {
namespace {

constexpr std::chrono::seconds pause{2};

}  // namespace

RunningStatus::RunningStatus(std::filesystem::path path, std::int64_t steps)
    : path_(std::move(path)), steps_(steps) {}

void RunningStatus::write(std::int64_t step) {
  if (!first_step_) first_step_ = step;
  write_status(path_, {RunState::running, step, steps_, "", {}, "", {}, first_step_});
  last_step_ = step;
  last_at_ = Clock::now();
}

void RunningStatus::came_to(std::int64_t step) {
  if (step == last_step_ || Clock::now() - last_at_ < pause) return;
  last_step_ = step;
  try_to_write("", step);
}

void RunningStatus::begin_phase(const std::string& phase, std::int64_t step) {
  try_to_write(phase, step);
}

void RunningStatus::try_to_write(const std::string& phase, std::int64_t step) {
  last_at_ = Clock::now();
  try {
    write_status(path_, {RunState::running, step, steps_, "", {}, phase, {}, first_step_});
  } catch (const storage::FileError&) {
    return;  // what is written next to this disk tells of it
  }
}

}  // namespace nfold::job
