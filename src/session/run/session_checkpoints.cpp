// Checkpoints of a session: begun at a step, then written while steps continue, or waited for.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "comm/waiting.hpp"
#include "core/storage/posix_file.hpp"
#include "core/telemetry/profiler.hpp"
#include "session/job/collective_work.hpp"
#include "session/run/session.hpp"

namespace nfold::run {
namespace {

/// Syncs the files that a checkpoint refers to.
void sync_files(const std::vector<std::filesystem::path>& files) {
  for (const auto& file : files) {
    if (!std::filesystem::exists(file)) continue;
    storage::PosixFile(file, storage::PosixFile::Mode::read).sync();
  }
}

}  // namespace

void Session::save_checkpoint(const std::filesystem::path& path) {
  finish_checkpoint();
  if (path == context_.paths.checkpoint() && checkpointed_step_ == engine_.step()) return;
  begin_checkpoint(path);
  finish_checkpoint();
}

void Session::save_checkpoint_in_background() {
  if (!context_.settings.output.checkpoint_in_background) {
    return save_checkpoint(context_.paths.checkpoint());
  }
  if (checkpointed_step_ == engine_.step()) return;
  if (pending_checkpoint_) {
    const auto before = pending_checkpoint_->step;
    const double began_at = clock_.elapsed_seconds();
    finish_checkpoint();
    log_.detail(fmt::format("the checkpoint of step {} waited {:.2g} s for that of step {}",
                            engine_.step(), clock_.elapsed_seconds() - began_at, before));
  }
  begin_checkpoint(context_.paths.checkpoint());
}

/// Starts a checkpoint of the present state; growing files may get longer before it is on disk.
void Session::begin_checkpoint(const std::filesystem::path& path) {
  const telemetry::PhaseSpan span(telemetry::Phase::checkpoint, engine_.step());
  const double began_at = clock_.elapsed_seconds();
  comm::set_wait_phase("while a checkpoint is begun", engine_.step());
  pace_.begin();
  // Every rank receives the text of rank 0, which has the files.
  const std::string frames = job::text_from_root(
      context_.communicator, [&] { return std::to_string(files_->frame_count()); });
  const std::string rows = job::text_from_root(context_.communicator,
                                               [&] { return std::to_string(files_->row_count()); });
  auto header = setup::checkpoint_header(context_.communicator, context_.settings, identity_,
                                         engine_.step(), frames, rows);
  header.provenance["skin_nm"] = fmt::format("{:.4g}", engine_.statistics().skin_nm);
  header.accumulators = observation_->saved();
  auto held = context_.settings.output.checkpoint_in_background
                  ? engine_.snapshot_state()
                  : engine::RowSnapshot{
                        [mine = engine_.owned_state()]() mutable { return std::move(mine); }};
  note_missing_headroom(held.had_capacity);
  std::vector<std::filesystem::path> growing;
  if (context_.communicator.is_root()) {
    growing = {context_.paths.trajectory(), context_.paths.energies(), context_.paths.balance()};
  }
  pending_checkpoint_.emplace();
  pending_checkpoint_->path = path;
  pending_checkpoint_->step = engine_.step();
  pending_checkpoint_->writing = std::make_unique<io::CheckpointWriter>(
      context_.communicator, path, std::move(header),
      [fetch = std::move(held.fetch), growing = std::move(growing)] {
        auto mine = fetch();
        // Syncs most data in this thread: the rest is synced collectively, while the steps wait.
        sync_files(growing);
        return mine;
      });
  if (path == context_.paths.checkpoint()) checkpointed_step_ = engine_.step();
  pending_checkpoint_->steps_waited_s = clock_.elapsed_seconds() - began_at;
}

void Session::note_missing_headroom(bool had_capacity) {
  const auto without = context_.communicator.sum(had_capacity ? 0 : 1);
  if (without == 0 || std::exchange(has_noted_missing_headroom_, true)) return;
  log_.note(fmt::format(
      "{} of {} GPUs have no room for a copy of the state: at a checkpoint steps wait until it has "
      "come to the host",
      without, context_.communicator.size()));
}

/// Collective. Performs one stage.
void Session::continue_checkpoint() {
  const telemetry::PhaseSpan span(telemetry::Phase::checkpoint, engine_.step());
  const double began_at = clock_.elapsed_seconds();
  comm::set_wait_phase("while a checkpoint is written", engine_.step());
  bool is_done = false;
  try {
    if (!std::exchange(pending_checkpoint_->files_are_on_disk, true)) {
      job::on_root(context_.communicator, [this] {
        files_->sync();
        balance_->sync();
      });
    }
    is_done = pending_checkpoint_->writing->advance();
  } catch (...) {
    pending_checkpoint_.reset();
    throw;
  }
  pending_checkpoint_->steps_waited_s += clock_.elapsed_seconds() - began_at;
  if (is_done) end_checkpoint();
}

void Session::finish_checkpoint() {
  if (pending_checkpoint_ && !pace_.is_fast()) show_phase("writing a checkpoint");
  while (pending_checkpoint_) continue_checkpoint();
}

void Session::end_checkpoint() {
  const auto ended = std::exchange(pending_checkpoint_, std::nullopt);
  pace_.end(ended->writing->busy_seconds() + ended->steps_waited_s);
  if (ended->path != context_.paths.checkpoint()) return;
  job::on_root(context_.communicator, [this] {
    observation_->write(context_.paths.observables());
    status_.write(engine_.step());
  });
  log_.detail(fmt::format("checkpoint at step {} written in {:.2g} s, steps waited {:.2g} s",
                          ended->step, pace_.last_seconds(), ended->steps_waited_s));
}

/// Called after a failure on all ranks: a checkpoint in progress is still worth completing.
void Session::finish_checkpoint_after_failure() {
  try {
    finish_checkpoint();
  } catch (const std::exception& second) {
    if (context_.communicator.size() > 1 && !job::to_failure(second).is_collective()) throw;
  }
}

// Returns text to append to the explosion's message. Failures here must not hide the explosion.
std::string Session::save_last_good_state() {
  std::string message;
  try {
    save_checkpoint(context_.paths.explosion());
    message = fmt::format("; the last good state, step {}, is in {} and ends the trajectory",
                          engine_.step(), context_.paths.explosion().string());
    const double time_step_ps = context_.settings.dynamics.time_step_ps;
    setup::PositionUse use;
    if (context_.communicator.is_root()) {
      use.sink = files_->take_last_frame(engine_.step(),
                                         static_cast<double>(engine_.step()) * time_step_ps);
    }
    const setup::Report last = setup::make_report(engine_, context_.topology, time_step_ps, use);
    job::on_root(context_.communicator, [&] {
      files_->write(last, {});
      files_->close();
    });
  } catch (const std::exception& failure) {
    // A failure of one rank alone ends the run, since the others wait for it.
    if (context_.communicator.size() > 1 && !job::to_failure(failure).is_collective()) throw;
    message += fmt::format("; the last good state could not be saved whole: {}", failure.what());
  }
  return message;
}

}  // namespace nfold::run
