// Command nfold batch: many isolated, resumable targets in one job.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/batch.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include "batch/claim.hpp"
#include "batch/clocks.hpp"
#include "batch/context.hpp"
#include "batch/display.hpp"
#include "batch/final_status.hpp"
#include "batch/folder.hpp"
#include "batch/heartbeat.hpp"
#include "batch/ledger.hpp"
#include "batch/list_changes.hpp"
#include "batch/list_text.hpp"
#include "batch/part.hpp"
#include "batch/performance.hpp"
#include "batch/phase_list.hpp"
#include "batch/phase_result.hpp"
#include "batch/plan.hpp"
#include "batch/plan_text.hpp"
#include "batch/rank_lines.hpp"
#include "batch/round.hpp"
#include "batch/tables.hpp"
#include "batch/target.hpp"
#include "batch/target_files.hpp"
#include "batch/target_record.hpp"
#include "batch/withdrawal.hpp"
#include "comm/communicator.hpp"
#include "comm/rank_record.hpp"
#include "comm/waiting.hpp"
#include "core/duration.hpp"
#include "core/read_text.hpp"
#include "core/refusal.hpp"
#include "core/signals.hpp"
#include "core/status/running_status.hpp"
#include "core/status/status_file.hpp"
#include "core/storage/atomic_file.hpp"
#include "core/storage/posix_file.hpp"
#include "core/telemetry/profiler.hpp"
#include "core/version.hpp"
#include "device/compute_environment.hpp"
#include "device/device_memory.hpp"
#include "device/hardware/energy_meter.hpp"
#include "device/job_devices.hpp"
#include "device/profiling_regions.hpp"
#include "estimate/machine.hpp"
#include "input/batch_file.hpp"
#include "input/input.hpp"
#include "session/job/backend_ranks.hpp"
#include "session/job/collective_work.hpp"
#include "session/job/failure.hpp"
#include "session/job/rank_files.hpp"
#include "session/job/run_log.hpp"
#include "session/setup/device_setup.hpp"
#include "session/setup/machine_lookup.hpp"

namespace nfold::batch {
namespace {

namespace fs = std::filesystem;

class Batch {
 public:
  Batch(const comm::Communicator& world, const BatchOptions& options)
      : world_(world), options_(options) {
    folder_.folder = output_folder(options);
  }

  core::ExitCode run() {
    if (!options_.time_limit.empty()) {
      time_.limit_seconds = core::parse_duration_seconds(options_.time_limit, "--time-limit");
    }
    if (!options_.part.empty()) part_ = parse_part(options_.part);
    clocks_.emplace(world_, options_.profile);
    start_.emplace(telemetry::Phase::start);
    folder_.part = part_infix(part_);
    ranks_.emplace(world_);
    read_list();
    require_requested_backend();
    const auto wish =
        setup::to_device_request(input::parse_device_settings(list_, options_.overrides),
                                 options_.gpus, ranks_->has(estimate::Backend::gpu));
    claim();
    owns_folder_ = true;
    const job::RankFiles rank_files(world_, folder_.folder / (folder_.name() + ".ranks"));
    heartbeat_.emplace(folder_, world_.rank(), status::rank_status_pause(world_.size()));
    start_devices(wish);
    make_context();
    select_own_part();
    clocks_->set_target_count(list_.targets.size());
    read_target_status();
    plan_targets(world_, *context_, targets_);
    queue_ =
        move_short_to_front(targets_, make_queue(targets_, TargetStatus::missing, ranks_->space()),
                            ranks_->same_backend().size(), options_.side_by_side);
    withdrawals_.emplace(ranks_->same_backend());
    log_decisions();
    begin_display();
    start_.reset();
    work();
    try_suspects_alone();
    display_.reset();
    return end();
  }

  /// Writes the reason to the status file if this process owns the folder. Does not throw.
  void write_failure(const core::Failure& failure) {
    if (!owns_folder_) return;
    if (heartbeat_) heartbeat_->end_batch_status();
    try {
      const auto ended = count_ended(folder_, list_.targets);
      status::write_status(folder_.status(), {failure.outcome(), ended.done, ended.all,
                                              failure.what(), "", failure.suspect()});
    } catch (const std::exception&) {
      return;  // the folder itself may have failed; the message is on standard error
    }
  }

