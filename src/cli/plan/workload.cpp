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
#include "cli/plan/target_workload.hpp"
#include "comm/communicator.hpp"
#include "estimate/dispatch.hpp"
#include "estimate/history.hpp"
#include "input/input.hpp"
#include "input/models.hpp"
#include "session/ensemble/counted_work.hpp"
#include "session/ensemble/folding_protocol.hpp"
#include "session/ensemble/memory.hpp"
#include "session/setup/host_arrays.hpp"
#include "session/setup/job_work.hpp"
#include "session/setup/memory_estimate.hpp"
#include "session/setup/sampling_record.hpp"
#include "session/setup/species_setup.hpp"
#include "session/setup/start_setup.hpp"
#include "session/setup/step_demand.hpp"
#include "session/setup/time_estimator.hpp"

namespace nfold::plan {
namespace {

namespace fs = std::filesystem;

/// Returns why the planned memory exceeds a rank's limit; empty if it does not.
std::string beyond_limit(const setup::RunMemory& memory, const input::Settings& settings) {
  return describe_excess(memory.least_device_bytes(), setup::device_memory_limit(0, settings));
}

/// Counts of one system, the same for all machines.
struct CountedRun {
  input::Settings settings;
  std::optional<setup::SystemSetup> system;  // only if all of it is built
  setup::FirstState first;
  std::optional<setup::MemoryEstimator> on_gpu, on_cores;
  std::int64_t residues = 0;
  estimate::JobWork beside{};  // work beside the steps
};

/// Workload of one system on all ranks of a machine.
struct RunWork {
  std::shared_ptr<const CountedRun> counted;
  setup::RunEstimator on_gpu, on_cores;

