// Session of an ensemble: blocks of steps, samples, exchanges, checkpoints.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/ensemble/session.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>

#include "comm/waiting.hpp"
#include "core/refusal.hpp"
#include "core/status/status_file.hpp"
#include "core/telemetry/profiler.hpp"
#include "device/compute_environment.hpp"
#include "device/hardware/processor_time.hpp"
#include "engine/engine.hpp"
#include "replicas/side_by_side.hpp"
#include "session/ensemble/file.hpp"
#include "session/ensemble/ladder.hpp"
#include "session/ensemble/memory.hpp"
#include "session/ensemble/replica_moves.hpp"
#include "session/job/collective_work.hpp"
#include "session/setup/checkpoint_header.hpp"
#include "session/setup/collective_variables.hpp"
#include "session/setup/schedule.hpp"
#include "session/setup/start_setup.hpp"
#include "session/setup/system_setup.hpp"

namespace nfold::ensemble {
namespace {

const std::string exchange_key = "ensemble.exchange", samples_key = "ensemble.samples";

// Steps times residues in some tenths of a second, the time between two checks of the signals.
constexpr std::int64_t residue_steps_on_cpu = 20'000'000, residue_steps_on_gpu = 10'000'000'000;

std::int64_t steps_between_checks(std::int64_t residues_of_a_rank) {
  const bool on_gpu = replicas::build_processor() == replicas::ReplicaProcessor::gpu;
  return std::clamp<std::int64_t>(
      (on_gpu ? residue_steps_on_gpu : residue_steps_on_cpu) / (residues_of_a_rank + 1), 10,
      100'000);
}

ensemble::StateExchange make_exchange(const EnsembleContext& context) {
  const auto& settings = context.settings;
  auto ladder = first_ladder(context.communicator, settings.ensemble, charge_model(context.system));
  // Tuning keeps the ends of a ladder, and thus the nodes between them.
  const thermodynamics::ScreeningNodes nodes(ladder,
                                             context.system.topology.electrostatics.cutoff_nm);
  return {std::move(ladder), settings.ensemble.ladders, settings.dynamics.seed, nodes};
}

}  // namespace

EnsembleSession::EnsembleSession(const EnsembleContext& context, job::RunLog& log,
                                 telemetry::StepClock& clock)
    : context_(context),
      log_(log),
      clock_(clock),
      pace_(clock, context.settings.output.checkpoint_every_minutes, context.time_limit_seconds),
      more_ranks_(context.join_query, clock),
      status_(context.paths.status(), context.settings.dynamics.steps),
      devices_(context.communicator, context.devices->own_gpu(), "replicas"),
      exchange_(make_exchange(context)),
      verification_(
          context.communicator, static_cast<int>(context.system.topology.residue_count()),
          [this](int of, const system::State& states) { return make_rank_set(of, states); }) {
  const std::int64_t all = exchange_.replicas();
  const int ranks = context.communicator.size();
  if (all < ranks) {
    core::refuse("ensemble", fmt::format("{} replicas on {} ranks", all, ranks),
                 "take no more ranks than replicas (mpirun -np N), or more ensemble.ladders");
  }
  if (context.checkpoint != nullptr) restore();
  prepare_observation();
  make_replicas();
  first_step_ = step_;
  most_steps_ = steps_between_checks(topology().residue_count() * all / ranks);
  job::on_root(context_.communicator, [&] {
    std::int64_t rows = 0;
    if (context_.checkpoint != nullptr) {
      rows = context_.checkpoint->header.accumulators.at(samples_key).at(0);
    }
    samples_.emplace(
        context_.paths.samples(),
        io::SampleFile::Extent{all, static_cast<std::int64_t>(exchange_.screening().size()),
                               std::ssize(replicas::sampled_columns(topology()))},
        rows);
  });
  trajectories_.emplace(context_.communicator, context_.paths, context_.settings, topology(),
                        context_.checkpoint != nullptr ? &context_.checkpoint->header : nullptr);
  for (const auto& note : trajectories_->notes()) log_.note(note);
}

void EnsembleSession::prepare_observation() {
  const auto& settings = context_.settings;
  const auto plan = own_plan();
  const int ranks = context_.communicator.size();
  const auto memory = rank_memory((exchange_.replicas() + ranks - 1) / ranks);
  log_.note(describe(memory, plan) + (ranks > 1 ? ", on each rank" : ""));
  refuse_absurd_counts(settings, memory, plan);
  require_memory(context_.communicator, *context_.devices, memory);
  balance_.emplace(make_balance(context_.communicator, *context_.devices, memory,
                                exchange_.replicas(), settings.devices.split));
  if (ranks > 1) log_.note(balance_->describe_shares());
  rank_exchange_.emplace(context_.communicator, exchange_, shares());
  observation_.emplace(context_.communicator, settings, topology(), exchange_.ladder());
  if (context_.checkpoint == nullptr) return;
  observation_->restore(context_.checkpoint->header.accumulators,
                        context_.checkpoint->read_from.string());
}

replicas::ObserverPlan EnsembleSession::own_plan() const {
  const auto& ranks = context_.communicator;
  return distribute_rows(observer_plan(context_.settings, topology(), exchange_.ladder()),
                         topology(), ranks.rank(), ranks.size());
}

EnsembleMemory EnsembleSession::rank_memory(std::int64_t replicas) const {
  const auto& settings = context_.settings;
  return ensemble_memory(
      settings, topology(), own_plan(),
      {replicas, device::thread_count(), exchange_.screening().kappa_per_nm(), [this] {
         return setup::start_at_rest(context_.settings, context_.input_file, topology(),
                                     context_.settings.dynamics.seed)
             .state;
       }});
}

device::MemoryEstimate EnsembleSession::planned_memory() const {
  return rank_memory(most_replicas_).arrays;
}

void EnsembleSession::restore() {
  const auto& header = context_.checkpoint->header;
  const auto exchange = header.accumulators.find(exchange_key);
  const auto samples = header.accumulators.find(samples_key);
  const auto refuse_checkpoint = [this](const std::string& problem) {
    core::refuse(context_.checkpoint->read_from.string(), problem,
                 "go on with the input that wrote it, or start anew by --overwrite");
  };
  if (exchange == header.accumulators.end() || samples == header.accumulators.end() ||
      samples->second.size() != 1) {
    refuse_checkpoint("is not of an ensemble");
  }
  try {
    exchange_.restore(exchange->second);
  } catch (const std::invalid_argument& error) {
    refuse_checkpoint(error.what());
  }
  step_ = header.step;
  checkpointed_step_ = step_;
}

engine::EngineSettings EnsembleSession::replica_engine_settings(
    const input::Settings& settings) const {
  auto of_engines = setup::engine_settings(settings);
  of_engines.devices = context_.devices;
  return of_engines;
}

replicas::ReplicaStart EnsembleSession::make_start(system::State state, int replica) const {
  replicas::ReplicaStart start;
  start.number = context_.settings.dynamics.replica + static_cast<std::uint32_t>(replica);
  start.thermodynamic = exchange_.replica_state(replica);
  start.state = std::move(state);
  return start;
}

replicas::ReplicaStart EnsembleSession::first_start(int replica) const {
  if (context_.checkpoint != nullptr) {
    return make_start(
        extract_replica(context_.checkpoint->state, replica, topology().residue_count()), replica);
  }
  auto start = make_start({}, replica);
  auto settings = context_.settings;
  if (settings.ensemble.starts == input::EnsembleStarts::both_ends) {
    settings.start.from = replica / exchange_.states() % 2 == 1 ? input::StartFrom::unfolded
                                                                : input::StartFrom::native;
  }
  // Each replica has coils and positions of its own: the seeds are far apart.
  const std::uint64_t seed =
      settings.dynamics.seed + 0x9E3779B97F4A7C15U * (std::uint64_t{start.number} + 1);
  auto first = setup::start_at_rest(settings, context_.input_file, topology(), seed);
  if (replica == 0) {
    for (const auto& note : first.notes) log_.note(note);
  }
  start.state = std::move(first.state);
  if (settings.start.minimise_steps > 0) {
    engine::Engine engine(comm::Communicator(), topology(), replica_engine_settings(settings),
                          std::move(start.state), std::vector<int>(topology().residues.size(), 0));
    const auto minimisation_note = setup::minimise_start(engine, settings.start);
    if (replica == 0) log_.note("replica 0: " + minimisation_note);
    start.state = engine.owned_state();
  }
  setup::draw_first_velocities(settings, topology(), start.thermodynamic.temperature_kelvin,
                               start.number, start.state);
  return start;
}

replicas::ReplicaSetOptions EnsembleSession::replica_set_options() const {
  return {.strongest_contacts = context_.settings.ensemble.strongest_contacts(),
          .umbrella = setup::umbrella_variable(context_.settings.ensemble, topology()),
          .kappa_per_nm = exchange_.screening().kappa_per_nm()};
}

/// Returns the starts of a rank's present replicas, from these rows.
std::vector<replicas::ReplicaStart> EnsembleSession::replica_starts(
    int rank, const system::State& states) const {
  std::vector<replicas::ReplicaStart> starts;
  const int first = shares().first_of(rank), count = shares().count_of(rank);
  const int residues = topology().residue_count();
  starts.reserve(static_cast<std::size_t>(count));
  for (int k = 0; k < count; ++k) {
    starts.push_back(make_start(extract_replica(states, k, residues), first + k));
  }
  return starts;
}

replicas::ReplicaSet EnsembleSession::make_rank_set(int rank, const system::State& states) const {
  return {topology(), replica_engine_settings(context_.settings), replica_starts(rank, states),
          replica_set_options()};
}

void EnsembleSession::make_replicas() {
  comm::set_wait_phase("while replicas are made", step_);
  std::vector<replicas::ReplicaStart> starts;
  starts.reserve(static_cast<std::size_t>(count()));
  // Each replica is placed with a seed of its own: placement may fail on one rank only.
  job::on_all(context_.communicator, [&] {
    for (int k = 0; k < count(); ++k) starts.push_back(first_start(first() + k));
  });
  make_set(starts);
  const auto ladder = describe(exchange_.ladder());
  const auto where = exchange_.states() == 1
                         ? " at " + ladder
                         : fmt::format(": {} ladder{} of {}", exchange_.ladders(),
                                       exchange_.ladders() == 1 ? "" : "s", ladder);
  const bool is_even = count() * context_.communicator.size() == exchange_.replicas();
  log_.note(fmt::format("{} replicas{}; {} on {}, {}", exchange_.replicas(), where, count(),
                        is_even ? "each rank" : "rank 0", replicas_->description()));
}

/// Replaces this rank's replicas.
void EnsembleSession::make_set(const std::vector<replicas::ReplicaStart>& starts) {
  const double began = context_.seconds();
  replicas_.emplace(topology(), replica_engine_settings(context_.settings), starts,
                    replica_set_options());
  making_seconds_ = context_.seconds() - began;
  most_replicas_ = std::max<std::int64_t>(most_replicas_, count());
  if (context_.communicator.size() == 1) return;  // no other rank to balance with
  balance_->set_costs(
      gather_cost_steps(context_.communicator, replicas_->cost_steps(exchange_.replicas())));
}

std::int64_t EnsembleSession::next_block_end() const {
  const auto& settings = context_.settings;
  std::int64_t border = std::min(settings.dynamics.steps, step_ + most_steps_);
  for (const auto every :
       {settings.ensemble.exchange_every_steps, settings.ensemble.sample_every_steps,
        settings.output.checkpoint_every_steps, trajectories_->every_steps()}) {
    if (every > 0) border = std::min(border, setup::next_multiple(step_, every));
  }
  const auto verify_every = settings.reliability.verify_every_steps;
  if (verify_every > 0) border = std::min(border, setup::next_multiple(step_, verify_every));
  const auto verified = setup::verified_steps(step_, border, verify_every);
  if (verified > 0) border = step_ + verified;
  return border;
}

core::ExitCode EnsembleSession::run() {
  const auto last = context_.settings.dynamics.steps;
  job::on_root(context_.communicator, [&] { status_.write(step_); });
  if (context_.checkpoint == nullptr) {
    handle_events();
    save_checkpoint();
  }
  more_ranks_.begin(step_);
  while (step_ < last) {
    const auto border = next_block_end();
    const auto decision = agree(border - step_);
    if (decision.checkpoint_due) save_checkpoint();
    if (decision.display_due) {
      devices_.gather(count(), exchange_.replicas());
      draw(false);
    }
    if (!decision.stop_reason.empty()) return end(decision.stop_reason);
    advance_to(border);
    if (context_.communicator.is_root()) status_.report_progress(step_);
    if (!silent_error_ || silent_error_->has_majority) handle_events();
    handle_silent_error();
    if (setup::is_due(step_, context_.settings.output.checkpoint_every_steps) && step_ < last)
      save_checkpoint();
    if (step_ < last) balance_replicas();
  }
  return end("");
}

job::BlockDecision EnsembleSession::agree(std::int64_t next_steps) {
  const telemetry::PhaseSpan span(telemetry::Phase::other, step_);
  comm::set_wait_phase("between blocks of steps", step_);
  auto clocks =
      context_.communicator.is_root() ? pace_.read_clocks(next_steps, log_) : job::ClockState();
  if (context_.communicator.is_root()) {
    clocks.ranks_join = more_ranks_.join(step_, context_.settings.dynamics.steps, pace_, log_,
                                         [this](int ranks) { return step_time_ratio(ranks); });
  }
  return job::agree_on_decision(context_.communicator, clocks, context_.time_limit);
}

/// Returns the time of a step with the replicas on so many ranks like this one, relative to the
/// present time.
double EnsembleSession::step_time_ratio(int ranks) const {
  const auto counts = shares().counts();
  const int all = exchange_.replicas();
  const auto most = static_cast<int>(*std::max_element(counts.begin(), counts.end()));
  return replicas_->relative_cost((all + ranks - 1) / ranks) / replicas_->relative_cost(most);
}

void EnsembleSession::advance_to(std::int64_t border) {
  const telemetry::PhaseSpan span(telemetry::Phase::steps, step_);
  comm::set_wait_phase("in a block of steps", step_);
  std::string problem;
  clock_.begin_block();
  const hardware::ProcessTimer own;
  const bool is_verified = setup::is_due(step_, context_.settings.reliability.verify_every_steps);
  try {
    if (is_verified) {
      rank_exchange_->make_whole();  // replicas of other ranks are recomputed in their states
      const status::RunningStatus::Phase phase(own_status(), status::verification_phase, step_);
      silent_error_ = verification_.advance(replicas_, border - step_, problem);
    } else {
      const telemetry::ActiveProfiler none(
          nullptr);  // no profiling: replicas take turns on threads
      const double began = context_.seconds();
      replicas_->advance(border - step_);
      busy_seconds_ += context_.seconds() - began;
      busy_steps_ += border - step_;
    }
  } catch (const engine::ExplosionError& error) {
    problem = error.what();
  }
  const auto& world = context_.communicator;
  const auto failed = world.min(problem.empty() ? world.size() : world.rank());
  if (failed < world.size()) {
    throw engine::ExplosionError(
        world.broadcast(problem, static_cast<int>(failed)) +
        fmt::format("; the checkpoint of step {} is the last of this ensemble",
                    checkpointed_step_));
  }
  clock_.end_block(border - step_);
  if (!is_verified) {
    taken_.steps += border - step_;
    taken_.seconds += own.seconds(setup::is_single_threaded(context_.communicator.size()));
  }
  step_ = border;
}

/// Called after the events of the block's last step, so that a resume has nothing of it left to do.
void EnsembleSession::handle_silent_error() {
  if (!silent_error_) return;
  log_.note(job::handle_silent_error(context_.communicator, *silent_error_, verification_.work(),
                                     context_.paths, [this] { save_checkpoint(); }));
  silent_error_.reset();
}

void EnsembleSession::handle_events() {
  const auto& settings = context_.settings.ensemble;
  const bool samples = setup::is_due(step_, settings.sample_every_steps);
  const bool trades = setup::is_due(step_, settings.exchange_every_steps) && step_ > 0;
  const bool frames = setup::is_due(step_, trajectories_->every_steps());
  if (!samples && !trades && !frames) return;
  const telemetry::PhaseSpan span(telemetry::Phase::output, step_);
  const auto mine = own_samples();
  if (samples) take_samples(mine);
  if (frames) {
    comm::set_wait_phase("while frames are gathered and written", step_);
    trajectories_->write({step_, *replicas_, first(), mine.replica, exchange_.ladder()});
  }
  if (trades) exchange(mine);
}

/// Returns samples of this rank's replicas as they are now.
io::SampleRow EnsembleSession::own_samples() {
  const telemetry::PhaseSpan span(telemetry::Phase::analysis, step_);
  io::SampleRow mine;
  mine.step = step_;
  mine.replica.reserve(static_cast<std::size_t>(count()));
  for (const auto& one : replicas_->energies()) {
    const auto replica = static_cast<std::size_t>(first()) + mine.replica.size();
    mine.replica.push_back(
        {one.energies.potential(), one.energies.contact_at_full_strength, one.umbrella_variable_nm,
         static_cast<std::int32_t>(one.formed_contacts), exchange_.state_indices()[replica]});
    mine.quantities.insert(mine.quantities.end(), one.quantities.begin(), one.quantities.end());
    mine.screened.insert(mine.screened.end(), one.screened.begin(), one.screened.end());
  }
  return mine;
}

void EnsembleSession::take_samples(const io::SampleRow& mine) {
  const telemetry::PhaseSpan span(telemetry::Phase::analysis, step_);
  comm::set_wait_phase("while samples are gathered", step_);
  const auto& communicator = context_.communicator;
  latest_.step = step_;
  latest_.replica = communicator.gather(std::span<const io::ReplicaSample>(mine.replica));
  latest_.quantities = communicator.gather(std::span<const double>(mine.quantities));
  if (exchange_.screening().size() > 0) {
    latest_.screened = communicator.gather(std::span<const double>(mine.screened));
  }
  observation_->sample(step_, *replicas_, mine.replica);
  job::on_root(communicator, [this] { samples_->append(latest_); });
}

void EnsembleSession::exchange(const io::SampleRow& mine) {
  const telemetry::PhaseSpan span(telemetry::Phase::exchange, step_);
  comm::set_wait_phase("while states are exchanged", step_);
  rank_exchange_->attempt(mine);
  if (is_tuning_step(context_.settings.ensemble, step_)) {
    rank_exchange_->make_whole();
    log_.note(tune_ladder(context_.communicator, step_, charge_model(context_.system), exchange_));
  }
  std::vector<system::ThermodynamicState> states;
  states.reserve(static_cast<std::size_t>(count()));
  for (int k = 0; k < count(); ++k) states.push_back(exchange_.replica_state(first() + k));
  replicas_->set_states(states);
}

/// Called between events, so that the assignment of replicas changes nothing that is counted or
/// written.
void EnsembleSession::balance_replicas() {
  const auto& communicator = context_.communicator;
  if (communicator.size() == 1) return;
  const telemetry::PhaseSpan span(telemetry::Phase::migrate, step_);
  comm::set_wait_phase("while times are compared", step_);
  const std::array<double, 2> mine{std::exchange(busy_seconds_, 0), making_seconds_};
  std::vector<double> busy_seconds;
  double move_seconds = 0;
  for (const auto& [busy, making] :
       communicator.all_gather(std::span<const std::array<double, 2>>(&mine, 1))) {
    busy_seconds.push_back(busy);
    move_seconds = std::max(move_seconds, making);
  }
  const auto before = shares();
  const auto reason = balance_->rebalance({busy_seconds, std::exchange(busy_steps_, 0),
                                           context_.settings.dynamics.steps - step_, move_seconds});
  if (reason.empty()) return;
  log_.note(fmt::format("step {}: {}", step_, reason));
  rank_exchange_->share(shares());
  move_replicas(before);
}

void EnsembleSession::move_replicas(const ReplicaShares& before) {
  comm::set_wait_phase("while replicas move to other ranks", step_);
  const status::RunningStatus::Phase phase(own_status(), status::repartition_phase, step_);
  const int residues = topology().residue_count();
  const auto mine =
      move_rows(context_.communicator, replicas_->states(), before, shares(), residues);
  previous_engine_steps_ += replicas_->steps_by_engine();
  replicas_.reset();  // frees its memory for the next set
  make_set(replica_starts(context_.communicator.rank(), mine));
}

void EnsembleSession::save_checkpoint() {
  if (checkpointed_step_ == step_) return;
  const telemetry::PhaseSpan span(telemetry::Phase::checkpoint, step_);
  comm::set_wait_phase("while a checkpoint is written", step_);
  if (!pace_.is_fast()) show_phase("writing a checkpoint");
  pace_.begin();
  const auto rows = std::stoll(job::text_from_root(context_.communicator, [&] {
    samples_->sync();
    return std::to_string(samples_->rows());
  }));
  const auto frames =
      job::text_from_root(context_.communicator, [this] { return trajectories_->sync(); });
  auto header = setup::checkpoint_header(context_.communicator, context_.settings,
                                         setup::SystemIdentity(topology()), step_, frames);
  const std::int64_t residues = topology().residue_count();
  header.residue_count = residues * exchange_.replicas();
  rank_exchange_->make_whole();
  header.accumulators[exchange_key] = exchange_.saved();
  header.accumulators[samples_key] = {rows};
  observation_->save(header.accumulators);
  auto mine = replicas_->states();
  for (int& id : mine.id) id += static_cast<int>(residues * first());
  io::write_checkpoint(context_.communicator, context_.paths.checkpoint(), header, mine);
  checkpointed_step_ = step_;
  pace_.end();
  job::on_root(context_.communicator, [this] { status_.write(step_); });
  log_.detail(fmt::format("checkpoint at step {}", step_));
}

void EnsembleSession::show_phase(const char* phase) {
  if (context_.communicator.is_root()) status_.begin_phase(phase, step_);
}

}  // namespace nfold::ensemble
