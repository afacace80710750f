// Results, speed and progress of a session of an ensemble.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <optional>
#include <utility>

#include "comm/waiting.hpp"
#include "core/telemetry/profiler.hpp"
#include "replicas/side_by_side.hpp"
#include "session/ensemble/file.hpp"
#include "session/ensemble/session.hpp"
#include "session/job/collective_work.hpp"
#include "session/setup/sampling_record.hpp"

namespace nfold::ensemble {

void EnsembleSession::finish_files(bool with_results) {
  const telemetry::PhaseSpan span(telemetry::Phase::results, step_);
  comm::set_wait_phase("while results are computed", step_);
  std::optional<analysis::ChainStatistics> chain;  // totals of all ranks, for rank 0
  if (with_results) (void)observation_->totals();
  if (with_results && chain_ && chain_->has_samples()) chain = chain_->totals();
  const comm::WaitingWithoutLimit no_limit;  // rank 0 may have many samples
  if (with_results) show_phase("computing the results");
  job::on_root(context_.communicator, [&] {
    trajectories_->close();
    if (with_results) write_results(chain);
  });
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

void EnsembleSession::log_speed() {
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
  const double seconds_per_step = clock_.median_seconds_per_step();
  if (seconds_per_step > 0) {
    log_.detail(
        fmt::format("{} steps of {} replicas in this session, {:.4g} million "
                    "replica-steps/s by the median",
                    steps, exchange_.replicas(), 1e-6 * exchange_.replicas() / seconds_per_step));
  }
  report_most_replicas();
}

/// chain: statistics of all ranks, if there are samples that count. All means then exclude the
/// equilibration that the chain shows.
void EnsembleSession::write_results(const std::optional<analysis::ChainStatistics>& chain) {
  EnsembleContents contents;
  replicas::run_on_side_thread([&] {
    auto settings = context_.settings;
    std::optional<ChainRadius> radius;
    if (chain) {
      radius = chain_->find_radius(*samples_);
      settings.ensemble.equilibration_steps = radius->first_step;
    }
    contents =
        ensemble_contents({settings, topology(), exchange_, step_, &*observation_}, *samples_);
    if (!chain) return;
    for (auto& line : add_chain_tables(topology(), settings, *radius, *chain, contents.tables)) {
      contents.messages.push_back(std::move(line));
    }
  });
  write_ensemble_file(contents, context_.paths.ensemble());
  for (const auto& line : contents.messages) log_.note(line);
  for (const auto& line : setup::record_means(context_.settings, contents.means)) {
    log_.detail(line);
  }
}

void EnsembleSession::describe_progress(telemetry::ProgressSample& sample) {
  if (latest_.replica.empty()) return;
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

}  // namespace nfold::ensemble
