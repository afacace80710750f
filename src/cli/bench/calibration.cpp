// Measurement of the calibration's systems, and output of the machine's entry.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/bench/calibration.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <vector>

#include "cli/bench/job_costs.hpp"
#include "cli/bench/ready_system.hpp"
#include "cli/bench/suite.hpp"
#include "cli/bench/systems.hpp"
#include "core/csv.hpp"
#include "core/text_table.hpp"
#include "device/compute_environment.hpp"
#include "device/device_memory.hpp"
#include "device/hardware/node.hpp"
#include "device/hardware/processor_time.hpp"
#include "device/link_speed.hpp"
#include "estimate/dispatch.hpp"
#include "estimate/machine.hpp"
#include "estimate/step_fit.hpp"
#include "session/ensemble/counted_work.hpp"
#include "session/job/collective_work.hpp"
#include "session/job/failure.hpp"
#include "session/job/result_files.hpp"
#include "session/setup/device_setup.hpp"
#include "session/setup/machine_lookup.hpp"
#include "session/setup/step_demand.hpp"

namespace nfold::bench {
namespace {

/// Cutoff of the repulsion in the calibration's go models.
constexpr double go_repulsion_nm = 0.8;

/// Density of one chain that sees no image of itself. It shows what a step without bonded tables
/// waits for.
constexpr double lone_chain_residues_per_nm3 = 0.02;

/// Residues above which a core's system gets fewer warm-up steps: the work of a step is counted in
/// the state that is timed.
constexpr std::int64_t large_for_cores = 1'000, fewer_warm_up_steps = 900;

/// System of the calibration.
struct CalibrationCase {
  BenchSystem system;
  bool in_full_precision = false;
};

struct MeasuredCase {
  std::string name;
  std::int64_t residues = 0;
  int replicas = 0;
  std::int64_t terms = 0;       ///< terms of a go model
  estimate::StepDemand demand;  ///< counted work of a step; empty for replicas
  double seconds = 0;           ///< per step of all replicas together
};

BenchSystem copies_of_ubiquitin(const std::string& name, int copies, double edge_nm) {
  return go_system(name, {go_repulsion_nm, copies, edge_nm});
}

std::vector<CalibrationCase> cases_of_gpu() {
  return {
      {go_system("go-ubq", {})},
      {go_system("go-300", {go_repulsion_nm, 1, 0, 0, GoProtein::gbeta_300})},
      {copies_of_ubiquitin("go-10k", 132, 24)},
      {copies_of_ubiquitin("go-100k", 1316, 52)},
      {condensate_system("condensate-1k", 1'050)},
      {condensate_system("condensate-10k", 10'050)},
      {condensate_system("condensate-100k", 100'050)},
      {condensate_system("condensate-1m", 1'000'050)},
      {droplets_system("droplets-60k", {390, 2})},
      {model_system("hps-urry-20k", {"hps-urry", 114, 0.2})},
      {model_system("calvados2-fus-20k", {"calvados2", 123, 2, "FUS-LCD"})},
      {model_system("calvados2-alone", {"calvados2", 1, lone_chain_residues_per_nm3})},
      {model_system("calvados2-100k", {"calvados2", 568, 1})},
      {model_system("mpipi-2k", {"mpipi", 12, 1})},
      {model_system("mpipi-100k", {"mpipi", 568, 1})},
      {model_system("mpipi-coils-20k", {"mpipi", 123, 0.2, "FUS-LCD"})},
      {folded_system("calvados3-folded-20k", {"calvados3", 264})},
      {model_system("kim-hummer-20k", {"kim-hummer", 114, 1})},
      {condensate_system("tabulated-terms-20k", 20'100, CondensatePairs::tabulated_terms)},
      {condensate_system("condensate-10k", 10'050), true},
      {go_system("go-ubq-alone", {go_repulsion_nm, 1, 0, 1})},
      {go_system("go-ubq-1056", {go_repulsion_nm, 1, 0, 1056})},
      {go_system("go-ubq-4224", {go_repulsion_nm, 1, 0, 4224})},
      {go_system("go-300-1000", {go_repulsion_nm, 1, 0, 1000, GoProtein::gbeta_300})},
      {tdp43_replicas("hps-154-1000", 1000)},
  };
}

std::vector<CalibrationCase> cases_of_core() {
  return {
      {go_system("go-ubq", {})},
      {go_system("go-300", {go_repulsion_nm, 1, 0, 0, GoProtein::gbeta_300})},
      {copies_of_ubiquitin("go-2k", 27, 14.2)},
      {copies_of_ubiquitin("go-10k", 132, 24)},
      {condensate_system("condensate-1k", 1'050)},
      {condensate_system("condensate-2400", 2'400)},
      {condensate_system("condensate-10k", 10'050)},
      {model_system("calvados2-2k", {"calvados2", 12, 1})},
      {model_system("calvados2-alone", {"calvados2", 1, lone_chain_residues_per_nm3})},
      {model_system("hps-urry-2k", {"hps-urry", 12, 0.2})},
      {model_system("calvados2-fus", {"calvados2", 13, 2, "FUS-LCD"})},
      {model_system("mpipi-2k", {"mpipi", 12, 1})},
      {model_system("kim-hummer-1k", {"kim-hummer", 6, 1})},
      {condensate_system("tabulated-terms-1k", 1'050, CondensatePairs::tabulated_terms)},
      {folded_system("calvados3-folded-2k", {"calvados3", 27})},
      {condensate_system("condensate-2400", 2'400), true},
      {go_system("go-ubq-16", {go_repulsion_nm, 1, 0, 16})},  // a group of lanes
      {go_system("go-300-16", {go_repulsion_nm, 1, 0, 16, GoProtein::gbeta_300})},
      {tdp43_replicas("hps-154-16", 16)},
  };
}

std::vector<CalibrationCase> cases_between(bool on_gpu) {
  if (on_gpu) {
    return {{go_system("go-ubq", {})},
            {model_system("calvados2-2k", {"calvados2", 12, 1})},
            {condensate_system("condensate-10k", 10'050)},
            {condensate_system("condensate-100k", 100'050)},
            {condensate_system("condensate-1m", 1'000'050)}};
  }
  return {{go_system("go-ubq", {})},
          {go_system("go-300", {go_repulsion_nm, 1, 0, 0, GoProtein::gbeta_300})},
          {condensate_system("condensate-2400", 2'400)},
          {condensate_system("condensate-10k", 10'050)},
          {copies_of_ubiquitin("go-2k", 27, 14.2)}};
}

const char* const full_precision = "dynamics.precision=double";

/// Returns name, residues, replicas and time of a step.
std::vector<std::string> describe_case(const MeasuredCase& measured) {
  return {measured.name, fmt::format("{}", measured.residues),
          measured.replicas > 0 ? std::to_string(measured.replicas) : "-",
          fmt::format("{:.5g}", 1e6 * measured.seconds)};
}

void print_row(const comm::Communicator& communicator, std::vector<std::string> row) {
  if (!communicator.is_root()) return;
  core::TextTable table("lrrr", {16, 8, 8, 12});
  table.add(std::move(row));
  std::cout << table.text() << std::flush;
}

class Calibration {
 public:
  Calibration(const comm::Communicator& communicator, std::shared_ptr<device::JobDevices> devices)
      : communicator_(communicator), devices_(std::move(devices)) {}

  /// Measures the cases and prints each step time when it is known.
  std::vector<MeasuredCase> measure(const std::vector<CalibrationCase>& cases) {
    return device::computes_on_gpu() ? one_by_one(cases) : in_turns(cases);
  }

 private:
  /// Time of one measurement on a GPU [s]; those of a core are shorter and as long together.
  static constexpr double seconds_of_one = 0.8;
  static constexpr int repeats = 3;
  static constexpr int turns = 5;  // measurements of a core

  std::vector<MeasuredCase> one_by_one(const std::vector<CalibrationCase>& cases) {
    std::vector<MeasuredCase> measured;
    for (const auto& one : cases) {
      const auto ready = prepare(one);
      const double seconds = time(one, *ready, {seconds_of_one, repeats, false});
      measured.push_back(count(one, *ready, seconds));
    }
    return measured;
  }
  /// Measures all systems in turns. A core that shares its host is slow for seconds on end: no
  /// system then has all its measurements in such a period, and the median is what a long run will
  /// see. Systems of cores are small enough to be kept.
  std::vector<MeasuredCase> in_turns(const std::vector<CalibrationCase>& cases) {
    std::vector<std::unique_ptr<ReadySystem>> ready;
    ready.reserve(cases.size());
    for (const auto& one : cases) ready.push_back(prepare(one));
    std::vector<std::vector<double>> seconds(cases.size());
    for (int turn = 0; turn < turns; ++turn) {
      for (std::size_t k = 0; k < cases.size(); ++k) {
        seconds[k].push_back(
            time(cases[k], *ready[k], {seconds_of_one * repeats / turns, 1, false}));
      }
    }
    std::vector<MeasuredCase> measured;
    for (std::size_t k = 0; k < cases.size(); ++k) {
      measured.push_back(count(cases[k], *ready[k], median(seconds[k])));
    }
    return measured;
  }

  [[nodiscard]] std::unique_ptr<ReadySystem> prepare(const CalibrationCase& one) const {
    SuiteOptions suite;
    if (one.in_full_precision) suite.overrides.emplace_back(full_precision);
    if (!device::computes_on_gpu() && one.system.residues > large_for_cores) {
      suite.warm_up_steps = fewer_warm_up_steps;
    }
    std::unique_ptr<ReadySystem> ready;
    require_success(one, [&] {
      BenchResult about;
      ready = std::make_unique<ReadySystem>(communicator_, devices_, one.system, suite, about);
    });
    return ready;
  }
  [[nodiscard]] double time(const CalibrationCase& one, ReadySystem& ready,
                            const Timing& timing) const {
    double seconds = 0;
    require_success(one, [&] { seconds = fastest(ready.time(timing)); });
    return seconds;
  }
  void require_success(const CalibrationCase& one, const std::function<void()>& work) const {
    const auto reason = catch_failure(communicator_, work);
    if (reason.empty()) return;
    throw core::Failure(fmt::format("{}: {}", one.system.name, reason), core::Outcome::failure,
                        core::Reach::all_ranks);
  }

  /// Counts the work in the measured state, since chains cluster over time, and prints the case.
  [[nodiscard]] MeasuredCase count(const CalibrationCase& one, const ReadySystem& ready,
                                   double seconds) const {
    const auto& topology = ready.topology();
    MeasuredCase found{one.system.name, one.system.residues, one.system.replicas, 0, {}, seconds};
    if (ready.settings().force_field.model == input::ForceFieldModel::go) {
      found.terms = ensemble::count_terms(topology);
    }
    if (found.replicas == 0) {
      const auto state = ready.state();
      const setup::MemoryEstimator planner(ready.settings(), topology, state);
      const auto demands = setup::step_demands(planner, ready.settings(), 1, communicator_.size());
      found.demand = *std::ranges::max_element(demands, {}, &estimate::StepDemand::ghosts);
    }
    print_row(communicator_, describe_case(found));
    return found;
  }
  /// Returns the seconds of the fastest step. A single CPU thread is measured by its processor
  /// time, which other programs do not lengthen.
  [[nodiscard]] double fastest(const Measurement& measurement) const {
    const bool is_one_thread = !device::computes_on_gpu() && communicator_.size() == 1;
    double least = std::numeric_limits<double>::max();
    for (const auto& block : measurement.blocks) {
      const double seconds =
          is_one_thread ? std::min(block.seconds, block.processor_seconds) : block.seconds;
      least = std::min(least, seconds / static_cast<double>(block.steps));
    }
    return least;
  }

  const comm::Communicator& communicator_;
  std::shared_ptr<device::JobDevices> devices_;
};

std::string csv_of(const std::vector<MeasuredCase>& steps) {
  std::string text =
      "system,residues,term_work,pair_form,pairs,charge_pairs,ghosts,peers,full_precision,"
      "step_us\n";
  for (const auto& one : steps) {
    const auto& d = one.demand;
    text += core::csv_row(one.name, d.residues, d.term_work, estimate::pair_form_name(d.pair_form),
                          d.pairs, d.charge_pairs, d.ghosts, d.peers, d.is_in_full_precision,
                          1e6 * one.seconds) +
            "\n";
  }
  return text;
}

estimate::SpeedPoint point_of(const MeasuredCase& one, const estimate::MachineTable& machine) {
  const double replicas = std::max(1, one.replicas);
  const double residues = estimate::equivalent_residues(
      static_cast<double>(one.residues), static_cast<double>(one.terms), machine, one.replicas > 0);
  return {residues, replicas, replicas / one.seconds};
}

estimate::SpeedCurve curve_of(const std::vector<MeasuredCase>& all,
                              const estimate::MachineTable& machine, double most) {
  estimate::SpeedCurve curve;
  curve.most_steps_per_second = most;
  for (const auto& one : all) curve.points.push_back(point_of(one, machine));
  std::ranges::sort(curve.points, [](const auto& a, const auto& b) {
    return std::pair(a.residues, a.replicas) < std::pair(b.residues, b.replicas);
  });
  return curve;
}

std::vector<MeasuredCase> select_cases(const std::vector<MeasuredCase>& all,
                                       std::initializer_list<std::string_view> names) {
  std::vector<MeasuredCase> found;
  for (const auto& one : all) {
    const bool is_named = std::ranges::find(names, one.name) != names.end();
    if (is_named && !one.demand.is_in_full_precision) found.push_back(one);
  }
  return found;
}

/// Fits the coefficients of one rank, or those between ranks, to the measured steps.
void fit_step(estimate::StepCoefficients& step, const std::vector<MeasuredCase>& steps,
              bool between) {
  std::vector<estimate::MeasuredStep> mixed;
  for (const auto& one : steps) {
    if (!one.demand.is_in_full_precision) mixed.push_back({one.demand, one.seconds});
  }
  if (between) {
    step = estimate::fitted_between(step, mixed);
    return;
  }
  step = estimate::fitted(step, mixed);
  for (const auto& one : steps) {
    if (!one.demand.is_in_full_precision) continue;
    step.full_precision_factor = 1;
    const auto predicted = estimate::step_time(step, one.demand, {}, 1);
    step.full_precision_factor =
        std::max(1.0, (one.seconds - predicted.launch) / (predicted.seconds() - predicted.launch));
  }
}

/// Replaces the node data of `like` by what the node reports.
void apply_node_data(estimate::Machine& machine, bool on_gpu) {
  const auto memory = device::host_memory_of_all();
  const auto node = hardware::read_node({memory.free_bytes, memory.total_bytes});
  constexpr double giga = 1e9;
  const double memory_gb_per_s = device::measured_memory_bytes_per_second() / giga;
  setup::set_host(machine, node);
  machine.description = fmt::format("{}, as nfold bench --calibrate found it", node.host);
  if (!on_gpu) {
    machine.core.name = node.cpu.model;
    machine.core.memory_gb_per_s = memory_gb_per_s / machine.cores_per_node;
    if (node.cpu.most_clock_mhz) machine.core.clock_mhz = *node.cpu.most_clock_mhz;
    machine.gpus_per_node = 0;
    machine.gpu.reset();
    return;
  }
  const auto* const gpu = setup::first_usable_gpu(node);
  if (gpu == nullptr) return;
  machine.gpus_per_node = static_cast<int>(node.gpus.size());
  if (!machine.gpu) machine.gpu.emplace();
  setup::set_gpu(*machine.gpu, *gpu, true);
  machine.gpu->memory_gb_per_s = memory_gb_per_s;
}

void take_curves(estimate::Machine& machine, const std::vector<MeasuredCase>& all, bool on_gpu) {
  auto& speeds = on_gpu ? machine.speeds.gpu : machine.speeds.cpu_core;
  const auto& step = machine.step(on_gpu);
  const double most = 1e6 / std::max(0.1, step.launch_us);
  const auto& table = machine.speeds;
  speeds.go = curve_of(select_cases(all, {"go-ubq", "go-2k", "go-10k", "go-100k"}), table,
                       std::max(most, 1 / select_cases(all, {"go-ubq"}).front().seconds));
  speeds.condensate =
      curve_of(select_cases(all, {"condensate-1k", "condensate-2400", "condensate-10k",
                                  "condensate-100k", "condensate-1m"}),
               table, most);
  if (!on_gpu) {
    auto& points = speeds.condensate.points;
    points.insert(points.begin(), point_of(select_cases(all, {"calvados2-alone"}).front(), table));
  }
  // Keeps the limit of `like`: each of a few blocks has a multiprocessor to itself.
  speeds.resident_chains = curve_of(select_cases(all, {"hps-154-16", "hps-154-1000"}), table,
                                    speeds.resident_chains.most_steps_per_second);
  if (!on_gpu) {
    const int group = speeds.resident.group;
    const auto resident = select_cases(all, {"go-ubq-16", "go-300-16"});
    speeds.resident = curve_of(resident, table, point_of(resident.front(), table).steps_per_second);
    speeds.resident.group = group;
    speeds.resident.repulsion_nm = go_repulsion_nm;
    return;
  }
  const auto alone = select_cases(all, {"go-ubq-alone"});
  speeds.resident =
      curve_of(select_cases(all, {"go-ubq-alone", "go-ubq-1056", "go-ubq-4224", "go-300-1000"}),
               table, 1 / alone.front().seconds);
  speeds.resident.repulsion_nm = go_repulsion_nm;
}

}  // namespace

core::ExitCode calibrate(const comm::Communicator& communicator,
                         const CalibrationOptions& options) {
  auto machine = setup::machine_named(
      communicator, options.like.empty() ? std::string(estimate::default_machine) : options.like);
  std::optional<device::ComputeEnvironment> compute;
  compute.emplace(communicator, 1, setup::to_device_request({}, options.gpus));
  const double before_seconds =
      device::computes_on_gpu()
          ? hardware::process_age_seconds()
          : std::min(hardware::process_age_seconds(), hardware::processor_seconds());
  job::on_root(communicator, [&] { print_warnings(*compute); });
  const bool on_gpu = device::computes_on_gpu();
  const bool between = communicator.size() > 1;
  auto& step = machine.step(on_gpu);
  Calibration calibration(communicator, compute->devices());
  print_row(communicator, {"system", "residues", "replicas", "step, us"});
  const auto measured = calibration.measure(between  ? cases_between(on_gpu)
                                            : on_gpu ? cases_of_gpu()
                                                     : cases_of_core());
  auto steps = measured;
  std::erase_if(steps, [](const auto& one) { return one.demand.residues == 0; });
  fit_step(step, steps, between);
  if (options.like.empty()) {
    machine.most_nodes = 1;
    machine.gpu_hour = machine.core_hour = 0;
  }
  if (!between) {
    apply_node_data(machine, on_gpu);
    take_curves(machine, measured, on_gpu);
    machine.job = measure_job_costs(communicator, compute, before_seconds);
  }
  machine.speed_source =
      fmt::format("measured {:%Y-%m-%d} by nfold bench --calibrate on {}",
                  fmt::gmtime(std::time(nullptr)), device::execution_space_name());
  machine.measured_ranks = std::max(2, communicator.size());
  machine.steps_are_scaled = machine.replicas_are_scaled = false;
  job::on_root(communicator, [&] {
    core::TextTable table("lrrrrr");
    table.add({"predicted", "residues", "", "measured, us", "predicted, us", ""});
    for (const auto& one : steps) {
      const double seconds =
          estimate::step_time(step, one.demand, {}, communicator.size()).seconds();
      auto row = describe_case(one);
      row.push_back(fmt::format("{:.5g}", 1e6 * seconds));
      row.push_back(fmt::format("{:.0f} %", 100 * (seconds / one.seconds - 1)));
      table.add(std::move(row));
    }
    std::cout << "\n" << table.text();
    job::write_result(options.file, estimate::format_text(machine));
    if (!options.steps_csv.empty()) job::write_result(options.steps_csv, csv_of(steps));
    std::cout << fmt::format("written: {}; nfold plan INPUT.yaml --machine {}\n", options.file,
                             options.file);
  });
  return core::ExitCode::done;
}

}  // namespace nfold::bench
