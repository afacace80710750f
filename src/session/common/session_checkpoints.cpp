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
#include "session/common/session.hpp"
#include "session/job/collective_work.hpp"

namespace nfold::common {
namespace {

/// Syncs the files that a checkpoint refers to.
void sync_to_disk(const std::vector<std::filesystem::path>& files) {
  for (const auto& file : files) {
    if (!std::filesystem::exists(file)) continue;
    storage::PosixFile(file, storage::PosixFile::Mode::read).sync();
  }
}

}  // namespace

void Session::save_checkpoint(const std::filesystem::path& path) {
  finish_checkpoint();
  if (path == context_.paths.checkpoint() && checkpointed_step_ == step()) return;
  begin_checkpoint(path);
  finish_checkpoint();
}

void Session::save_checkpoint_in_background() {
  if (!context_.settings.output.checkpoint_in_background) {
    return save_checkpoint(context_.paths.checkpoint());
  }
  if (checkpointed_step_ == step()) return;
  if (pending_checkpoint_) {
    const auto before = pending_checkpoint_->step;
    const double began_at = clock_.elapsed_seconds();
    finish_checkpoint();
    log_.detail(fmt::format("the checkpoint of step {} waited {:.2g} s for that of step {}", step(),
                            clock_.elapsed_seconds() - began_at, before));
  }
  begin_checkpoint(context_.paths.checkpoint());
}

/// Starts a checkpoint of the present state; growing files may get longer before it is on disk.
void Session::begin_checkpoint(const std::filesystem::path& path) {
  const telemetry::PhaseSpan span(telemetry::Phase::checkpoint, step());
  const double began_at = clock_.elapsed_seconds();
  comm::set_wait_phase("while a checkpoint is begun", step());
  pace_.begin();
  auto content = checkpoint_content();
  if (!context_.communicator.is_root()) content.growing_files.clear();
  pending_checkpoint_.emplace();
  pending_checkpoint_->path = path;
  pending_checkpoint_->step = step();
  pending_checkpoint_->writing = std::make_unique<io::CheckpointWriter>(
      context_.communicator, path, std::move(content.header),
      [fetch_rows = std::move(content.fetch_rows), files = std::move(content.growing_files)] {
        auto mine = fetch_rows();
        // Syncs most data in this thread: the rest is synced collectively, while the steps wait.
        sync_to_disk(files);
        return mine;
      });
  if (path == context_.paths.checkpoint()) checkpointed_step_ = step();
  pending_checkpoint_->steps_waited_s = clock_.elapsed_seconds() - began_at;
}

/// Performs one stage.
void Session::continue_checkpoint() {
  const telemetry::PhaseSpan span(telemetry::Phase::checkpoint, step());
  const double began_at = clock_.elapsed_seconds();
  comm::set_wait_phase("while a checkpoint is written", step());
  bool is_done = false;
  try {
    if (!std::exchange(pending_checkpoint_->files_are_on_disk, true)) {
      job::on_root(context_.communicator, [this] { sync_files(); });
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
    write_checkpointed_results();
    status_.write(step());
  });
  log_.detail(fmt::format("checkpoint at step {} written in {:.2g} s, steps waited {:.2g} s",
                          ended->step, pace_.last_seconds(), ended->steps_waited_s));
}

std::string Session::finish_checkpoint_after_failure() {
  try {
    finish_checkpoint();
  } catch (const std::exception& second) {
    if (context_.communicator.size() > 1 && !job::to_failure(second).is_collective()) throw;
    return second.what();
  }
  return {};
}

}  // namespace nfold::common
