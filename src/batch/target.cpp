// Runs of one target, attempts with a smaller time step, and handling of failures.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <system_error>

#include "batch/chain_result.hpp"
#include "batch/folding_result.hpp"
#include "batch/phase_result.hpp"
#include "batch/target_files.hpp"
#include "batch/target_record.hpp"
#include "batch/withdrawal.hpp"
#include "comm/waiting.hpp"
#include "core/exit_code.hpp"
#include "core/status/status_file.hpp"
#include "core/storage/atomic_file.hpp"
#include "core/telemetry/profiler.hpp"
#include "input/input.hpp"
#include "input/named_files.hpp"
#include "io/tables_file.hpp"
#include "replicas/side_by_side.hpp"
#include "session/job/collective_work.hpp"
#include "session/job/failure.hpp"
#include "session/job/output_folder.hpp"
#include "session/job/run_options.hpp"
#include "session/run/simulation.hpp"
#include "session/setup/prepared_input.hpp"

namespace nfold::batch {
namespace {

using ensemble::Stage;
using ensemble::StageParameters;

/// Execution of one target.
class TargetRun {
 public:
  TargetRun(const BatchContext& context, const input::BatchTarget& target,
            const PlannedTarget& planned, const comm::Communicator& group, RankUse rank_use,
            const job::JoinQuery& query_join, std::optional<core::Failure>& device_failure)
      : context_(context),
        target_(target),
        decision_(planned.decision),
        group_(group),
        rank_use_(rank_use),
        query_join_(query_join),
        device_failure_(device_failure),
        record_(context, planned.size.work, group.size()) {}

  TargetOutcome run() {
    for (int attempt = first_attempt();; ++attempt) {
      try {
        return run_attempt(attempt);
      } catch (const std::exception& error) {
        const auto failure = job::to_failure(error);
        if (failure.outcome() == core::Outcome::explosion) {
          if (attempt == most_attempts) {
            return fail(fmt::format("{} (in {} attempts, the last with 1/{} of the time step)",
                                    failure.what(), attempt, 1 << (attempt - 1)));
          }
          note_explosion(attempt, failure.what());
          continue;
        }
        device_failure_ = find_device_failure(error, group_);
        if (device_failure_) return TargetOutcome::handed_back;
        if (!is_target_fault(error, group_)) throw;
        if (rank_use_ == RankUse::shared) return TargetOutcome::retry_alone;
        return fail(failure.what());
      }
    }
  }

 private:
  [[nodiscard]] bool is_alone() const { return rank_use_ == RankUse::alone; }
  [[nodiscard]] std::filesystem::path explosion_note(int attempt) const {
    return context_.folder.attempt(target_.name, attempt) / "exploded.txt";
  }
  [[nodiscard]] int first_attempt() const {
    int attempt = 1;
    while (attempt < most_attempts && std::filesystem::exists(explosion_note(attempt))) ++attempt;
    return static_cast<int>(group_.max(attempt));
  }
  void note_explosion(int attempt, const std::string& reason) const {
    job::on_root(group_,
                 [&] { storage::write_file_atomically(explosion_note(attempt), reason + "\n"); });
  }

  TargetOutcome fail(const std::string& reason) const {
    job::on_root(group_, [&] { context_.record_failure(target_.name, attempt_, reason); });
    return TargetOutcome::failed;
  }

  TargetOutcome run_attempt(int attempt) {
    attempt_ = attempt;
    const auto input = begin_attempt();
    protocol_ = input.protocol;
    row_ = {};
    found_ = {};
    row_.set("target", target_.name);
    row_.set("attempts", std::to_string(attempt));
    row_.set("space", estimate::backend_name(*decision_.space));
    switch (input.protocol) {
      case input::Protocol::folding:
        return fold(input);
      case input::Protocol::chain:
        return sample_chain(input);
      case input::Protocol::phase:
        return sample_phases(input);
      case input::Protocol::run:
        break;
    }
    return run_once(input);
  }

  input::TargetInput begin_attempt() {
    const telemetry::PhaseSpan span(telemetry::Phase::start);
    job::on_root(group_, [&] {
      job::make_output_folder(folder());
      write_backend(context_.folder, target_.name, decision_);
    });
    input::TargetInput input;
    job::on_all(group_, [&] { input = input::read_target_input(context_.list, target_); });
    return input;
  }