 private:
  void read_list() {
    ListText list;  // rank 0
    text_ = job::text_from_root(world_, [&] {
      list = options_.phase ? make_phase_list(*options_.phase, options_.overrides)
                            : read_list_text(options_.targets);
      return list.text;
    });
    list_ =
        input::parse_batch(text_, job::text_from_root(world_, [&] { return list.file.string(); }));
    if (options_.budget_gpu_seconds > 0) list_.budget_gpu_seconds = options_.budget_gpu_seconds;
    const auto machine = machine_name();
    machine_ = setup::machine_named(
        world_, machine.empty() ? std::string(estimate::default_machine) : machine);
  }

  /// Returns the machine of --machine or the list, a built-in name or a file. Empty: none is given.
  [[nodiscard]] std::string machine_name() const {
    if (!options_.machine.empty()) return options_.machine;
    const auto& own = list_.machine;
    const bool is_file = !own.empty() && estimate::builtin_machine_text(own).empty();
    return is_file ? input::path_from_input(list_.file, own).string() : own;
  }

  /// Throws InputError if no rank has the backend of batch.execution. A single target fails alone.
  void require_requested_backend() const {
    const auto requested = requested_backend(list_.execution);
    if (!requested || ranks_->has(*requested)) return;
    core::refuse(list_.file,
                 fmt::format("batch.execution = {}, and the job has {} only",
                             estimate::backend_name(*requested), ranks_->describe()),
                 estimate::start_instructions() + "; or set batch.execution: auto");
  }

  void claim() {
    std::vector<std::string> changes;  // rank 0
    job_ = job::text_from_root(world_, [&] {
      const auto earlier = options_.overwrite           ? Claim::Earlier::replaced
                           : options_.resume == "never" ? Claim::Earlier::refused
                                                        : Claim::Earlier::continued;
      claim_ = std::make_unique<Claim>(folder_, part_, earlier, options_.targets);
      changes = list_changes();
      // Written first: it marks the folder as a batch even if this process is killed next.
      storage::write_file_atomically(folder_.targets(), text_);
      log_ = job::RunLog(options_.log_file.empty() ? storage::require_regular_file(folder_.log())
                                                   : fs::path(options_.log_file),
                         options_.quiet, options_.verbose);
      Heartbeat::remove_stale_files(folder_);
      return fmt::format("{:%Y%m%dT%H%M%S}-{}", fmt::gmtime(std::time(nullptr)), getpid());
    });
    log_.note(fmt::format("nfold {}: {}, {} targets, {}, {}", core::version,
                          options_.targets.string(), list_.targets.size(), ranks_->describe(),
                          folder_.folder.string()));
    for (const auto& change : changes) {
      log_.warning(fmt::format("{}: changed since the last start: {}", list_.file, change));
    }
  }

  /// Returns what changed in the list since an earlier start. On rank 0.
  [[nodiscard]] std::vector<std::string> list_changes() const {
    return describe_list_changes(core::read_text(folder_.targets()).value_or(""), text_,
                                 list_.file);
  }

  void start_devices(const hardware::DeviceWish& wish) {
    device::limit_device_memory(static_cast<std::int64_t>(options_.device_memory));
    // Threads and GPUs are divided among the ranks of one backend.
    compute_.emplace(world_, ranks_->same_backend(), options_.threads, wish);
    if (options_.profile) clocks_->report_to({device::begin_region, device::end_region});
    setup::log_devices(log_, *compute_);
    for (const auto& location : compute_->devices()->by_rank()) {
      gpus_.push_back(location.gpu == comm::no_gpu ? "" : comm::format_uuid(location.gpu));
    }
    energy_.emplace(compute_->devices()->own_gpu());
    ranks_->count_threads(world_, device::thread_count());
  }

  void make_context() {
    ledger_.emplace(folder_.running(), job_, estimate::backend_name(ranks_->space()));
    try {
      estimator_.emplace(setup::machine_for(machine_name()), ranks_->space());
    } catch (const std::exception& failure) {
      log_.detail(std::string("no prediction: ") + failure.what());
    }
    context_.emplace(BatchContext{options_, list_, folder_, *ledger_, *clocks_, compute_, time_,
                                  *ranks_, machine_, estimator_, world_.rank()});
  }

