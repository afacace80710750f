// Runs of one target, attempts with a smaller time step, and handling of failures.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "batch/fault.hpp"
#include "batch/folding_result.hpp"
#include "batch/target_backend.hpp"
#include "batch/target_progress.hpp"
#include "batch/target_size.hpp"
#include "comm/waiting.hpp"
#include "core/csv.hpp"
#include "core/exit_code.hpp"
#include "core/refusal.hpp"
#include "core/storage/atomic_file.hpp"
#include "core/storage/file_error.hpp"
#include "core/telemetry/profiler.hpp"
#include "device/compute_environment.hpp"
#include "device/device_memory.hpp"
#include "input/input.hpp"
#include "input/named_files.hpp"
#include "io/tables_file.hpp"
#include "replicas/replica_set.hpp"
#include "replicas/side_by_side.hpp"
#include "session/ensemble/folding_protocol.hpp"
#include "session/job/collective_work.hpp"
#include "session/job/failure.hpp"
#include "session/job/output_folder.hpp"
#include "session/job/run_options.hpp"
#include "session/run/simulation.hpp"
#include "session/setup/collective_variables.hpp"
#include "session/setup/prepared_input.hpp"
#include "session/setup/species_setup.hpp"
#include "session/setup/system_setup.hpp"

namespace nfold::batch {
namespace {

using ensemble::Stage;
using ensemble::StageParameters;

/// Execution of one target.
class TargetWork {
 public:
  TargetWork(const BatchContext& context, const input::BatchTarget& target,
             const ChosenTarget& chosen, const comm::Communicator& group, RankUse rank_use,
             const job::JoinQuery& query_join, std::optional<device::ComputeEnvironment>& compute,
             DeviceFailure& seen)
      : context_(context),
        target_(target),
        decision_(chosen.decision),
        group_(group),
        rank_use_(rank_use),
        query_join_(query_join),
        compute_(compute),
        seen_(seen),
        taken_(context.predictor, chosen.work, group.size()) {}

