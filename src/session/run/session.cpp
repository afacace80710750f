// Reports, checkpoints, repartition and files of a session of one system.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/run/session.hpp"

#include <fmt/core.h>

#include <cmath>
#include <filesystem>
#include <utility>

#include "comm/waiting.hpp"
#include "core/telemetry/profiler.hpp"
#include "io/structure_files.hpp"
#include "io/trajectory.hpp"
#include "io/trajectory_export.hpp"
#include "session/job/collective_work.hpp"
#include "session/setup/report.hpp"

namespace nfold::run {

RunSession::RunSession(const common::SessionContext& context, engine::Engine& engine,
                       std::vector<double> speed)
    : Session(context, "residues", context.topology.residue_count()),
      engine_(engine),
      schedule_(context.settings, context.topology.residue_count()),
      repartition_(context.communicator, context_.settings, context_.topology, std::move(speed),
                   context.devices),
      verification_(context.communicator, context_.topology, time_step_ps()),
      observation_(context.communicator, context.settings, context.topology) {
  job::on_root(context_.communicator, [this] { open_files(); });
  for (const auto& note : observation_.notes()) log_.note(note);
  if (context_.checkpoint == nullptr) return;
  observation_.restore(context_.checkpoint->header.accumulators, "the checkpoint");
}

void RunSession::open_files() {
  setup::FileStart start;
  std::optional<std::int64_t> resumed_step;
  if (context_.checkpoint != nullptr) {
    const auto& header = context_.checkpoint->header;
    resumed_step = header.step;
    start = {true, header.step, setup::written_frames(header), setup::written_energy_rows(header)};
  }
  files_.emplace(context_.paths, context_.topology, context_.settings, start);
  for (const auto& note : files_->notes()) log_.note(note);
  balance_.emplace(context_.paths.balance(), resumed_step);
}

/// Text about the last good state, of which a failure must not hide the explosion.
std::string RunSession::save_last_good_state() {
  std::string message;
  try {
    save_checkpoint(context_.paths.explosion());
    message = fmt::format("; the last good state, step {}, is in {} and ends the trajectory",
                          step(), context_.paths.explosion().string());
    setup::PositionUse use;
    if (context_.communicator.is_root()) use.sink = files_->take_last_frame(step(), time_ps());
    const auto last = setup::make_report(engine_, context_.topology, time_step_ps(), use);
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

void RunSession::rebalance() {
  const telemetry::PhaseSpan span(telemetry::Phase::migrate, step());
  comm::set_wait_phase("while residues are shared out anew", step());
  const bool may_be_due =
      context_.communicator.size() > 1 && context_.settings.partition.rebalance_every_steps > 0;
  const status::RunningStatus::Phase phase(may_be_due ? own_status() : nullptr,
                                           status::repartition_phase, step());
  const auto result = repartition_.run_if_due(engine_);
  if (result.assessment) {
    job::on_root(context_.communicator,
                 [&] { balance_->write(*result.assessment, clock_.elapsed_seconds()); });
  }
  if (!result.log_line.empty()) log_.detail(result.log_line);
}

/// Reports the first state even if nothing is due.
void RunSession::handle_events() {
  const auto due = schedule_.at(step());
  const bool is_at_start = step() == first_step_;
  if (!due.report() && !is_at_start) return;
  const auto now = write_report(due, is_at_start);
  if (due.observables) {
    const telemetry::PhaseSpan span(telemetry::Phase::analysis, step());
    observation_.sample(now, engine_);
  }
  note_saturation(now);
}

/// Gathers the report of this state and writes what is due.
setup::Report RunSession::write_report(const setup::DueEvents& due, bool is_at_start) {
  const telemetry::PhaseSpan span(telemetry::Phase::output, step());
  comm::set_wait_phase("while results are gathered and written", step());
  setup::DueEvents files_due;
  setup::PositionUse use;
  if (context_.communicator.is_root()) {
    use.keeps = due.observables && observation_.needs_all_positions();
    files_due = is_at_start ? files_->missing_at_start(due) : due;
    use.sink = files_->take_frame(step(), time_ps(), files_due.trajectory);
  }
  auto now = setup::make_report(engine_, context_.topology, time_step_ps(), use);
  job::on_root(context_.communicator, [&] { files_->write(now, files_due); });
  return now;
}

void RunSession::note_saturation(const setup::Report& report) {
  if (!report.saturated || std::exchange(has_noted_saturation_, true)) return;
  log_.note(fmt::format(
      "energies or pressure of step {}: a term, a pair or a residue is beyond {:.0f} kJ/mol and "
      "counts for that much; totals with it are no measurement (start.minimise_steps removes "
      "overlaps)",
      report.step, engine::largest_counted_energy_kj_mol));
}

void RunSession::describe_progress(telemetry::ProgressSample& sample) {
  const auto now = setup::make_report(engine_, context_.topology, time_step_ps());
  note_saturation(now);
  sample.potential_kj_mol = now.energies.potential();
  sample.temperature_kelvin = now.energies.temperature_kelvin;
  if (std::isfinite(now.native_fraction)) sample.native_fraction = now.native_fraction;
  if (std::isfinite(now.rmsd_nm)) sample.rmsd_nm = now.rmsd_nm;
  sample.memory_bytes = context_.communicator.sum(engine_.statistics().memory_bytes);
}

common::CheckpointContent RunSession::checkpoint_content() {
  // Every rank receives the text of rank 0, which has the files.
  const auto& world = context_.communicator;
  const auto frames =
      job::text_from_root(world, [&] { return std::to_string(files_->frame_count()); });
  const auto rows = job::text_from_root(world, [&] { return std::to_string(files_->row_count()); });
  common::CheckpointContent content;
  content.header =
      setup::checkpoint_header(world, context_.settings, identity_, step(), frames, rows);
  content.header.provenance["skin_nm"] = fmt::format("{:.4g}", engine_.statistics().skin_nm);
  content.header.accumulators = observation_.saved();
  auto held = context_.settings.output.checkpoint_in_background
                  ? engine_.snapshot_state()
                  : engine::RowSnapshot{
                        [mine = engine_.owned_state()]() mutable { return std::move(mine); }};
  note_missing_headroom(held.had_capacity);
  content.fetch_rows = std::move(held.fetch);
  content.growing_files = {context_.paths.trajectory(), context_.paths.energies(),
                           context_.paths.balance()};
  return content;
}

void RunSession::note_missing_headroom(bool had_capacity) {
  const auto without = context_.communicator.sum(had_capacity ? 0 : 1);
  if (without == 0 || std::exchange(has_noted_missing_headroom_, true)) return;
  log_.note(fmt::format(
      "{} of {} GPUs have no room for a copy of the state: at a checkpoint steps wait until it has "
      "come to the host",
      without, context_.communicator.size()));
}

void RunSession::sync_files() {
  files_->sync();
  balance_->sync();
}

void RunSession::finish_files(bool with_results) {
  const telemetry::PhaseSpan span(telemetry::Phase::results, step());
  comm::set_wait_phase("while files are closed", step());
  // Rank 0 may copy a trajectory of any length.
  std::optional<comm::WaitingWithoutLimit> no_limit;
  const bool exports = context_.settings.output.dcd && with_results;
  if (exports) {
    no_limit.emplace();
    show_phase("exporting the trajectory");
  }
  job::on_root(context_.communicator, [&] {
    files_->close();
    if (exports) export_for_vmd();
  });
}

// Exports the whole H5MD file anew at each end of a session, so that a resume has nothing to
// truncate.
void RunSession::export_for_vmd() {
  if (!std::filesystem::exists(context_.paths.trajectory())) return;
  const io::TrajectoryReader trajectory(context_.paths.trajectory());
  io::write_psf(context_.paths.with(".psf"), trajectory.description());
  const auto warning = io::export_dcd(io::ExportedFrames(trajectory), context_.paths.with(".dcd"));
  if (!warning.empty()) log_.note(warning);
}

void RunSession::log_speed() {
  const double seconds_per_step = clock_.median_seconds_per_step();
  log_.detail(fmt::format("{} steps in this session, {:.3g} steps/s by the median",
                          step() - first_step_, seconds_per_step > 0 ? 1 / seconds_per_step : 0.0));
  const auto balance = describe(load_balance());
  if (!balance.empty()) log_.detail(balance);
}

}  // namespace nfold::run