  TargetOutcome run_once(const input::TargetInput& input) {
    const auto settings = in_this_attempt(input, first_settings(input, overrides()));
    if (!run_stage("run", 0, settings)) return end_of_stop();
    row_.set("protocol", "run");
    row_.set("verdict", "done");
    describe(settings, system_of(settings, "run"));
    return finish({"run"});
  }

  TargetOutcome sample_chain(const input::TargetInput& input) {
    // Built for its size; the run builds it again.
    const auto system =
        system_of(in_this_attempt(input, first_settings(input, overrides())), "chain");
    const auto settings =
        in_this_attempt(input, chain_settings(input, overrides(), system.topology.residue_count()));
    if (!run_stage("chain", 0, settings)) return end_of_stop();
    row_.set("protocol", "chain");
    describe(settings, system);
    const telemetry::PhaseSpan span(telemetry::Phase::analysis);
    job::on_root(group_, [&] {
      const auto end = status::read_status(stage_paths("chain").status());
      read_chain(tables_file("chain"), settings, end ? end->step : 0, row_);
    });
    const auto outcome = finish({"chain"});
    // Thousands of chains would leave ten files each that nobody has asked for.
    if (settings.ensemble.trajectory_replicas.empty()) {
      job::on_root(group_, [&] {
        std::error_code error;  // files that stay are no fault of a finished target
        std::filesystem::remove_all(stage_paths("chain").folder, error);
      });
    }
    return outcome;
  }

  /// Runs a slab, and larger ones while the profile shows that they are needed.
  TargetOutcome sample_phases(const input::TargetInput& input) {
    auto settings = in_this_attempt(input, first_settings(input, overrides()));
    std::string stage = "slab";
    for (std::size_t part = 0;; ++part) {
      if (!run_stage(stage, part, settings)) return end_of_stop();
      if (part + 1 == most_slabs) break;
      const auto file = stage_paths(stage).observables();
      // All ranks use the number that rank 0 reads from the file.
      const auto state = static_cast<analysis::SlabState>(std::stoi(job::text_from_root(
          group_, [&] { return std::to_string(static_cast<int>(read_slab_state(file))); })));
      if (!extend_slab(state, settings)) break;
      stage = fmt::format("slab-{}", part + 2);
    }
    row_.set("protocol", "phase");
    describe(settings, system_of(settings, stage));
    const telemetry::PhaseSpan span(telemetry::Phase::analysis);
    const auto paths = stage_paths(stage);
    job::on_root(group_, [&] {
      const auto end = status::read_status(paths.status());
      read_phases(paths.observables(), settings, end ? end->step : 0, row_);
      if (stage != "slab") {
        row_.add_remark(fmt::format("result of {}, made larger than the slab before it", stage));
      }
    });
    return finish({}, {{"slab", paths.observables()}});
  }

  TargetOutcome fold(const input::TargetInput& input) {
    const std::string where = fmt::format("target '{}'", target_.name);
    require_go_model(input, overrides(), where);
    // Built for its size only; each part builds it again.
    const auto probe = in_this_attempt(input, first_settings(input, overrides()));
    const auto system = system_of(probe, "scan");
    const auto protocol = make_protocol(context_.list, probe, system, where);
    row_.set("protocol", "folding");
    double kelvin = 0;
    std::vector<std::string> stages;
    for (const Stage stage : ensemble::all_stages) {
      stages.emplace_back(ensemble::stage_name(stage));
      const auto plan = protocol.stage_parameters(stage, kelvin);
      const auto settings = in_this_attempt(input, stage_settings(input, overrides(), plan, stage));
      if (!run_stage(stages.back(), static_cast<std::size_t>(stage), settings)) {
        return end_of_stop();
      }
      kelvin = take_results(stage, plan, protocol.budget_seconds(), kelvin);
      if (stage == Stage::scan) describe(settings, system);
    }
    return finish(stages);
  }

  setup::SystemSetup system_of(const input::Settings& settings, const std::string& stage) {
    const telemetry::PhaseSpan span(telemetry::Phase::start);
    return setup::build_system(group_, settings, stage_file(stage));
  }

