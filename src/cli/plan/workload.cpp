// Workload counted on the built system, or on a part that represents it.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/plan/workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>

#include "cli/plan/target_list.hpp"
#include "cli/plan/target_sizes.hpp"
#include "comm/communicator.hpp"
#include "estimate/dispatch.hpp"
#include "estimate/history.hpp"
#include "estimate/interval.hpp"
#include "estimate/list_time.hpp"
#include "input/batch_file.hpp"
#include "input/input.hpp"
#include "input/models.hpp"
#include "session/ensemble/counted_work.hpp"
#include "session/ensemble/folding_protocol.hpp"
#include "session/ensemble/memory.hpp"
#include "session/setup/memory_estimate.hpp"
#include "session/setup/sampling_record.hpp"
#include "session/setup/species_setup.hpp"
#include "session/setup/start_setup.hpp"
#include "session/setup/step_demand.hpp"
#include "session/setup/time_estimator.hpp"

namespace nfold::plan {
namespace {

namespace fs = std::filesystem;

// Overhead beside the steps. Measured on an H100 and its host: starts of 10^4 to 5 x 10^7 residues,
// contact maps of half a million, writing to a local disk.
constexpr double seconds_of_start_on_gpu = 3, seconds_of_start_on_cpu = 0.3;
constexpr double start_seconds_per_residue = 3.5e-6;
constexpr double sample_seconds_per_residue = 2.6e-6;
constexpr double written_bytes_per_second = 3e8;
constexpr double steps_of_energies = 3;  // cost of a line of energies
constexpr double minimised_share = 0.5;  // used fraction of the minimiser's step limit
// Spread of ln(real / estimated) of overlapping targets; 0.1 was measured on one H200 and on four.
constexpr double spread_of_overlap = 0.1;

/// Returns steps / every, a fraction; 0 if `every` is 0.
double times(std::int64_t steps, std::int64_t every) {
  return every > 0 ? static_cast<double>(steps) / static_cast<double>(every) : 0;
}

double start_seconds(const estimate::Layout& layout, double residues) {
  return (layout.on_gpu ? seconds_of_start_on_gpu : seconds_of_start_on_cpu) +
         start_seconds_per_residue * residues;
}

/// Returns why the planned memory exceeds a rank's limit; empty if it does not.
std::string beyond_limit(const setup::RunMemory& memory, const input::Settings& settings) {
  constexpr double giga = 1e9;
  const std::int64_t limit = setup::device_memory_limit(0, settings);
  const std::int64_t arrays = memory.needed_device_bytes();
  if (limit == 0 || !setup::exceeds(arrays, limit)) return {};
  return fmt::format("takes {:.3g} GB of the {:.3g} that devices.memory_limit_gb allows",
                     static_cast<double>(arrays) / giga, static_cast<double>(limit) / giga);
}

/// Workload of one system on all ranks.
struct RunWork {
  input::Settings settings;
  setup::StepEstimator on_gpu, on_cores;
  std::optional<setup::SystemSetup> system;  // only if all of it is built
  setup::FirstState first;
  std::unique_ptr<setup::MemoryEstimator> planner;
  std::int64_t residues = 0;

