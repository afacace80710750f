// Choice and measurement of the suite's systems.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/bench/suite.hpp"

#include <algorithm>
#include <iostream>
#include <utility>

#include "cli/bench/choice.hpp"
#include "cli/bench/ready_system.hpp"
#include "cli/bench/table.hpp"
#include "device/compute_environment.hpp"
#include "device/device_memory.hpp"
#include "input/input.hpp"
#include "input/keys.hpp"
#include "session/job/collective_work.hpp"
#include "session/job/failure.hpp"
#include "session/job/result_files.hpp"
#include "session/setup/device_setup.hpp"
#include "session/setup/machine_lookup.hpp"

namespace nfold::bench {
namespace {

/// Returns the text on one line, for a row of a table.
std::string on_one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// Output of rank 0: screen and files.
class SuiteOutput {
 public:
  SuiteOutput(const SuiteOptions& options, BenchReport& report, const EarlierSpeeds& earlier)
      : options_(options),
        report_(report),
        earlier_(options.against.empty() ? nullptr : &earlier) {}

  void begin() {
    write_files();
    std::cout << table_header(report_.context, earlier_) << std::flush;
  }
  void add(const BenchResult& result) {
    std::cout << table_line(report_.context, result, earlier_) << std::flush;
    write_files();
  }
  void end() const {
    std::cout << left_out_lines(report_.left_out) << std::flush;
    for (const auto& [file, text] : results()) {
      if (job::is_special(file)) job::write_result(file, text);
    }
  }

 private:
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> results() const {
    std::vector<std::pair<std::string, std::string>> all;
    if (!options_.json.empty()) all.emplace_back(options_.json, json_text(report_));
    if (!options_.csv.empty()) all.emplace_back(options_.csv, csv_text(report_));
    return all;
  }
  /// Writes the results after each system; a special file is written once, at the end.
  void write_files() const {
    for (const auto& [file, text] : results()) {
      if (!job::is_special(file)) job::write_result(file, text);
    }
  }
  const SuiteOptions& options_;
  BenchReport& report_;
  const EarlierSpeeds* earlier_;
};

std::vector<BenchSystem> systems_for(const SuiteOptions& options, const Capacity& capacity,
                                     std::vector<LeftOut>& left_out) {
  if (!options.only.empty()) return chosen_systems(options.only);
  std::vector<BenchSystem> systems;
  for (const auto& system : bench_suite()) {
    auto reason = why_left_out(system, capacity);
    if (reason.empty()) {
      systems.push_back(system);
    } else {
      left_out.push_back({system.name, std::move(reason)});
    }
  }
  return systems;
}

BenchContext context_of(const comm::Communicator& communicator, const SuiteOptions& options,
                        const input::Settings& settings) {
  auto context = bench_context(communicator.size());
  context.precision = input::value_text(*input::find_key("dynamics.precision"), settings);
  for (const auto& override_text : options.overrides) {
    context.overrides += (context.overrides.empty() ? "" : " ") + override_text;
  }
  return context;
}

}  // namespace

void print_warnings(const device::ComputeEnvironment& compute) {
  for (const auto& text : compute.warnings()) std::cerr << "nfold: WARNING: " + text + "\n";
}

std::string catch_failure(const comm::Communicator& communicator,
                          const std::function<void()>& work) {
  try {
    work();
  } catch (const std::exception& failure) {
    if (communicator.size() > 1 && !job::to_failure(failure).is_collective()) throw;
    return on_one_line(failure.what());
  }
  return {};
}

BenchResult measure_system(const comm::Communicator& communicator, const BenchSystem& system,
                           const SuiteOptions& options,
                           std::shared_ptr<device::JobDevices> devices) {
  if (!devices) devices = std::make_shared<device::JobDevices>(communicator);
  BenchResult result;
  result.system = system.name;
  result.residues = system.residues;
  result.replicas = system.replicas;
  result.reason = catch_failure(communicator, [&] {
    ReadySystem ready(communicator, devices, system, options, result);
    result.measurement = ready.time(options.timing);
  });
  return result;
}

core::ExitCode run_suite(const comm::Communicator& communicator,
                         const SuiteOptions& suite_options) {
  auto options = suite_options;
  if (!options.machine.empty())
    options.predicts = setup::machine_named(communicator, options.machine);
  if (!options.only.empty()) (void)chosen_systems(options.only);
  const std::string earlier_text = job::text_from_root(communicator, [&options] {
    return options.against.empty() ? "" : input::read_input_text(options.against);
  });
  const auto earlier =
      options.against.empty() ? EarlierSpeeds() : EarlierSpeeds(earlier_text, options.against);
  const auto checked = bench_suite().front().settings(options.overrides);
  device::limit_device_memory(static_cast<std::int64_t>(options.device_memory));
  const device::ComputeEnvironment compute(communicator, options.threads,
                                           setup::to_device_request(checked.devices, options.gpus));
  job::on_root(communicator, [&] { print_warnings(compute); });
  BenchReport report;
  const auto systems =
      systems_for(options, free_capacity(communicator, *compute.devices()), report.left_out);
  for (const auto& system : systems) (void)system.settings(options.overrides);
  report.context = context_of(communicator, options, checked);
  SuiteOutput output(options, report, earlier);
  job::on_root(communicator, [&output] { output.begin(); });
  bool any_failed = false;
  for (const auto& system : systems) {
    report.results.push_back(measure_system(communicator, system, options, compute.devices()));
    any_failed |= !report.results.back().reason.empty();
    job::on_root(communicator, [&] { output.add(report.results.back()); });
  }
  job::on_root(communicator, [&output] { output.end(); });
  return any_failed ? core::ExitCode::partly_failed : core::ExitCode::done;
}

}  // namespace nfold::bench