  void describe(const input::Settings& settings, const setup::SystemSetup& system) {
    const auto& topology = system.topology;
    structure_notes_ = system.structure_notes;
    row_.set("residues", std::to_string(topology.residue_count()));
    row_.set("chains", std::to_string(topology.chains.size()));
    row_.set("contacts", std::to_string(topology.contact_count()));
    row_.set("time_step_ps", settings.dynamics.time_step_ps);
    if (settings.force_field.model == input::ForceFieldModel::go) {
      row_.set("mass_amu", settings.force_field.mass_amu);
    }
  }

  /// Reads the results of a part. Returns the temperature for the next part [K]. kelvin: of this
  /// part.
  double take_results(Stage stage, const StageParameters& plan, double seconds, double kelvin) {
    const telemetry::PhaseSpan span(telemetry::Phase::analysis);
    const auto file = tables_file(ensemble::stage_name(stage));
    // All ranks use the numbers that rank 0 reads from the file.
    const std::string next_kelvin = job::text_from_root(group_, [&] {
      if (stage == Stage::scan)
        return fmt::format("{}", melting_kelvin(file, plan.equilibration_steps));
      if (stage == Stage::ladder) {
        read_ladder(file, seconds, row_, found_);
        row_.set("ladder_replicas", std::to_string(plan.replicas()));
        row_.set("ladder_steps", std::to_string(plan.steps));
        return fmt::format("{}", highest_capacity_kelvin(file).value_or(kelvin));
      }
      read_kinetics(file, row_, found_);
      row_.set("kinetics_kelvin", plan.lowest_kelvin);
      row_.set("kinetics_replicas", std::to_string(plan.ladders));
      row_.set("kinetics_steps", std::to_string(plan.steps));
      return std::string("0");
    });
    return std::stod(next_kelvin);
  }

  /// parts: tables beside those of the ensembles of `stages`.
  TargetOutcome finish(const std::vector<std::string>& stages,
                       std::vector<io::TablesFrom> parts = {}) {
    const telemetry::PhaseSpan span(telemetry::Phase::output);
    job::on_root(group_, [&] {
      for (const auto& stage : stages) {
        if (std::filesystem::exists(tables_file(stage)))
          parts.push_back({stage, tables_file(stage)});
      }
      if (!parts.empty()) io::join_tables(context_.folder.tables(target_.name), parts, "samples");
      for (const auto& note : structure_notes_) row_.add_remark(note);
      const auto own_columns = protocol_columns(protocol_);
      storage::write_file_atomically(context_.folder.result(target_.name),
                                     fmt::format("{}\n{}\n", own_columns, row_.line(own_columns)));
      const auto columns = results_columns(context_.list);
      append_line(context_.folder.results(), columns, row_.line(columns));
      const auto failure = record_.finish(target_.name, replicas::ran_beside_others());
      if (!failure.empty()) core::print_warning(fmt::format("{}: {}", target_.name, failure));
    });
    return TargetOutcome::finished;
  }

  [[nodiscard]] const std::vector<std::string>& overrides() const {
    return context_.options.overrides;
  }
  [[nodiscard]] std::filesystem::path folder() const {
    return context_.folder.attempt(target_.name, attempt_);
  }
  [[nodiscard]] std::filesystem::path stage_file(const std::string& stage) const {
    return folder() / (stage + ".yaml");
  }
  [[nodiscard]] status::OutputPaths stage_paths(const std::string& stage) const {
    return stage_output_paths(stage_file(stage));
  }
  [[nodiscard]] std::filesystem::path tables_file(const std::string& stage) const {
    return stage_paths(stage).ensemble();
  }

  /// Returns settings with the time step of this attempt and paths from its folder.
  [[nodiscard]] input::Settings in_this_attempt(const input::TargetInput& input,
                                                input::Settings settings) const {
    settings.dynamics.time_step_ps /= 1 << (attempt_ - 1);
    input::rebase_paths(settings, input.path_base, folder());
    return settings;
  }

  [[nodiscard]] TargetOutcome end_of_stop() const {
    return group_.any(!who_joins_.empty()) ? TargetOutcome::joined : TargetOutcome::stopped;
  }

