// End of a session of an ensemble: results, speed, the display.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include "comm/waiting.hpp"
#include "core/status/status_file.hpp"
#include "core/telemetry/profiler.hpp"
#include "replicas/side_by_side.hpp"
#include "session/ensemble/file.hpp"
#include "session/ensemble/session.hpp"
#include "session/job/collective_work.hpp"
#include "session/setup/sampling_record.hpp"

namespace nfold::ensemble {

core::ExitCode EnsembleSession::end(const std::string& stop_reason) {
  save_checkpoint();
  const bool done = stop_reason.empty();
  const bool goes_on =
      stop_reason == job::join_stop_reason;  // resumes at once; results are not needed
  const auto outcome = done ? core::Outcome::done : core::Outcome::stopped;
  const telemetry::PhaseSpan span(telemetry::Phase::analysis, step_);
  comm::set_wait_phase("while results are computed", step_);
  if (!goes_on) (void)observation_->totals();  // totals of all ranks, for rank 0
  {
    const comm::WaitingWithoutLimit no_limit;  // rank 0 may have many samples
    if (!goes_on) show_phase("computing the results");
    job::on_root(context_.communicator, [&] {
      trajectories_->close();
      if (!goes_on) write_results();
      status::write_status(context_.paths.status(),
                           {outcome, step_, context_.settings.dynamics.steps,
                            done ? "all steps done" : stop_reason});
    });
  }
  if (context_.communicator.is_root()) draw(true);
  log_.note(done ? fmt::format("done: step {} reached after {}, output in {}", step_,
                               telemetry::format_duration(clock_.elapsed_seconds()),
                               context_.paths.folder.string())
                 : job::stop_message(stop_reason, step_, context_.settings.dynamics.steps));
  report_speed();
  report_most_replicas();
  return core::to_exit_code(outcome);
}

/// Logs the most replicas of a rank, if replicas moved to it and its plan at the start was for
/// fewer.
void EnsembleSession::report_most_replicas() {
  const auto& communicator = context_.communicator;
  const auto most = communicator.max(most_replicas_);
  const auto evenly = (exchange_.replicas() + communicator.size() - 1) / communicator.size();
  if (most <= evenly) return;
  log_.detail(
      fmt::format("memory: the fullest rank has had {} replicas, with an even share of {}; what is "
                  "planned below is for these",
                  most, evenly));
}

void EnsembleSession::report_speed() {
  const auto steps = step_ - first_step_;
  const std::int64_t by_engine =
      context_.communicator.sum(previous_engine_steps_ + replicas_->steps_by_engine());
  if (by_engine > 0) {
    const double all = static_cast<double>(steps) * static_cast<double>(exchange_.replicas());
    log_.note(fmt::format(
        "{:.3g} % of the replicas' steps were computed once more by engines, one replica after "
        "another: the resident form could not vouch for their bits",
        100 * static_cast<double>(by_engine) / all));
  }
  if (verification_.work().blocks > 0)
    log_.note(job::describe_verification(verification_.work(), steps));
  const double seconds_per_step = clock_.median_seconds_per_step();
  if (seconds_per_step > 0) {
    log_.detail(
        fmt::format("{} steps of {} replicas in this session, {:.4g} million "
                    "replica-steps/s by the median",
                    steps, exchange_.replicas(), 1e-6 * exchange_.replicas() / seconds_per_step));
  }
}

void EnsembleSession::write_results() {
  EnsembleContents contents;
  replicas::run_on_side_thread([&] {
    contents = ensemble_contents({context_.settings, topology(), exchange_, step_, &*observation_},
                                 *samples_);
  });
  write_ensemble_file(contents, context_.paths.ensemble());
  for (const auto& line : contents.messages) log_.note(line);
  for (const auto& line : setup::record_means(context_.settings, contents.means)) {
    log_.detail(line);
  }
}

void EnsembleSession::draw(bool last) {
  auto* const display = log_.display();
  if (display == nullptr) return;
  telemetry::ProgressSample sample;
  sample.step = step_;
  sample.total_steps = context_.settings.dynamics.steps;
  sample.time_step_ps = context_.settings.dynamics.time_step_ps;
  sample.seconds_per_step = clock_.median_seconds_per_step();
  sample.devices = devices_.readings();
  sample.unit_of_work = devices_.unit();
  if (!latest_.replica.empty()) {
    double potential = 0, formed = 0;
    for (const auto& one : latest_.replica) {
      potential += one.potential_kj_mol;
      formed += one.formed_contacts;
    }
    const auto replicas = static_cast<double>(latest_.replica.size());
    const auto contacts = topology().contact_count();
    sample.potential_kj_mol = potential / replicas;
    if (contacts > 0) sample.native_fraction = formed / replicas / static_cast<double>(contacts);
  }
  if (last) {
    display->finish(sample);
  } else {
    display->update(sample);
  }
}

}  // namespace nfold::ensemble
