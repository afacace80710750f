// Session loop: blocks, events, the agreement between blocks, the end.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/run/session.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "comm/waiting.hpp"
#include "core/status/status_file.hpp"
#include "core/telemetry/profiler.hpp"
#include "io/structure_files.hpp"
#include "io/trajectory.hpp"
#include "io/trajectory_export.hpp"
#include "session/job/collective_work.hpp"

namespace nfold::run {

Session::Session(const SessionContext& context, engine::Engine& engine, job::RunLog& log,
                 telemetry::StepClock& clock)
    : context_(context),
      engine_(engine),
      log_(log),
      clock_(clock),
      identity_(context.topology),
      pace_(clock, context.settings.output.checkpoint_every_minutes, context.time_limit_seconds),
      more_ranks_(context.join_query, clock),
      status_(context.paths.status(), context.settings.dynamics.steps),
      devices_(context.communicator, context.gpu, "residues"),
      schedule_(context.settings, context.topology.residue_count()),
      repartition_(context.communicator, context.settings, context.topology, context.speed,
                   context.devices),
      verification_(context.communicator, context.topology, context.settings.dynamics.time_step_ps),
      first_step_(engine.step()) {
  job::on_root(context_.communicator, [this] {
    files_.emplace(context_.paths, context_.topology, context_.settings, context_.start);
    for (const auto& note : files_->notes()) log_.note(note);
    balance_.emplace(context_.paths.balance(),
                     context_.start.continues ? std::optional(context_.start.step) : std::nullopt);
  });
  begin_observation();
}

void Session::begin_observation() {
  observation_.emplace(context_.communicator, context_.settings, context_.topology);
  for (const auto& note : observation_->notes()) log_.note(note);
  const auto* const before = context_.resumed_from;
  if (before != nullptr) observation_->restore(before->accumulators, "the checkpoint");
}

core::ExitCode Session::run() {
  try {
    return run_blocks();
  } catch (const std::exception& failure) {
    if (job::to_failure(failure).is_collective()) finish_checkpoint_after_failure();
    throw;
  }
}

core::ExitCode Session::run_blocks() {
  std::int64_t step = engine_.step();
  setup::DueEvents due = schedule_.at(step);
  job::on_root(context_.communicator, [&] { status_.write(step); });
  report(due, false);
  save_checkpoint(context_.paths.checkpoint());
  more_ranks_.begin(step);
  while (step < schedule_.last_step()) {
    const auto border = schedule_.next_block_end(step, repartition_.next_check(step));
    const auto decision = agree(border - step);
    if (decision.all_are_ready) continue_checkpoint();
    if (decision.checkpoint_due) save_checkpoint_in_background();
    if (decision.display_due) report({}, true);
    if (!decision.stop_reason.empty()) return end(decision.stop_reason);
    advance_to(border);
    step = border;
    if (context_.communicator.is_root()) status_.report_progress(step);
    if (step < schedule_.last_step() && !silent_error_) update_partition();
    due = schedule_.at(step);
    const bool is_trusted = !silent_error_ || silent_error_->has_majority;
    if (due.report() && is_trusted) report(due, false);
    handle_silent_error();
    if (due.checkpoint && step < schedule_.last_step()) save_checkpoint_in_background();
  }
  return end("");
}

void Session::update_partition() {
  const telemetry::PhaseSpan span(telemetry::Phase::migrate, engine_.step());
  comm::set_wait_phase("while residues are shared out anew", engine_.step());
  const bool may_be_due =
      context_.communicator.size() > 1 && context_.settings.partition.rebalance_every_steps > 0;
  const status::RunningStatus::Phase phase(may_be_due ? own_status() : nullptr,
                                           status::repartition_phase, engine_.step());
  const auto result = repartition_.run_if_due(engine_);
  if (result.assessment) {
    job::on_root(context_.communicator,
                 [&] { balance_->write(*result.assessment, clock_.elapsed_seconds()); });
  }
  if (!result.log_line.empty()) log_.detail(result.log_line);
}

void Session::advance_to(std::int64_t border) {
  const auto steps = border - engine_.step();
  comm::set_wait_phase("in a block of steps", engine_.step());
  try {
    const telemetry::PhaseSpan span(telemetry::Phase::steps, engine_.step());
    clock_.begin_block();
    advance(steps);
    clock_.end_block(steps);
  } catch (const engine::ExplosionError& explosion) {
    throw engine::ExplosionError(std::string(explosion.what()) + save_last_good_state());
  }
}

void Session::advance(std::int64_t steps) {
  if (!schedule_.is_verified(engine_.step())) return engine_.advance(steps);
  const status::RunningStatus::Phase phase(own_status(), status::verification_phase,
                                           engine_.step());
  silent_error_ = verification_.advance(engine_, steps);
}

/// Called after the report of the block's last step, so that a resume lacks nothing.
void Session::handle_silent_error() {
  if (!silent_error_) return;
  log_.note(job::handle_silent_error(context_.communicator, *silent_error_, verification_.work(),
                                     context_.paths,
                                     [this] { save_checkpoint(context_.paths.checkpoint()); }));
  silent_error_.reset();
}

void Session::report(const setup::DueEvents& due, bool display_due) {
  const telemetry::PhaseSpan span(telemetry::Phase::output, engine_.step());
  comm::set_wait_phase("while results are gathered and written", engine_.step());
  const double time_step_ps = context_.settings.dynamics.time_step_ps;
  const bool at_start = engine_.step() == first_step_;
  setup::DueEvents files_due;
  setup::PositionUse use;
  if (context_.communicator.is_root()) {
    use.keeps = due.observables && observation_->needs_all_positions();
    if (!display_due) files_due = at_start ? files_->missing_at_start(due) : due;
    use.sink = files_->take_frame(
        engine_.step(), static_cast<double>(engine_.step()) * time_step_ps, files_due.trajectory);
  }
  const setup::Report now = setup::make_report(engine_, context_.topology, time_step_ps, use);
  if (display_due) devices_.gather(engine_.statistics().owned, context_.topology.residue_count());
  memory_bytes_ = context_.communicator.sum(engine_.statistics().memory_bytes);
  job::on_root(context_.communicator, [&] {
    if (!display_due) files_->write(now, files_due);
  });
  if (due.observables) {
    const telemetry::PhaseSpan of_observables(telemetry::Phase::analysis, engine_.step());
    observation_->sample(now, engine_);
  }
  note_saturation(now);
  if (display_due && context_.communicator.is_root()) draw(now, false);
}

void Session::note_saturation(const setup::Report& report) {
  if (!report.saturated || has_noted_saturation_) return;
  has_noted_saturation_ = true;
  log_.note(fmt::format(
      "energies or pressure of step {}: a term, a pair or a residue is beyond {:.0f} kJ/mol and "
      "counts for that much; totals with it are no measurement (start.minimise_steps removes "
      "overlaps)",
      report.step, engine::largest_counted_energy_kj_mol));
}

job::BlockDecision Session::agree(std::int64_t next_steps) {
  const telemetry::PhaseSpan span(telemetry::Phase::other, engine_.step());
  comm::set_wait_phase("between blocks of steps", engine_.step());
  auto clocks =
      context_.communicator.is_root() ? pace_.read_clocks(next_steps, log_) : job::ClockState();
  if (context_.communicator.is_root()) {
    clocks.ranks_join = more_ranks_.join(
        engine_.step(), schedule_.last_step(), pace_, log_,
        [this](int ranks) { return static_cast<double>(context_.communicator.size()) / ranks; });
  }
  const bool is_ready = pending_checkpoint_ && pending_checkpoint_->writing->is_ready();
  return job::agree_on_decision(context_.communicator, clocks, context_.time_limit, is_ready);
}

void Session::show_phase(const char* phase) {
  if (context_.communicator.is_root()) status_.begin_phase(phase, engine_.step());
}

core::ExitCode Session::end(const std::string& stop_reason) {
  save_checkpoint(context_.paths.checkpoint());
  const bool done = stop_reason.empty();
  const bool goes_on =
      stop_reason ==
      job::join_stop_reason;  // resumes at once with more ranks; results are not needed yet
  const auto outcome = done ? core::Outcome::done : core::Outcome::stopped;
  const telemetry::PhaseSpan span(telemetry::Phase::output, engine_.step());
  comm::set_wait_phase("while files are closed", engine_.step());
  // Rank 0 may copy a trajectory of any length.
  std::optional<comm::WaitingWithoutLimit> no_limit;
  const bool exports = context_.settings.output.dcd && !goes_on;
  if (exports) {
    no_limit.emplace();
    show_phase("exporting the trajectory");
  }
  job::on_root(context_.communicator, [&] {
    files_->close();
    if (exports) export_for_vmd();
    status::write_status(context_.paths.status(), {outcome, engine_.step(), schedule_.last_step(),
                                                   done ? "all steps done" : stop_reason});
  });
  no_limit.reset();
  const setup::Report last =
      setup::make_report(engine_, context_.topology, context_.settings.dynamics.time_step_ps);
  if (context_.communicator.is_root()) draw(last, true);
  const double seconds = clock_.elapsed_seconds();
  log_.note(done ? fmt::format("done: step {} reached after {}, output in {}", engine_.step(),
                               telemetry::format_duration(seconds), context_.paths.folder.string())
                 : job::stop_message(stop_reason, engine_.step(), schedule_.last_step()));
  if (verification_.work().blocks > 0) {
    log_.note(job::describe_verification(verification_.work(), engine_.step() - first_step_));
  }
  log_.detail(fmt::format(
      "{} steps in this session, {:.3g} steps/s by the median", engine_.step() - first_step_,
      clock_.median_seconds_per_step() > 0 ? 1 / clock_.median_seconds_per_step() : 0.0));
  return core::to_exit_code(outcome);
}

// Exports the whole H5MD file anew at each end of a session, so that a resume has nothing to
// truncate.
void Session::export_for_vmd() {
  if (!std::filesystem::exists(context_.paths.trajectory())) return;
  const io::TrajectoryReader trajectory(context_.paths.trajectory());
  io::write_psf(context_.paths.with(".psf"), trajectory.description());
  const auto warning = io::export_dcd(trajectory, context_.paths.with(".dcd"));
  if (!warning.empty()) log_.note(warning);
}

void Session::draw(const setup::Report& report, bool last) {
  auto* const display = log_.display();
  if (display == nullptr) return;
  telemetry::ProgressSample sample;
  sample.step = engine_.step();
  sample.total_steps = schedule_.last_step();
  sample.time_step_ps = context_.settings.dynamics.time_step_ps;
  sample.seconds_per_step = clock_.median_seconds_per_step();
  sample.potential_kj_mol = report.energies.potential();
  sample.temperature_kelvin = report.energies.temperature_kelvin;
  if (std::isfinite(report.native_fraction)) sample.native_fraction = report.native_fraction;
  if (std::isfinite(report.rmsd_nm)) sample.rmsd_nm = report.rmsd_nm;
  sample.memory_bytes = memory_bytes_;
  sample.devices = devices_.readings();
  sample.unit_of_work = devices_.unit();
  if (last) {
    display->finish(sample);
  } else {
    display->update(sample);
  }
}

}  // namespace nfold::run