  [[nodiscard]] estimate::LayoutWork on(const estimate::Layout& layout) const {
    const auto& settings = counted->settings;
    const auto residues = counted->residues;
    const auto& planner = layout.on_gpu ? counted->on_gpu : counted->on_cores;
    estimate::LayoutWork work;
    if (layout.ranks() > residues) {
      work.impossible = "more ranks than residues";
      return work;
    }
    auto demands = setup::step_demands(*planner, settings, layout.nodes, layout.ranks_per_node);
    setup::let_chains_gather(demands, settings);
    const auto [estimated, job] =
        (layout.on_gpu ? on_gpu : on_cores).of(demands, layout, counted->beside);
    const auto& step = estimated.step;
    work.correction = estimated.seconds / estimated.row.estimated_seconds;
    work.correction_runs = estimated.runs;
    work.spread = job.spread;
    work.time = job.time;
    work.bottleneck = std::string(step.bottleneck());
    work.step = step;
    const auto& memory = planner->about(layout.ranks(), layout.nodes);
    const auto runtime = setup::runtime_memory(layout.ranks(), layout.on_gpu, layout.nodes);
    work.impossible = beyond_limit(memory, settings);
    work.device_bytes = memory.device_bytes();
    work.spare_device_bytes = memory.device_bytes() - memory.needed_device_bytes();
    work.movable_device_bytes = memory.needed_device_bytes() - memory.least_device_bytes();
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
  const std::string model(input::model_name(settings.force_field.model));
  return estimate::expected_errors(
      estimate::sampled_rows(*file, model),
      setup::planned_means(settings, topology, settings.dynamics.steps, times));
}

WorkloadOnMachine count_run(input::Settings settings, const fs::path& input) {
  const comm::Communicator alone;
  auto work = std::make_shared<CountedRun>();
  work->settings = std::move(settings);
  auto part = setup::build_part(alone, work->settings, input, setup::predicted_residues);
  work->residues = part.residues;
  if (setup::stands_for_whole(part, work->settings)) {
    work->on_gpu.emplace(work->settings, input, std::move(part), true);
  } else {
    work->system =
        part.times > 1 ? setup::build_system(alone, work->settings, input) : std::move(part.system);
    work->first = setup::first_state(alone, work->settings, input, work->system->topology);
    work->on_gpu.emplace(work->settings, work->system->topology, work->first.state, true);
  }
  work->on_cores = work->on_gpu->on_backend(false);
  work->beside = setup::count_job_work(work->settings, *work->on_gpu, work->residues);
  const auto& dynamics = work->settings.dynamics;
  Workload workload;
  workload.kind = "run";
  workload.residues = work->residues;
  workload.steps = dynamics.steps;
  workload.time_step_ps = dynamics.time_step_ps;
  workload.lines.push_back(fmt::format(
      "{} residues, {} steps of {} ps ({:.4g} ns)", work->residues, dynamics.steps,
      dynamics.time_step_ps, 1e-3 * static_cast<double>(dynamics.steps) * dynamics.time_step_ps));
  const auto& topology = work->on_gpu->topology();
  workload.distinct_residues = setup::table_rows(topology);
  workload.errors = expected_errors(
      work->settings, topology,
      static_cast<double>(work->residues) / static_cast<double>(topology.residue_count()));
  add_sampling(work->settings, topology, ensemble::count_work(work->settings, topology), workload);
  return [workload, work](const estimate::Machine& machine) {
    auto on_machine = workload;
    const auto run = std::make_shared<RunWork>(RunWork{work, {machine, true}, {machine, false}});
    on_machine.on = [run](const estimate::Layout& layout) { return run->on(layout); };
    return on_machine;
  };
}

/// Returns the work of an ensemble on a layout of a machine.
using EnsembleWork =
    std::function<estimate::LayoutWork(const setup::EnsembleEstimator&, const estimate::Layout&)>;

WorkloadOnMachine count_ensemble(const input::Settings& settings, const fs::path& input) {
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
  const auto beside = setup::count_ensemble_work(settings, workload.residues);
  const EnsembleWork work_on = [=](const setup::EnsembleEstimator& estimator,
                                   const estimate::Layout& layout) {
    if (layout.ranks() > settings.ensemble.replicas()) {
      estimate::LayoutWork on;
      on.impossible = "more ranks than replicas";
      return on;
    }
    const auto [learned, job] =
        estimator.of(work, beside, estimate::job_of(layout), layout.ranks());
    estimate::LayoutWork on;
    on.time = job.time;
    on.correction = learned.seconds.steps / learned.row.predicted.steps;
    on.correction_runs = learned.runs;
    on.spread = job.spread;
    on.bottleneck = "steps of replicas";
    const auto memory = ensemble::estimate_ensemble_memory(settings, *system, first->state,
                                                           layout.ranks(), 1, layout.on_gpu);
    on.impossible = beyond_limit(memory, settings);
    on.device_bytes = memory.device_bytes();
    on.movable_device_bytes = memory.needed_device_bytes() - memory.least_device_bytes();
    on.host_bytes =
        layout.ranks_per_node * (memory.host_bytes() + (layout.on_gpu ? 0 : memory.device_bytes()));
    return on;
  };
  return [workload, work_on](const estimate::Machine& machine) {
    auto on_machine = workload;
    const setup::EnsembleEstimator on_gpu(machine, true), on_cores(machine, false);
    on_machine.on = [=](const estimate::Layout& layout) {
      return work_on(layout.on_gpu ? on_gpu : on_cores, layout);
    };
    return on_machine;
  };
}

}  // namespace

WorkloadOnMachine count_workload(const fs::path& input, const std::vector<std::string>& overrides,
                                 int side_by_side) {
  if (const auto list = read_target_list(input)) {
    return count_targets(*list, overrides, side_by_side);
  }
  const auto text = input::read_input_text(input);
  auto settings = input::parse_input(text, input.string(), overrides);
  return settings.ensemble.is_enabled() ? count_ensemble(settings, input)
                                        : count_run(std::move(settings), input);
}

Workload count_workload(const fs::path& input, const std::vector<std::string>& overrides,
                        const estimate::Machine& machine, int side_by_side) {
  return count_workload(input, overrides, side_by_side)(machine);
}

}  // namespace nfold::plan
