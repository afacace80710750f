// Command line of nfold bench.
// SPDX-License-Identifier: BSD-3-Clause

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/bench/bench.hpp"
#include "cli/bench/table.hpp"
#include "cli/command_options.hpp"
#include "cli/commands.hpp"

namespace nfold::cli {
namespace {

void add_suite_options(CLI::App* command, CLI::Option* input, bench::SuiteOptions& suite) {
  command
      ->add_option("--only", suite.only,
                   "Systems to measure [what fits here and takes some minutes in all]")
      ->type_name("NAME ...")
      ->excludes(input);
  command->add_option("--json", suite.json, "Write all measurements as JSON")
      ->type_name("FILE")
      ->excludes(input);
  command->add_option("--csv", suite.csv, "Write all measurements as CSV, a row each")
      ->type_name("FILE")
      ->excludes(input);
  command
      ->add_option("--against", suite.against,
                   "JSON or CSV of an earlier call on fewer ranks: adds ratio and efficiency")
      ->type_name("FILE")
      ->excludes(input);
  command
      ->add_option("--machine", suite.machine,
                   "Add what nfold plan predicts by this machine's entry, to JSON and CSV")
      ->type_name("NAME|FILE");
  command
      ->add_option("--warm-up", suite.warm_up_steps,
                   "Steps before the timing, in place of each system's own 2000 to 3000")
      ->transform(whole_from(0, 1'000'000'000))
      ->type_name("STEPS")
      ->excludes(input);
  command
      ->add_option("--seconds", suite.timing.seconds, "About how long one measurement lasts [10]")
      ->transform(real_from(0.01, 3600))
      ->type_name("SECONDS");
  command
      ->add_option("--repeats", suite.timing.repeats,
                   "Measurements, of which the median counts [3]")
      ->transform(whole_from(1, 1000));
}

void add_calibration_options(CLI::App* command, CLI::Option* input,
                             bench::CalibrationOptions& calibration) {
  auto* calibrate =
      command
          ->add_option("--calibrate", calibration.file,
                       "Measure how fast this machine is, in two minutes, and write its entry for "
                       "nfold plan; under mpirun what lies between its ranks")
          ->type_name("FILE")
          ->excludes(input);
  command
      ->add_option("--like", calibration.like,
                   "With --calibrate: machine or file whose network, limits and price are taken, "
                   "and what is not measured [h200]")
      ->type_name("NAME|FILE")
      ->needs(calibrate);
  command
      ->add_option("--steps-csv", calibration.steps_csv,
                   "With --calibrate: what was counted and measured, a row a system")
      ->type_name("FILE")
      ->needs(calibrate);
}

}  // namespace

void add_bench(CLI::App& app, job::Invocation& invocation) {
  auto options = std::make_shared<bench::BenchOptions>();
  auto& suite = options->suite;
  auto* command = app.add_subcommand(
      "bench", "Measure speed: the suite of built-in systems as a table, or INPUT.yaml's system");
  auto* input =
      command->add_option("INPUT", options->input,
                          "Input file (YAML); prints one line of JSON, of an ensemble for "
                          "all its replicas at once [the suite]");
  command->add_flag("--list", options->list, "Name the systems of the suite")->excludes(input);
  add_suite_options(command, input, suite);
  add_overwrite_option(*command, suite.overwrite);
  add_calibration_options(command, input, options->calibration);
  add_set_option(*command, suite.overrides);
  add_threads_option(*command, suite.threads);
  add_gpus_option(*command, suite.gpus);
  add_device_memory_option(*command, suite.device_memory);
  command->footer(bench::column_help);
  command->callback(
      [options, &invocation] { invocation.exit_code = bench::bench(invocation, *options); });
}

}  // namespace nfold::cli
