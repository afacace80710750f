// Session of an ensemble: blocks of steps, samples, exchanges, checkpoints.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/ensemble/session.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>
#include <utility>

#include "comm/waiting.hpp"
#include "core/refusal.hpp"
#include "core/telemetry/profiler.hpp"
#include "core/text.hpp"
#include "device/compute_environment.hpp"
#include "device/device_memory.hpp"
#include "device/hardware/processor_time.hpp"
#include "session/ensemble/first_replicas.hpp"
#include "session/ensemble/ladder.hpp"
#include "session/ensemble/replica_moves.hpp"
#include "session/job/collective_work.hpp"
#include "session/setup/memory_placement.hpp"
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

ensemble::StateExchange make_exchange(const common::SessionContext& context,
                                      const setup::SystemSetup& system) {
  const auto& settings = context.settings;
  auto ladder = first_ladder(context.communicator, settings.ensemble, charge_model(system));
  // Tuning keeps the ends of a ladder, and thus the nodes between them.
  const thermodynamics::ScreeningNodes nodes(ladder, context.topology.electrostatics.cutoff_nm);
  return {std::move(ladder), settings.ensemble.ladders, settings.dynamics.seed, nodes};
}

}  // namespace

EnsembleSession::EnsembleSession(const common::SessionContext& context,
                                 const setup::SystemSetup& system, std::filesystem::path input_file,
                                 telemetry::SecondsClock seconds)
    : Session(context, "replicas", context.settings.ensemble.replicas()),
      system_(system),
      input_file_(std::move(input_file)),
      seconds_(std::move(seconds)),
      exchange_(make_exchange(context, system)),
      verification_(
          context.communicator, context.topology.residue_count(),
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
  auto memory = rank_memory((exchange_.replicas() + ranks - 1) / ranks);
  log_.note(describe(memory, plan) + (ranks > 1 ? ", on each rank" : ""));
  refuse_absurd_counts(settings, memory, plan);
  const auto placement =
      setup::place_arrays(context_.communicator, *context_.devices, memory.arrays);
  if (!placement.message.empty()) log_.note(placement.message);
  // Replicas go from rank to rank, so their arrays stand at the same place on all of them.
  moved_uses_ = static_cast<std::size_t>(
      context_.communicator.max(static_cast<std::int64_t>(placement.moved_uses)));
  device::set_moved_uses(moved_uses_);
  memory = memory.with_moved(moved_uses_);
  require_memory(context_.communicator, *context_.devices, memory);
  balance_.emplace(make_balance(context_.communicator, *context_.devices, memory,
                                exchange_.replicas(), settings.devices.split));
  if (ranks > 1) log_.note(balance_->describe_shares());
  rank_exchange_.emplace(context_.communicator, exchange_, shares());
  observation_.emplace(context_.communicator, settings, topology(), exchange_.ladder());
  if (settings.ensemble.analysis.chain) {
    chain_.emplace(context_.communicator, settings, topology());
  }
  if (context_.checkpoint == nullptr) return;
  const auto& accumulators = context_.checkpoint->header.accumulators;
  const auto where = context_.checkpoint->read_from.string();
  observation_->restore(accumulators, where);
  if (chain_) chain_->restore(accumulators, where);
}

replicas::ObserverPlan EnsembleSession::own_plan() const {
  const auto& ranks = context_.communicator;
  return distribute_rows(observer_plan(context_.settings, topology(), exchange_.ladder()),
                         topology(), ranks.rank(), ranks.size());
}

EnsembleMemory EnsembleSession::rank_memory(std::int64_t replicas) const {
  const auto& settings = context_.settings;
  return ensemble_memory(settings, topology(), own_plan(),
                         {replicas, device::thread_count(), exchange_.screening().kappa_per_nm(),
                          device::computes_on_gpu(), [this] {
                            return setup::start_at_rest(context_.settings, input_file_, topology(),
                                                        context_.settings.dynamics.seed)
                                .state;
                          }});
}

