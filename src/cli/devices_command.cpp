// The command line of nfold devices.
// SPDX-License-Identifier: BSD-3-Clause

#include <CLI/CLI.hpp>
#include <memory>

#include "bench/devices.hpp"
#include "cli/commands.hpp"

namespace nfold::cli {

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
  // How --measure starts this program for one device; nothing that a user would ask for.
  command->add_flag("--measure-here", options->measure_here)->group("");
  command->add_flag("--measure-links-here", options->measure_links_here)->group("");
  command->callback(
      [options, &invocation] { invocation.exit_code = bench::devices(invocation, *options); });
}

}  // namespace nfold::cli