  /// Reduces the list to the targets of this part. Rank 0 assigns targets to parts.
  void select_own_part() {
    if (part_.is_all()) return;
    const auto seconds = estimate_list_seconds(world_, *context_);
    std::vector<std::int64_t> part_of(seconds.size(), 0);
    if (world_.is_root()) std::ranges::copy(assign_parts(seconds, part_.of), part_of.begin());
    world_.sum(std::span<std::int64_t>(part_of));  // zero on other ranks
    std::vector<input::BatchTarget> own;
    for (std::size_t k = 0; k < part_of.size(); ++k) {
      if (part_of[k] == part_.number) own.push_back(std::move(list_.targets[k]));
    }
    log_.note(fmt::format("part {} of {}: {} of {} targets", part_.number, part_.of, own.size(),
                          part_of.size()));
    list_.targets = std::move(own);
  }

  /// Reads the status of each target on rank 0 and distributes it. Collective.
  void read_target_status() {
    targets_.resize(list_.targets.size());
    job::on_root(world_, [&] {
      ledger_->begin();
      const auto histories = Ledger::histories(
          folder_.running(), [&](const std::string& name) { return read_progress(folder_, name); });
      for (std::size_t k = 0; k < targets_.size(); ++k) {
        const auto& name = list_.targets[k].name;
        targets_[k].status = find_target_status(*context_, name, histories);
        if (targets_[k].is_to_do()) targets_[k].kept = read_backend(folder_, name);
      }
      write_tables(folder_, list_);
      heartbeat_->begin_batch_status(static_cast<std::int64_t>(targets_.size()));
    });
    broadcast_plan(world_, targets_);
  }

  void log_decisions() {
    if (!world_.is_root()) return;
    const auto text = describe_plan(list_, targets_, *ranks_, options_.side_by_side);
    waiting_ = static_cast<std::int64_t>(text.waiting.size());
    for (const auto& line : text.waiting) log_.note(line);
    for (const auto& line : text.decisions) log_.detail(line);
  }

  void begin_display() {
    job::on_root(world_, [&] {
      const auto count = [&](TargetStatus what) {
        return std::count_if(targets_.begin(), targets_.end(),
                             [what](const auto& target) { return target.status == what; });
      };
      BatchDisplay::Plan plan;
      plan.folder = folder_;
      plan.ranks = world_.size();
      plan.job = job_;
      plan.columns = results_columns(list_);
      plan.targets = static_cast<std::int64_t>(list_.targets.size());
      plan.done = count(TargetStatus::finished);
      plan.failed = count(TargetStatus::failed);
      for (std::size_t k = 0; k < targets_.size(); ++k) {
        if (targets_[k].is_to_do()) {
          plan.cost[list_.targets[k].name] = targets_[k].decision.seconds();
        }
      }
      plan.gpus = gpus_;
      log_.note(fmt::format(
          "{} done before, {} failed, {} to do ({} of them alone, for they may have killed their "
          "process): {}",
          plan.done, plan.failed, plan.cost.size(), count(TargetStatus::suspect),
          describe_backends(targets_, *ranks_)));
      display_ = std::make_unique<BatchDisplay>(
          std::move(plan), options_.quiet, [this](const std::string& line) { log_.entry(line); });
    });
  }

  /// Draws targets in rounds. Handed-back targets are drawn again by the live ranks, one target at
  /// a time on a rank, so that a second failure has one cause.
  void work() {
    const comm::WaitingWithoutLimit no_limit;  // targets of other ranks take any time
    for (bool is_first = true; !queue_.empty() || is_first; is_first = false) {
      if (withdrawals_->live_count() == 0) {
        left_by_withdrawn_ = true;
        break;
      }
      if (!withdrawals_->has_withdrawn()) draw_targets(is_first ? options_.side_by_side : 1);
      const telemetry::PhaseSpan span(telemetry::Phase::idle);
      queue_ = withdrawals_->agree();
      if (ranks_->same_backend().any(was_stopped_ || time_.must_stop())) break;
    }
    const telemetry::PhaseSpan span(telemetry::Phase::idle);
    world_.barrier();
    for (const auto& line : all_gather_lines(world_, joinings_)) log_.detail(line);
  }

