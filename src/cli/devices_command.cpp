// Command line of nfold devices.
// SPDX-License-Identifier: BSD-3-Clause

#include <CLI/CLI.hpp>
#include <map>
#include <memory>

#include "cli/bench/devices.hpp"
#include "cli/command_options.hpp"
#include "cli/commands.hpp"

namespace nfold::cli {
namespace {

void add_split_options(CLI::App& command, bench::SplitRequest& split) {
  using bench::SplitUnit;
  constexpr std::int64_t most_units = 1'000'000'000'000, most_residues = 1'000'000'000;
  const std::map<std::string, SplitUnit> units{{"replicas", SplitUnit::replicas},
                                               {"residues", SplitUnit::residues},
                                               {"targets", SplitUnit::targets}};
  auto* whole = command
                    .add_option("--split", split.units,
                                "Show how so many units of work would be shared out over the "
                                "devices, by each strategy of devices.split")
                    ->transform(whole_from(1, most_units))
                    ->type_name("N");
  command.add_option("--split-unit", split.unit, "What they are [replicas]")
      ->transform(CLI::CheckedTransformer(units).description(""))
      ->type_name("replicas|residues|targets")
      ->needs(whole);
  command
      .add_option("--unit-residues", split.residues_per_unit,
                  "Residues of a replica or target; with --measure, times are seconds then")
      ->transform(whole_from(1, most_residues))
      ->type_name("R")
      ->needs(whole);
  command
      .add_option("--unit-memory", split.bytes_per_unit,
                  "Memory that a unit takes on a device: 900B, 2MB (see nfold check --memory)")
      ->transform(size_in_bytes())
      ->type_name("SIZE")
      ->needs(whole);
}

}  // namespace

void add_devices(CLI::App& app, job::Invocation& invocation) {
  auto options = std::make_shared<bench::DevicesOptions>();
  auto* command = app.add_subcommand("devices",
                                     "GPUs and CPU of this node, or under mpirun of all of the "
                                     "job: what they are, how healthy, how "
                                     "good; exit code 2 if one is unfit");
  command->add_flag("--json", options->json, "As JSON, with whatever is unknown as null");
  command->add_flag(
      "--measure", options->measure,
      "Measure each device too, in some seconds: pair forces, memory, links, latency");
  add_split_options(*command, options->split);
  // Hidden options with which --measure starts this program for one device.
  command->add_flag("--measure-here", options->measure_here)->group("");
  command->add_flag("--measure-links-here", options->measure_links_here)->group("");
  command->callback([options, &invocation] {
    if (options->split.unit == bench::SplitUnit::residues && options->split.residues_per_unit > 0) {
      throw CLI::ValidationError("--unit-residues",
                                 "is the size of a replica or target; a residue has none");
    }
    invocation.exit_code = bench::devices(invocation, *options);
  });
}

}  // namespace nfold::cli
