// Command line of nfold energy.
// SPDX-License-Identifier: BSD-3-Clause

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "cli/calvados/prepare_folder.hpp"
#include "cli/command_options.hpp"
#include "cli/commands.hpp"
#include "session/run/frame_energies.hpp"

namespace nfold::cli {

void add_energy(CLI::App& app, job::Invocation& invocation) {
  auto options = std::make_shared<run::EnergyOptions>();
  auto* command = app.add_subcommand(
      "energy", "Energies by term, and forces, of given coordinates or of each frame");
  command->add_option("INPUT", options->input, "Input file (YAML), or a CALVADOS folder")
      ->required();
  command->add_option("COORDINATES", options->coordinates,
                      "PDB, mmCIF, GRO, DCD, H5MD, CSV (x,y,z in nm) or a checkpoint, with the "
                      "beads in the order of the system [the start of the input, minimised as it "
                      "says]");
  command
      ->add_option("--frames", options->frames,
                   "Frames of a trajectory: a number from 0, or FIRST:END:STEP as in Python [all]")
      ->type_name("FRAMES");
  command
      ->add_option("--csv", options->csv,
                   "Write the energies as CSV, a row each frame; all digits, kJ/mol")
      ->type_name("FILE");
  command
      ->add_option("--forces", options->forces,
                   "Write the forces on all beads in kJ/mol/nm: .csv, .h5 or .hdf5")
      ->type_name("FILE");
  command->add_flag("--json", options->json, "Print JSON in place of the table");
  add_overwrite_option(*command, options->overwrite);
  add_set_option(*command, options->overrides);
  add_threads_option(*command, options->threads);
  add_gpus_option(*command, options->gpus);
  add_device_memory_option(*command, options->device_memory);
  command->footer(
      "Energies are those of the engine of a run, in double precision whatever dynamics.precision "
      "says.");
  command->callback([options, &invocation] {
    options->input = calvados::to_input(options->input, std::cerr);
    invocation.exit_code = run::print_energies(invocation, *options);
  });
}

}  // namespace nfold::cli