  /// Runs one round on the queue of this rank's backend. most: interleaved targets on a rank.
  void draw_targets(int most) {
    const auto result =
        do_round({*context_, targets_, queue_, *withdrawals_, *heartbeat_, gpus_, most,
                  [this](std::size_t k, const comm::Communicator& group, RankUse rank_use,
                         const job::JoinQuery& query_join) {
                    return do_target(k, group, rank_use, query_join);
                  }});
    joinings_ += result.joinings;
    was_stopped_ = was_stopped_ || result.was_stopped;
  }

  TargetOutcome do_target(std::size_t k, const comm::Communicator& group, RankUse rank_use,
                          const job::JoinQuery& query_join = {}) {
    if (group.any(withdrawals_->has_withdrawn())) {
      if (group.is_root()) withdrawals_->hand_back(k, false);
      return TargetOutcome::handed_back;
    }
    auto outcome = TargetOutcome::failed;
    const auto& target = list_.targets[k];
    comm::set_record_work(k + 1);
    const Heartbeat::Work at_work(*heartbeat_, target.name);
    const BatchClocks::Target clock(*clocks_, k, wait_weight(targets_[k].size), target.name);
    job::run_independently(world_, [&] {
      std::optional<core::Failure> device_failure;
      outcome =
          run_target(*context_, target, targets_[k], group, rank_use, query_join, device_failure);
      if (outcome == TargetOutcome::handed_back) {
        outcome = handle_device_failure(k, group, rank_use, *device_failure);
      }
    });
    comm::set_record_work(0);
    if (outcome == TargetOutcome::stopped) was_stopped_ = true;
    return outcome;
  }

  /// Hands a target back after a device failure. If two devices failed on the same target, the
  /// target fails. The second rank withdraws too, since its device may be damaged.
  TargetOutcome handle_device_failure(std::size_t k, const comm::Communicator& group,
                                      RankUse rank_use, const core::Failure& device_failure) {
    const auto& name = list_.targets[k].name;
    const bool is_own_fault = rank_use == RankUse::alone || withdrawals_->was_blamed(k);
    job::on_root(group, [&] {
      append_incident(folder_.incidents(), name, device_failure);
      if (!is_own_fault) return;
      context_->record_failure(
          name, 1,
          std::string("devices of two ranks failed under it, the last: ") + device_failure.what());
      context_->record_event(LedgerEvent::end, name, "failed");
    });
    if (!is_own_fault && group.is_root()) withdrawals_->hand_back(k, true);
    if (device_failure.suspect()->rank == world_.rank()) {
      withdrawals_->withdraw(device_failure);
      core::print_warning(fmt::format("{}; target {} {}", describe_withdrawal(device_failure), name,
                                      is_own_fault ? "failed" : "goes to another rank"));
    }
    return is_own_fault ? TargetOutcome::failed : TargetOutcome::handed_back;
  }

  /// Runs suspect targets one by one on the first live rank of their backend. Other ranks are idle.
  void try_suspects_alone() {
    for (const auto backend : {estimate::Backend::cpu, estimate::Backend::gpu}) {
      const auto suspects = make_queue(targets_, TargetStatus::suspect, backend);
      if (suspects.empty()) continue;
      if (world_.any(was_stopped_ || time_.must_stop())) {
        was_stopped_ = true;
        return;
      }
      const bool is_mine = ranks_->space() == backend && withdrawals_->is_first_live();
      for (std::size_t i = 0; is_mine && i < suspects.size() && !was_stopped_; ++i) {
        if (time_.must_stop()) {
          was_stopped_ = true;
        } else if (withdrawals_->has_withdrawn()) {
          left_by_withdrawn_ = true;
          break;
        } else {
          (void)do_target(suspects[i], comm::Communicator(), RankUse::alone);
        }
      }
      const comm::WaitingWithoutLimit no_limit;
      const telemetry::PhaseSpan span(telemetry::Phase::idle);
      world_.barrier();
    }
  }

