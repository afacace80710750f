// Session loop: blocks, events, the agreement between blocks, the end.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/common/session.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "comm/waiting.hpp"
#include "core/status/incident_line.hpp"
#include "core/status/status_file.hpp"
#include "core/telemetry/profiler.hpp"
#include "engine/engine.hpp"
#include "session/job/collective_work.hpp"
#include "session/setup/schedule.hpp"

namespace nfold::common {

Session::Session(const SessionContext& context, const char* unit, std::int64_t units)
    : context_(context),
      log_(context.log),
      clock_(context.clock),
      identity_(context.topology),
      last_step_(context.settings.dynamics.steps),
      pace_(clock_, context.settings.output.checkpoint_every_minutes, context.time_limit_seconds),
      more_ranks_(context.join_query, clock_),
      status_(context.paths.status(), last_step_),
      devices_(context.communicator, context.devices->own_gpu(), unit, units) {}

void Session::do_stage(const std::function<void()>& stage) {
  try {
    stage();
  } catch (const std::exception& failure) {
    if (job::to_failure(failure).is_collective()) finish_checkpoint_after_failure();
    throw;
  }
}

core::ExitCode Session::run() {
  begin();
  return end(advance_until(last_step_));
}

void Session::begin() {
  do_stage([this] {
    first_step_ = step();
    job::on_root(context_.communicator, [&] { status_.write(first_step_); });
    handle_events();
    save_checkpoint(context_.paths.checkpoint());
    more_ranks_.begin(first_step_);
  });
}

std::string Session::advance_until(std::int64_t until) {
  std::string stop_reason;
  do_stage([&] { stop_reason = run_blocks(until); });
  return stop_reason;
}

core::ExitCode Session::end(const std::string& stop_reason) {
  auto exit_code = core::ExitCode::done;
  do_stage([&] { exit_code = finish(stop_reason); });
  return exit_code;
}

void Session::write_checkpoint(const std::filesystem::path& path) {
  do_stage([&] { save_checkpoint(path); });
}

std::string Session::run_blocks(std::int64_t until) {
  while (step() < until && !has_reached_goal()) {
    const auto border = std::min(next_block_end(), until);
    const auto decision = agree(border - step());
    if (decision.all_are_ready) continue_checkpoint();
    if (decision.checkpoint_due) save_checkpoint_in_background();
    if (decision.display_due) show_progress(false);
    if (!decision.stop_reason.empty()) return decision.stop_reason;
    advance_to(border);
    if (context_.communicator.is_root()) status_.report_progress(border);
    if (border < last_step_ && !silent_error_) rebalance();
    if (!silent_error_ || silent_error_->has_majority) handle_events();
    handle_silent_error();
    if (border < last_step_ &&
        setup::is_due(border, context_.settings.output.checkpoint_every_steps)) {
      save_checkpoint_in_background();
    }
  }
  return "";
}

BlockDecision Session::agree(std::int64_t next_steps) {
  const telemetry::PhaseSpan span(telemetry::Phase::other, step());
  comm::set_wait_phase("between blocks of steps", step());
  ClockState clocks;
  if (context_.communicator.is_root()) {
    clocks = pace_.read_clocks(next_steps, log_);
    clocks.ranks_join = more_ranks_.join(step(), last_step_, pace_, log_,
                                         [this](int ranks) { return step_time_ratio(ranks); });
  }
  const bool is_ready = pending_checkpoint_ && pending_checkpoint_->writing->is_ready();
  return agree_on_decision(context_.communicator, clocks, context_.time_limit, is_ready);
}

void Session::advance_to(std::int64_t border) {
  const auto begun = step();
  comm::set_wait_phase("in a block of steps", begun);
  try {
    const telemetry::PhaseSpan span(telemetry::Phase::steps, begun);
    clock_.begin_block();
    if (setup::is_due(begun, context_.settings.reliability.verify_every_steps)) {
      const status::RunningStatus::Phase phase(own_status(), status::verification_phase, begun);
      silent_error_ = advance_verified(border - begun);
    } else {
      advance(border - begun);
    }
    clock_.end_block(border - begun);
  } catch (const engine::ExplosionError& explosion) {
    throw engine::ExplosionError(std::string(explosion.what()) + save_last_good_state());
  }
}

/// Called after the events of the block's last step, so that a resume has nothing of it left to do.
/// Saves the verified state, and throws core::Failure, since the run must continue without the
/// device at fault. A single device continues after its first error, since its later computation
/// was right.
void Session::handle_silent_error() {
  const auto error = std::exchange(silent_error_, std::nullopt);
  if (!error) return;
  const int ranks = context_.communicator.size();
  const std::string description = describe_verification(*error);
  job::on_root(context_.communicator, [&] {
    status::append_incident(context_.paths.incidents(), core::Outcome::silent_error,
                            {{"step", error->last_step}}, error->suspect, description);
  });
  if (error->has_majority) save_checkpoint(context_.paths.checkpoint());
  if (ranks > 1 || !error->has_majority || verified().errors > 1) {
    throw core::Failure(
        description + "." + silent_error_remedy(*error, ranks, context_.paths.checkpoint()),
        core::Outcome::silent_error, core::Reach::all_ranks, error->suspect);
  }
  log_.note("WARNING: " + description +
            ". There is no other device: the run goes on from the verified state, and a second "
            "error ends it");
}

void Session::show_phase(const char* phase) {
  if (context_.communicator.is_root()) status_.begin_phase(phase, step());
}

void Session::show_progress(bool is_last) {
  const telemetry::PhaseSpan span(telemetry::Phase::output, step());
  comm::set_wait_phase("while results are gathered and written", step());
  telemetry::ProgressSample sample;
  describe_progress(sample);
  if (!is_last) devices_.gather(own_units());
  auto* const display = log_.display();
  if (display == nullptr) return;
  sample.step = step();
  sample.total_steps = last_step_;
  sample.time_step_ps = context_.settings.dynamics.time_step_ps;
  sample.seconds_per_step = clock_.median_seconds_per_step();
  sample.devices = devices_.readings();
  sample.unit_of_work = devices_.unit();
  if (is_last) {
    display->finish(sample);
  } else {
    display->update(sample);
  }
}

core::ExitCode Session::finish(const std::string& stop_reason) {
  save_checkpoint(context_.paths.checkpoint());
  const bool is_done = stop_reason.empty();
  const std::string done_reason =
      step() < last_step_ ? "converged before its last step" : "all steps done";
  const auto outcome = is_done ? core::Outcome::done : core::Outcome::stopped;
  // A session that ranks join resumes at once: its results are not needed yet.
  finish_files(stop_reason != job::join_stop_reason);
  job::on_root(context_.communicator, [&] {
    status::write_status(context_.paths.status(),
                         {outcome, step(), last_step_, is_done ? done_reason : stop_reason});
  });
  show_progress(true);
  log_.note(is_done ? fmt::format("done: step {} reached after {}, output in {}", step(),
                                  telemetry::format_duration(clock_.elapsed_seconds()),
                                  context_.paths.folder.string())
                    : stop_message(stop_reason, step(), last_step_));
  if (verified().blocks > 0) log_.note(describe_verification(verified(), step() - first_step_));
  log_speed();
  return core::to_exit_code(outcome);
}

}  // namespace nfold::common