  [[nodiscard]] estimate::LayoutWork on(const estimate::Layout& layout) const {
    estimate::LayoutWork work;
    if (layout.ranks() > residues) {
      work.impossible = "more ranks than residues";
      return work;
    }
    auto demands = setup::step_demands(*planner, settings, layout.nodes, layout.ranks_per_node);
    setup::let_chains_gather(demands, settings);
    const auto estimated = (layout.on_gpu ? on_gpu : on_cores).of(demands, layout);
    const auto& step = estimated.step;
    const auto& dynamics = settings.dynamics;
    work.correction = estimated.seconds / estimated.row.estimated_seconds;
    work.correction_runs = estimated.runs;
    work.spread = estimated.spread;
    work.bottleneck = std::string(step.bottleneck());
    work.step = step;
    const auto all = static_cast<double>(residues);
    const double frames = times(dynamics.steps, settings.output.trajectory_every_steps);
    const double samples = times(dynamics.steps, settings.observables.every_steps);
    const double lines = times(dynamics.steps, settings.output.energies_every_steps);
    work.time.start =
        start_seconds(layout, all) +
        step.seconds() * minimised_share * static_cast<double>(settings.start.minimise_steps);
    work.time.steps = estimated.seconds * static_cast<double>(dynamics.steps);
    work.time.energies = step.seconds() * steps_of_energies * lines;
    work.time.frames = frames * all * 3 * sizeof(float) / written_bytes_per_second;
    work.time.observables = samples * all * sample_seconds_per_residue;
    const auto memory = planner->about(layout.ranks(), layout.nodes);
    const auto runtime = setup::runtime_memory(layout.ranks(), layout.on_gpu, layout.nodes);
    work.impossible = beyond_limit(memory, settings);
    work.device_bytes = memory.device_bytes();
    work.spare_device_bytes = memory.device_bytes() - memory.needed_device_bytes();
    work.host_bytes = layout.ranks_per_node * (memory.host_bytes() + runtime.host_bytes() +
                                               (layout.on_gpu ? 0 : memory.device_bytes()));
    return work;
  }
};

/// Adds the sampling time that a go model's folding needs. work: all of its steps.
void add_sampling(const input::Settings& settings, const topology::Topology& topology,
                  const estimate::TargetWork& work, Workload& workload) {
  const auto& system = settings.system;
  const bool is_one_molecule =
      system.copies == 1 &&
      std::ranges::all_of(system.species, [](const auto& species) { return species.copies == 1; });
  if (settings.force_field.model != input::ForceFieldModel::go || topology.contact_count() == 0 ||
      !is_one_molecule) {
    return;
  }
  workload.folding_gpu_seconds = ensemble::budget_gpu_seconds(topology.residue_count());
  workload.given_gpu_seconds =
      estimate::work_seconds(estimate::builtin_machine(estimate::default_machine), {1, 1, true},
                             work, 1)
          .all();
}

/// Returns expected errors by the history, if there is one. times: number of such systems.
std::vector<estimate::ExpectedError> expected_errors(const input::Settings& settings,
                                                     const topology::Topology& topology,
                                                     double times) {
  const auto file = estimate::history_file();
  if (!file) return {};
  const std::string model(input::model_entry(settings.force_field.model).name);
  return estimate::expected_errors(
      estimate::sampled_rows(*file, model),
      setup::planned_means(settings, topology, settings.dynamics.steps, times));
}

/// Times of targets on a machine, corrected by its history.
class WorkTimes {
 public:
  /// `machine` must outlive it.
  explicit WorkTimes(const estimate::Machine& machine)
      : machine_(machine),
        cpu_(machine, estimate::Backend::cpu),
        gpu_(machine, estimate::Backend::gpu) {}

  [[nodiscard]] setup::WorkEstimate of(const estimate::TargetWork& work,
                                       const estimate::Layout& layout, int ranks) const {
    return (layout.on_gpu ? gpu_ : cpu_).of(work, estimate::job_of(layout), ranks);
  }
  [[nodiscard]] const estimate::Machine& machine() const { return machine_; }

 private:
  const estimate::Machine& machine_;
  setup::WorkEstimator cpu_, gpu_;
};

/// List of targets that ranks share: it ends no sooner than its longest target. Layouts are those
/// of the machine: its GPUs, or cores if it has none.
class TargetsTogether {
 public:
  TargetsTogether(const std::vector<estimate::TargetWork>& targets, WorkTimes times,
                  int side_by_side)
      : times_(std::move(times)), list_({}, 1) {
    const estimate::Layout one{1, 1, times_.machine().has_gpus()};
    std::vector<estimate::ListedTarget> listed;
    for (const auto& target : targets) {
      const auto learned = times_.of(target, one, 1);
      const double alone = learned.seconds.all();
      sum_ += alone;
      by_entry_ += learned.row.predicted.all();
      // Errors are mostly the machine's, so they do not cancel.
      spread_ += learned.spread * alone;
      runs_ = std::max(runs_, learned.runs);
      listed.push_back(
          estimate::listed_target(times_.machine(), one.on_gpu, target, learned.seconds));
    }
    int most_ranks = 1;
    for (const auto& layout : estimate::list_layouts(times_.machine())) {
      most_ranks = std::max(most_ranks, layout.ranks());
    }
    for (std::size_t k = 0; k < targets.size(); ++k) {
      auto& seconds = listed[k].seconds;
      if (seconds.alone() <= sum_ / most_ranks) continue;  // shared on no layout
      seconds = estimate::SecondsByRanks(
          estimate::usable_ranks(targets[k], most_ranks),
          [&](int ranks) { return times_.of(targets[k], one, ranks).seconds.all(); });
    }
    list_ = estimate::ListTime(std::move(listed), side_by_side);
  }