  core::ExitCode end() {
    const bool was_stopped = world_.any(was_stopped_ || time_.must_stop());
    const bool lacks_backend = world_.any(left_by_withdrawn_);
    const auto withdrawn = withdrawals_->gather(world_);
    const auto performance = write_performance(world_, folder_, list_, *clocks_,
                                               {compute_->devices()->own_gpu(), energy_->joules()});
    const std::string exit_code_text = job::text_from_root(world_, [&] {
      write_tables(folder_, list_);
      if (list_.only_protocol) write_results_hdf5(folder_, list_);
      if (list_.only_protocol == input::Protocol::phase) write_binodal(folder_, list_);
      heartbeat_->end_batch_status();
      auto counts = count_ended(folder_, list_.targets);
      counts.waiting = waiting_;
      counts.was_stopped = was_stopped;
      counts.lacks_backend = lacks_backend;
      const auto status = final_status(counts, withdrawn);
      status::write_status(folder_.status(), status);
      const auto exit_code = core::to_exit_code(*status.outcome);
      if (exit_code == core::ExitCode::failed || (options_.quiet && counts.failed > 0)) {
        core::print_error(status.reason);
      }
      for (const auto& line : performance) log_.note(line);
      for (const auto& line : describe_estimates(folder_, list_.targets)) log_.note(line);
      for (const auto& line : describe_remarks(folder_, list_.targets)) log_.note(line);
      log_.note(fmt::format("{} done, {} failed after {}: {}; {}", counts.done, counts.failed,
                            telemetry::format_duration(time_.elapsed()), status.reason,
                            folder_.results().string()));
      return std::to_string(static_cast<int>(exit_code));
    });
    return static_cast<core::ExitCode>(std::stoi(exit_code_text));
  }

  std::optional<device::ComputeEnvironment> compute_;  // destroyed after all that uses the device
  const comm::Communicator& world_;
  const BatchOptions& options_;
  Part part_;
  BatchFolder folder_;
  TimeLimit time_;
  std::string text_, job_;  // text of the list, and identifier of this start
  input::BatchFile list_;
  std::unique_ptr<Claim> claim_;  // rank 0
  job::RunLog log_;               // writes on rank 0 only
  std::optional<job::BackendRanks> ranks_;
  estimate::Machine machine_;
  std::optional<setup::WorkEstimator> estimator_;
  std::optional<Ledger> ledger_;
  std::optional<BatchContext> context_;
  std::vector<PlannedTarget> targets_;     // (targets)
  std::vector<std::size_t> queue_;         // target indices, for ranks of this backend
  std::vector<std::string> gpus_;          // (ranks) UUIDs; empty: CPU rank
  std::int64_t waiting_ = 0;               // rank 0
  std::unique_ptr<BatchDisplay> display_;  // rank 0
  std::string joinings_;                   // log lines of the joinings that this rank requested
  std::optional<BatchClocks> clocks_;
  std::optional<telemetry::PhaseSpan> start_;
  std::optional<hardware::EnergyMeter> energy_;
  std::optional<Withdrawals> withdrawals_;
  std::optional<Heartbeat> heartbeat_;
  bool was_stopped_ = false, owns_folder_ = false, left_by_withdrawn_ = false;
};

}  // namespace

fs::path output_folder(const BatchOptions& options) {
  if (!options.output.empty()) return options.output;
  return (options.targets / "").parent_path().stem().string() + ".out";
}

std::string status_name(const BatchOptions& options) {
  return "batch" + (options.part.empty() ? "" : part_infix(parse_part(options.part)));
}

core::ExitCode run_batch(job::Invocation& invocation, const BatchOptions& options) {
  core::catch_stop_signals();
  storage::ignore_file_size_signal();
  const comm::Environment environment(invocation.argc, invocation.argv);
  const auto world = comm::Communicator::world();
  Batch batch(world, options);
  const comm::StallHandler on_stall([&](const comm::StallReport& stall) {
    batch.write_failure(
        core::Failure(stall.message, core::Outcome::hang, core::Reach::all_ranks, stall.suspect));
  });
  return job::run_collectively(
      world, [&] { return batch.run(); },
      [&](const core::Failure& failure) { batch.write_failure(failure); });
}

}  // namespace nfold::batch