  /// Runs one part. part: its index in the target's work. Returns false if it was stopped early.
  bool run_stage(const std::string& stage, std::size_t part, const input::Settings& settings) {
    const auto paths = stage_paths(stage);
    const bool is_done = group_.any(group_.is_root() && job::is_finished(paths));
    if (is_done) return true;
    job::on_root(group_, [&] {
      storage::write_file_atomically(
          stage_file(stage),
          setup::commented_input(
              settings, {fmt::format("Target {}, {}.", target_.name, stage),
                         fmt::format("Space: {}; {}.", estimate::backend_name(*decision_.space),
                                     decision_.reason)}));
    });
    LedgerRow row{LedgerEvent::start, target_.name,        stage, attempt_, 0,
                  is_alone(),         context_.world_rank, {}};
    job::on_all(group_, [&] {
      row.step = read_checkpoint_step(paths);
      context_.ledger.write(row);
    });
    row.step = 0;
    context_.ledger.watch_for_crash(row);
    run::RunRecord record;
    record.paths = paths;
    // Ranks of a group advance in lockstep, so that the others detect a stalled one.
    std::optional<comm::WaitingWithLimit> limit;
    if (group_.size() > 1) limit.emplace();
    try {
      const auto exit_code = run::simulate(group_, run_options(stage), context_.compute, record);
      Ledger::end_crash_watch();
      if (exit_code == core::ExitCode::done) {
        // A run that may converge before its last step is not what was predicted.
        const bool is_whole = attempt_ == 1 && !record.is_resumed &&
                              settings.ensemble.rg_error == 0 &&
                              settings.observables.dilute_error == 0;
        record_.add(part, record.taken, is_whole);
        return true;
      }
    } catch (const std::exception& failure) {
      Ledger::end_crash_watch();
      if (group_.is_root()) run::write_failure(record, job::to_failure(failure));
      throw;
    }
    job::on_root(group_, [&] {
      row.event = LedgerEvent::stop;
      row.step = read_checkpoint_step(paths);
      row.detail = who_joins_;
      context_.ledger.write(row);
    });
    return false;
  }

  [[nodiscard]] job::RunOptions run_options(const std::string& stage) {
    job::RunOptions options;
    options.input = stage_file(stage);
    options.output = stage_paths(stage).folder.string();
    options.quiet = true;
    options.is_in_batch = true;
    if (query_join_) {
      options.join_query = [this](const job::RemainingRun& rest) {
        auto answer = query_join_(rest);
        if (answer.join) who_joins_ = answer.reason;
        return answer;
      };
    }
    options.threads = context_.options.threads;
    options.device_memory = context_.options.device_memory;
    const double left = context_.time.seconds_left();
    if (std::isfinite(left)) options.time_limit = fmt::format("{:.3f}s", std::max(left, 0.001));
    return options;
  }

  const BatchContext& context_;
  const input::BatchTarget& target_;
  const estimate::Decision& decision_;
  const comm::Communicator& group_;
  RankUse rank_use_;
  const job::JoinQuery& query_join_;
  std::optional<core::Failure>& device_failure_;
  int attempt_ = 1;
  input::Protocol protocol_ = input::Protocol::run;
  std::string who_joins_;  // message on joining ranks; on the first rank
  ResultRow row_;
  std::vector<std::string> structure_notes_;
  FoldingFindings found_;  // on the first rank
  TargetRecord record_;    // written by the first rank
};

}  // namespace

TargetOutcome run_target(const BatchContext& context, const input::BatchTarget& target,
                         const PlannedTarget& planned, const comm::Communicator& group,
                         RankUse rank_use, const job::JoinQuery& query_join,
                         std::optional<core::Failure>& device_failure) {
  const bool alone = rank_use == RankUse::alone;
  const auto record = [&](LedgerEvent event, const std::string& detail) {
    job::on_root(group, [&] { context.record_event(event, target.name, detail, alone); });
  };
  TargetRun target_run(context, target, planned, group, rank_use, query_join, device_failure);
  try {
    const auto outcome = target_run.run();
    if (outcome == TargetOutcome::finished) {
      record(LedgerEvent::end, "finished");
    } else if (outcome == TargetOutcome::failed) {
      record(LedgerEvent::end, "failed");
    } else if (outcome == TargetOutcome::handed_back) {
      // The target is not to blame for a silent error.
      const bool is_silent = device_failure->outcome() == core::Outcome::silent_error;
      record(is_silent ? LedgerEvent::stop : LedgerEvent::crash, device_failure->what());
    }
    return outcome;
  } catch (const std::exception& failure) {
    context.record_event(LedgerEvent::crash, target.name, failure.what(), alone);
    throw;
  }
}

}  // namespace nfold::batch