  [[nodiscard]] estimate::LayoutWork on(const estimate::Layout& layout) const {
    const auto list = list_.on(layout.ranks());
    estimate::LayoutWork on;
    on.time.steps = list.seconds;
    on.correction = sum_ / by_entry_;
    on.correction_runs = runs_;
    on.spread = spread_ / sum_;
    if (list.is_concurrent) on.spread = std::hypot(on.spread, spread_of_overlap);
    on.bottleneck = list.bottleneck;
    return on;
  }
  /// True if targets overlap on one rank.
  [[nodiscard]] bool overlap() const { return list_.on(1).is_concurrent; }
  /// Returns the time [s] of all targets one after another on one rank.
  [[nodiscard]] double alone() const { return sum_; }

 private:
  WorkTimes times_;
  estimate::ListTime list_;
  double sum_ = 0, by_entry_ = 0, spread_ = 0;
  int runs_ = 0;
};

/// Returns the time of a target on one rank.
TargetTime time_of_target(const std::string& name, const estimate::TargetWork& work,
                          const WorkTimes& times) {
  const auto learned = times.of(work, {1, 1, times.machine().has_gpus()}, 1);
  const double seconds = learned.seconds.all();
  return {name, seconds, estimate::ninety_percent_interval(seconds, learned.spread), learned.runs};
}

Workload count_run(input::Settings settings, const fs::path& input,
                   const estimate::Machine& machine) {
  const comm::Communicator alone;
  auto work = std::make_shared<RunWork>(
      RunWork{std::move(settings), {machine, true}, {machine, false}, {}, {}, {}, 0});
  auto part = setup::build_part(alone, work->settings, input, setup::predicted_residues);
  work->residues = part.residues;
  if (setup::stands_for_whole(part, work->settings)) {
    work->planner = std::make_unique<setup::MemoryEstimator>(work->settings, input, std::move(part),
                                                             machine.has_gpus());
  } else {
    work->system =
        part.times > 1 ? setup::build_system(alone, work->settings, input) : std::move(part.system);
    work->first = setup::first_state(alone, work->settings, input, work->system->topology);
    work->planner = std::make_unique<setup::MemoryEstimator>(work->settings, work->system->topology,
                                                             work->first.state, machine.has_gpus());
  }
  const auto& dynamics = work->settings.dynamics;
  Workload workload;
  workload.kind = "run";
  workload.residues = work->residues;
  workload.steps = dynamics.steps;
  workload.time_step_ps = dynamics.time_step_ps;
  workload.lines.push_back(fmt::format(
      "{} residues, {} steps of {} ps ({:.4g} ns)", work->residues, dynamics.steps,
      dynamics.time_step_ps, 1e-3 * static_cast<double>(dynamics.steps) * dynamics.time_step_ps));
  const auto& topology = work->planner->topology();
  workload.errors = expected_errors(
      work->settings, topology,
      static_cast<double>(work->residues) / static_cast<double>(topology.residue_count()));
  add_sampling(work->settings, topology, ensemble::count_work(work->settings, topology), workload);
  workload.on = [work](const estimate::Layout& layout) { return work->on(layout); };
  return workload;
}

Workload count_ensemble(const input::Settings& settings, const fs::path& input,
                        const estimate::Machine& machine) {
  const comm::Communicator alone;
  auto system = std::make_shared<setup::SystemSetup>(setup::build_system(alone, settings, input));
  auto first = std::make_shared<setup::FirstState>(
      setup::first_state(alone, settings, input, system->topology));
  const auto work = ensemble::count_work(settings, system->topology);
  Workload workload;
  workload.errors = expected_errors(settings, system->topology, 1);
  add_sampling(settings, system->topology, work, workload);
  workload.kind = "ensemble";
  workload.residues = system->topology.residue_count();
  workload.replicas = settings.ensemble.replicas();
  workload.steps = settings.dynamics.steps;
  workload.time_step_ps = settings.dynamics.time_step_ps;
  workload.lines.push_back(fmt::format("{} replicas of {} residues, {} steps of {} ps each",
                                       workload.replicas, workload.residues, workload.steps,
                                       workload.time_step_ps));
  const WorkTimes times(machine);
  workload.on = [=](const estimate::Layout& layout) {
    if (layout.ranks() > settings.ensemble.replicas()) {
      estimate::LayoutWork on;
      on.impossible = "more ranks than replicas";
      return on;
    }
    const auto learned = times.of(work, layout, layout.ranks());
    estimate::LayoutWork on;
    on.time.steps = learned.seconds.all();
    on.correction = learned.seconds.all() / learned.row.predicted.all();
    on.correction_runs = learned.runs;
    on.spread = learned.spread;
    on.time.start = start_seconds(layout, static_cast<double>(workload.residues));
    on.bottleneck = "steps of replicas";
    const auto memory =
        ensemble::estimate_ensemble_memory(settings, *system, first->state, layout.ranks(), 1);
    on.impossible = beyond_limit(memory, settings);
    on.device_bytes = memory.device_bytes();
    on.host_bytes =
        layout.ranks_per_node * (memory.host_bytes() + (layout.on_gpu ? 0 : memory.device_bytes()));
    return on;
  };
  return workload;
}

Workload count_batch(const input::BatchFile& list, const std::vector<std::string>& overrides,
                     const estimate::Machine& machine, int side_by_side) {
  std::vector<estimate::TargetWork> target_work;
  Workload workload;
  workload.kind = "batch";
  const WorkTimes times(machine);
  auto sizes = find_sizes(list, overrides);
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    const auto& target = list.targets[k];
    auto& [size, protocol] = sizes[k];
    if (!size.problem.empty()) {
      workload.lines.push_back(
          fmt::format("target '{}' would fail: {}", target.name, size.problem));
      continue;
    }
    workload.residues = std::max(workload.residues, size.work.residues);
    const auto time = time_of_target(target.name, size.work, times);
    workload.lines.push_back(fmt::format(
        "target '{}': {}{} ({} to {}){}", target.name, estimate::format_time_span(time.seconds),
        machine.has_gpus() ? " of a GPU" : " of a core",
        estimate::format_time_span(time.interval.low),
        estimate::format_time_span(time.interval.high), protocol.empty() ? "" : "; " + protocol));
    workload.targets.push_back(time);
    target_work.push_back(std::move(size.work));
  }
  workload.lines.insert(workload.lines.begin(),
                        fmt::format("{} of {} targets, of at most {} residues", target_work.size(),
                                    list.targets.size(), workload.residues));
  if (target_work.empty()) {
    workload.on = [](const estimate::Layout& /*layout*/) {
      estimate::LayoutWork on;
      on.impossible = "no target can begin";
      return on;
    };
    return workload;
  }
  const auto together = std::make_shared<TargetsTogether>(target_work, times, side_by_side);
  if (together->overlap()) {
    workload.lines.push_back(
        fmt::format("one after another they take {} of a GPU; up to {} at once share it below",
                    estimate::format_time_span(together->alone()), side_by_side));
  }
  workload.on = [together](const estimate::Layout& layout) {
    auto on = together->on(layout);
    on.time.start = start_seconds(layout, 0);
    return on;
  };
  return workload;
}

}  // namespace

Workload count_workload(const fs::path& input, const std::vector<std::string>& overrides,
                        const estimate::Machine& machine, int side_by_side) {
  if (const auto list = read_target_list(input)) {
    return count_batch(*list, overrides, machine, side_by_side);
  }
  const auto text = input::read_input_text(input);
  auto settings = input::parse_input(text, input.string(), overrides);
  return settings.ensemble.is_enabled() ? count_ensemble(settings, input, machine)
                                        : count_run(std::move(settings), input, machine);
}

}  // namespace nfold::plan