device::MemoryEstimate EnsembleSession::planned_memory() const {
  return rank_memory(most_replicas_).arrays.with_moved(moved_uses_);
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

replicas::ReplicaStart EnsembleSession::first_start(int replica) {
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
  auto first = setup::start_at_rest(settings, input_file_, topology(), seed);
  if (replica == 0) {
    for (const auto& note : first.notes) log_.note(note);
  }
  start.state = std::move(first.state);
  if (settings.start.minimise_steps > 0) {
    const double began = seconds_();
    engine::Engine engine(comm::Communicator(), topology(), replica_engine_settings(settings),
                          std::move(start.state), std::vector<int>(topology().residues.size(), 0));
    const auto minimisation_note = setup::minimise_start(engine, settings.start);
    if (replica == 0) log_.note("replica 0: " + minimisation_note);
    start.state = engine.owned_state();
    minimising_seconds_ += seconds_() - began;
  }
  setup::draw_first_velocities(settings, topology(), start.thermodynamic.temperature_kelvin,
                               start.number, start.state);
  return start;
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
  return make_replica_set(replica_starts(rank, states));
}

replicas::ReplicaSet EnsembleSession::make_replica_set(
    const std::vector<replicas::ReplicaStart>& starts) const {
  return {topology(), replica_engine_settings(context_.settings), starts,
          replica_set_options(context_.settings, topology(), exchange_.screening().kappa_per_nm())};
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
  const auto where =
      exchange_.states() == 1
          ? " at " + ladder
          : fmt::format(": {} of {}", core::pluralise(exchange_.ladders(), "ladder"), ladder);
  const bool is_even = count() * context_.communicator.size() == exchange_.replicas();
  log_.note(fmt::format("{} replicas{}; {} on {}, {}", exchange_.replicas(), where, count(),
                        is_even ? "each rank" : "rank 0", replicas_->description()));
}

/// Replaces this rank's replicas.
void EnsembleSession::make_set(const std::vector<replicas::ReplicaStart>& starts) {
  const double began = seconds_();
  replicas_.emplace(make_replica_set(starts));
  making_seconds_ = seconds_() - began;
  most_replicas_ = std::max<std::int64_t>(most_replicas_, count());
  if (context_.communicator.size() == 1) return;  // no other rank to balance with
  balance_->set_costs(
      gather_cost_steps(context_.communicator, replicas_->cost_steps(exchange_.replicas())));
}

std::int64_t EnsembleSession::next_block_end() const {
  const auto& settings = context_.settings;
  return setup::block_end(
      step_, std::min(settings.dynamics.steps, step_ + most_steps_),
      {settings.ensemble.exchange_every_steps, settings.ensemble.sample_every_steps,
       settings.output.checkpoint_every_steps, trajectories_->every_steps()},
      settings.reliability.verify_every_steps);
}

/// Assumes ranks like this one.
double EnsembleSession::step_time_ratio(int ranks) const {
  const auto counts = shares().counts();
  const int all = exchange_.replicas();
  const auto most = static_cast<int>(*std::max_element(counts.begin(), counts.end()));
  return replicas_->relative_cost((all + ranks - 1) / ranks) / replicas_->relative_cost(most);
}

void EnsembleSession::advance(std::int64_t steps) {
  const hardware::ProcessTimer own;
  compute(steps, [&] {
    const telemetry::ActiveProfiler none(nullptr);  // no profiling: replicas take turns on threads
    const double began = seconds_();
    replicas_->advance(steps);
    busy_seconds_ += seconds_() - began;
    busy_steps_ += steps;
  });
  taken_.steps += steps;
  taken_.seconds += own.seconds(setup::is_single_threaded(context_.communicator.size()));
}

std::optional<common::SilentError> EnsembleSession::advance_verified(std::int64_t steps) {
  rank_exchange_->make_whole();  // replicas of other ranks are recomputed in their states
  std::optional<common::SilentError> error;
  compute(steps, [&] { error = verification_.advance(replicas_, steps); });
  return error;
}

/// Advances this rank's replicas by `action`. An explosion on any rank is one of all ranks.
void EnsembleSession::compute(std::int64_t steps, const std::function<void()>& action) {
  std::string problem;
  try {
    action();
  } catch (const engine::ExplosionError& error) {
    problem = error.what();
  }
  const auto& world = context_.communicator;
  const auto failed = static_cast<int>(world.min(problem.empty() ? world.size() : world.rank()));
  if (failed < world.size()) throw engine::ExplosionError(world.broadcast(problem, failed));
  step_ += steps;
}

/// Waits for a pending checkpoint, so that the last one is known.
std::string EnsembleSession::save_last_good_state() {
  const auto problem = finish_checkpoint_after_failure();
  if (problem.empty()) {
    return fmt::format("; the checkpoint of step {} is the last of this ensemble",
                       checkpointed_step_);
  }
  return fmt::format("; the checkpoint of step {} could not be saved whole: {}", checkpointed_step_,
                     problem);
}

/// A resumed session has no events at its first step: the checkpoint followed them.
void EnsembleSession::handle_events() {
  const auto& settings = context_.settings.ensemble;
  const bool is_resumed = context_.checkpoint != nullptr && step_ == first_step_;
  const bool samples = setup::is_due(step_, settings.sample_every_steps);
  const bool trades = setup::is_due(step_, settings.exchange_every_steps) && step_ > 0;
  const bool frames = trajectories_->every_steps() > 0 && context_.settings.output.has_frame(step_);
  if (is_resumed || (!samples && !trades && !frames)) return;
  const telemetry::PhaseSpan span(telemetry::Phase::output, step_);
  const auto mine = own_samples();
  if (samples) take_samples(mine);
  if (frames) {
    const telemetry::PhaseSpan of_frames(telemetry::Phase::frames, step_);
    comm::set_wait_phase("while frames are gathered and written", step_);
    trajectories_->write({step_, *replicas_, first(), mine.replica, exchange_.ladder()});
  }
  if (trades) exchange(mine);
}

/// Decided from the samples alone, so that a resumed session ends at the same step.
bool EnsembleSession::has_reached_goal() {
  if (!chain_ || !chain_->is_decision_due(step_)) return false;
  const telemetry::PhaseSpan span(telemetry::Phase::analysis, step_);
  bool is_converged = false;
  job::on_root(context_.communicator, [&] { is_converged = chain_->is_converged(*samples_); });
  return context_.communicator.any(is_converged);
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
  if (chain_) chain_->sample(step_, *replicas_, first());
  job::on_root(communicator, [this] { samples_->append(latest_); });
}

void EnsembleSession::exchange(const io::SampleRow& mine) {
  const telemetry::PhaseSpan span(telemetry::Phase::exchange, step_);
  comm::set_wait_phase("while states are exchanged", step_);
  rank_exchange_->attempt(mine);
  if (is_tuning_step(context_.settings.ensemble, step_)) {
    rank_exchange_->make_whole();
    log_.note(tune_ladder(context_.communicator, step_, charge_model(system_), exchange_));
  }
  std::vector<system::ThermodynamicState> states;
  states.reserve(static_cast<std::size_t>(count()));
  for (int k = 0; k < count(); ++k) states.push_back(exchange_.replica_state(first() + k));
  replicas_->set_states(states);
}

/// Called between blocks and events, so that the assignment of replicas changes nothing that is
/// counted or written.
void EnsembleSession::rebalance() {
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

common::CheckpointContent EnsembleSession::checkpoint_content() {
  const auto& world = context_.communicator;
  const auto rows =
      std::stoll(job::text_from_root(world, [&] { return std::to_string(samples_->rows()); }));
  const auto frames = job::text_from_root(world, [&] { return trajectories_->counts(); });
  common::CheckpointContent content;
  content.header = setup::checkpoint_header(world, context_.settings, identity_, step_, frames);
  const std::int64_t residues = topology().residue_count();
  content.header.residue_count = residues * exchange_.replicas();
  rank_exchange_->make_whole();
  content.header.accumulators[exchange_key] = exchange_.saved();
  content.header.accumulators[samples_key] = {rows};
  observation_->save(content.header.accumulators);
  if (chain_) chain_->save(content.header.accumulators);
  auto mine = replicas_->states();
  for (int& id : mine.id) id += static_cast<int>(residues * first());
  content.fetch_rows = [mine = std::move(mine)]() mutable { return std::move(mine); };
  content.growing_files = {context_.paths.samples()};
  for (const auto replica : context_.settings.ensemble.trajectory_replicas) {
    content.growing_files.push_back(context_.paths.replica_trajectory(replica));
    content.growing_files.push_back(context_.paths.replica_table(replica));
  }
  return content;
}

void EnsembleSession::sync_files() {
  samples_->sync();
  trajectories_->sync();
}

}  // namespace nfold::ensemble