  TargetOutcome run() {
    for (int attempt = first_attempt();; ++attempt) {
      try {
        return run_attempt(attempt);
      } catch (const engine::ExplosionError& error) {
        if (attempt < most_attempts) {
          note_explosion(attempt, error.what());
          continue;
        }
        return fail(attempt, fmt::format("{} (in {} attempts, the last with 1/{} of the time step)",
                                         error.what(), attempt, 1 << (attempt - 1)));
      } catch (const std::exception& failure) {
        if (auto found = find_device_failure(failure, group_)) {
          seen_ = std::move(*found);
          return TargetOutcome::handed_back;
        }
        if (!is_target_fault(failure, group_)) throw;
        if (rank_use_ == RankUse::shared) return TargetOutcome::retry_alone;
        return fail(attempt, job::to_failure(failure).what());
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

  TargetOutcome fail(int attempts, const std::string& reason) const {
    job::on_root(group_, [&] { record_failure(context_, target_.name, attempts, reason); });
    return TargetOutcome::failed;
  }

  TargetOutcome run_attempt(int attempt) {
    attempt_ = attempt;
    const auto input = begin_attempt(attempt);
    row_ = {};
    found_ = {};
    row_.set("target", target_.name);
    row_.set("attempts", std::to_string(attempt));
    row_.set("space", estimate::backend_name(*decision_.space));
    return input.protocol == input::Protocol::folding ? fold(input) : run_once(input);
  }

  input::TargetInput begin_attempt(int attempt) {
    const telemetry::PhaseSpan span(telemetry::Phase::start);
    job::on_root(group_, [&] {
      job::make_output_folder(context_.folder.attempt(target_.name, attempt));
      write_backend(context_.folder, target_.name, decision_);
    });
    input::TargetInput input;
    job::on_all(group_, [&] { input = input::read_target_input(context_.batch, target_); });
    return input;
  }

  TargetOutcome run_once(const input::TargetInput& input) {
    const auto settings = stage_settings(input, {});
    if (!run_stage("run", 0, settings)) return end_of_stop();
    row_.set("protocol", "run");
    row_.set("verdict", "done");
    describe(settings, system_of(settings, "run"));
    return finish({"run"});
  }

  TargetOutcome fold(const input::TargetInput& input) {
    const std::string where = fmt::format("target '{}'", target_.name);
    require_go_model(input, context_.overrides, where);
    // Built for its size only; each part builds it again.
    const auto probe = stage_settings(input, stage_values(placeholder_plan, Stage::scan));
    const auto system = system_of(probe, "scan");
    require_contacts(system.topology, where);
    const auto size = system_size(probe, system.topology);
    const ensemble::FoldingProtocol protocol(size,
                                             target_budget_seconds(context_.batch, size.residues));
    row_.set("protocol", "folding");
    double kelvin = 0;
    for (const Stage stage : ensemble::all_stages) {
      const auto plan = protocol.stage_parameters(stage, kelvin);
      const auto settings = stage_settings(input, stage_values(plan, stage));
      if (!run_stage(ensemble::stage_name(stage), static_cast<std::size_t>(stage), settings)) {
        return end_of_stop();
      }
      kelvin = take_results(stage, plan, protocol.budget_seconds(), kelvin);
      if (stage == Stage::scan) describe(settings, system);
    }
    return finish({"scan", "ladder", "kinetics"});
  }

  setup::SystemSetup system_of(const input::Settings& settings, const std::string& stage) {
    const telemetry::PhaseSpan span(telemetry::Phase::start);
    return setup::build_system(group_, settings, stage_file(stage));
  }

  void describe(const input::Settings& settings, const setup::SystemSetup& system) {
    const topology::Topology& topology = system.topology;
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

  TargetOutcome finish(const std::vector<std::string>& stages) {
    const telemetry::PhaseSpan span(telemetry::Phase::output);
    job::on_root(group_, [&] {
      std::vector<io::TablesFrom> parts;
      for (const auto& stage : stages) {
        if (std::filesystem::exists(tables_file(stage)))
          parts.push_back({stage, tables_file(stage)});
      }
      if (!parts.empty()) io::join_tables(context_.folder.tables(target_.name), parts, "samples");
      for (const auto& note : structure_notes_) row_.add_remark(note);
      const std::string line = row_.line();
      storage::write_file_atomically(context_.folder.result(target_.name),
                                     ResultRow::header() + "\n" + line + "\n");
      append_line(context_.folder.results(), ResultRow::header(), line);
      const auto failure =
          taken_.finish(context_.folder, target_.name, replicas::ran_beside_others());
      if (!failure.empty()) core::print_warning(fmt::format("{}: {}", target_.name, failure));
    });
    return TargetOutcome::finished;
  }

  [[nodiscard]] std::filesystem::path stage_file(const std::string& stage) const {
    return context_.folder.attempt(target_.name, attempt_) / (stage + ".yaml");
  }
  [[nodiscard]] status::OutputPaths stage_paths(const std::string& stage) const {
    return stage_output_paths(stage_file(stage));
  }
  [[nodiscard]] std::filesystem::path tables_file(const std::string& stage) const {
    return stage_paths(stage).ensemble();
  }

  [[nodiscard]] input::Settings stage_settings(const input::TargetInput& input,
                                               const std::vector<std::string>& last) const {
    auto settings =
        input.settings(protocol_defaults(input.protocol), joined(context_.overrides, last));
    settings.dynamics.time_step_ps /= 1 << (attempt_ - 1);
    input::rebase_paths(settings, input.path_base, context_.folder.attempt(target_.name, attempt_));
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
    job::on_all(group_, [&] {
      const LedgerRow row{
          LedgerEvent::start, target_.name,        stage, attempt_, read_checkpoint_step(paths),
          is_alone(),         context_.world_rank, {}};
      context_.ledger.write(row);
    });
    const LedgerRow row{LedgerEvent::crash, target_.name,        stage, attempt_, 0,
                        is_alone(),         context_.world_rank, {}};
    context_.ledger.watch_for_crash(row);
    run::RunRecord record;
    record.paths = paths;
    // Ranks of a group advance in lockstep, so that the others detect a stalled one.
    std::optional<comm::WaitingWithLimit> limit;
    if (group_.size() > 1) limit.emplace();
    try {
      const auto exit_code = run::simulate(group_, run_options(stage), compute_, record);
      Ledger::end_crash_watch();
      if (exit_code == core::ExitCode::done) {
        taken_.add(part, record.taken, attempt_ == 1 && !record.is_resumed);
        return true;
      }
    } catch (const std::exception& failure) {
      Ledger::end_crash_watch();
      if (group_.is_root()) run::write_failure(record, job::to_failure(failure));
      throw;
    }
    job::on_root(group_, [&] {
      context_.ledger.write({LedgerEvent::stop, target_.name, stage, attempt_,
                             read_checkpoint_step(paths), is_alone(), context_.world_rank,
                             who_joins_});
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
    options.threads = context_.threads;
    options.device_memory = context_.device_memory;
    const double left = context_.seconds_left();
    if (std::isfinite(left)) options.time_limit = fmt::format("{:.3f}s", std::max(left, 0.001));
    return options;
  }

  const BatchContext& context_;
  const input::BatchTarget& target_;
  const estimate::Decision& decision_;
  const comm::Communicator& group_;
  RankUse rank_use_;
  const job::JoinQuery& query_join_;
  std::optional<device::ComputeEnvironment>& compute_;
  DeviceFailure& seen_;
  int attempt_ = 1;
  std::string who_joins_;  // message on joining ranks; on the first rank
  ResultRow row_;
  std::vector<std::string> structure_notes_;
  FoldingFindings found_;  // on the first rank
  TargetRecord taken_;     // written by the first rank
};

}  // namespace

TargetOutcome run_target(const BatchContext& context, const input::BatchTarget& target,
                         const ChosenTarget& chosen, const comm::Communicator& group,
                         RankUse rank_use, const job::JoinQuery& query_join,
                         std::optional<device::ComputeEnvironment>& compute, DeviceFailure& seen) {
  const bool alone = rank_use == RankUse::alone;
  TargetWork work(context, target, chosen, group, rank_use, query_join, compute, seen);
  try {
    const auto end = work.run();
    if (end == TargetOutcome::finished || end == TargetOutcome::failed) {
      job::on_root(group, [&] {
        context.ledger.write({LedgerEvent::end, target.name, "", 1, 0, alone, context.world_rank,
                              end == TargetOutcome::finished ? "finished" : "failed"});
      });
    } else if (end == TargetOutcome::handed_back) {
      // The target is not to blame for a silent error.
      const bool is_silent = seen.outcome == core::Outcome::silent_error;
      job::on_root(group, [&] {
        context.ledger.write({is_silent ? LedgerEvent::stop : LedgerEvent::crash, target.name, "",
                              1, 0, alone, context.world_rank, seen.reason});
      });
    }
    return end;
  } catch (const std::exception& failure) {
    context.ledger.write(
        {LedgerEvent::crash, target.name, "", 1, 0, alone, context.world_rank, failure.what()});
    throw;
  }
}

void record_failure(const BatchContext& context, const std::string& target, int attempts,
                    const std::string& reason) {
  job::make_output_folder(context.folder.of(target));
  const std::string line = core::csv_row(target, attempts, reason);
  storage::write_file_atomically(context.folder.failure(target),
                                 fmt::format("{}\n{}\n", failed_header, line));
  append_line(context.folder.failed(), failed_header, line);
}

}  // namespace nfold::batch
