// Command line of nfold prepare.
// SPDX-License-Identifier: BSD-3-Clause

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cli/calvados/prepare_folder.hpp"
#include "cli/command_options.hpp"
#include "cli/commands.hpp"
#include "cli/prepare/prepare.hpp"
#include "core/refusal.hpp"
#include "input/keys.hpp"
#include "session/job/failure.hpp"

namespace nfold::cli {
namespace {

/// Returns the names that a key of the input accepts.
std::vector<std::string> choice_names(std::string_view key) {
  const auto& rule = std::get<document::ChoiceRule>(input::find_key(key)->field.rule);
  return {rule.names.begin(), rule.names.end()};
}

void add_molecule_options(CLI::App& command, prepare::PrepareOptions& options) {
  command
      .add_option(
          "INPUTS", options.inputs,
          "A species each: FILE or NAME=FILE, FASTA (FILE:RECORD picks one of several), PDB "
          "or mmCIF, plain or gzipped; or one CALVADOS folder")
      ->required();
  command.add_option("-o,--output", options.output,
                     "Input file to write (default: NAME.yaml of the first species)");
  command
      .add_option("--model", options.model,
                  "Force field (default: go for structures, calvados2 for sequences)")
      ->check(CLI::IsMember(choice_names("force_field.model")));
  command
      .add_option("--chains", options.chains,
                  "Chains and residue ranges: A, or A:10-50, or A:10-50,60-72; NAME=A for one "
                  "species")
      ->allow_extra_args(false);
  command
      .add_option("--kind", options.kinds,
                  "Chain kind of a sequence or of nucleotides, as rna; NAME=rna for one species")
      ->allow_extra_args(false);
  command
      .add_option("--mutate", options.mutations,
                  "Replace a residue: A:R65K, or A:S26=SEP for a name of the force field; once for "
                  "each; NAME=... for one species")
      ->allow_extra_args(false);
  command.add_option("--nmr-model", options.nmr_model, "Model of an NMR structure, from 1")
      ->transform(whole_from(1, 1'000'000))
      ->type_name("N");
  command
      .add_option("--domains", options.domains,
                  "A folded domain, 10-50 or 10-50,60-72 if it has two parts; once for each; or "
                  "auto, which finds them; NAME=... for one species (calvados3: auto)")
      ->allow_extra_args(false);
}

/// Prepares a CALVADOS folder. Throws core::InputError for options that choose what the folder
/// already says.
void prepare_folder(const CLI::App& command, const prepare::PrepareOptions& options) {
  for (const auto* option : command.get_options()) {
    const auto name = option->get_name();
    const bool is_allowed = name == "INPUTS" || name == "--output" || name == "--set" ||
                            name == "--overwrite" || option->count() == 0;
    if (is_allowed) continue;
    core::refuse(name, "is not for a CALVADOS folder, which says this itself",
                 "leave it out, or change the input that is written");
  }
  calvados::prepare_folder(
      {options.inputs[0], options.output, options.overrides, options.overwrite}, std::cout);
}

void add_box_options(CLI::App& command, prepare::PrepareOptions& options) {
  command.add_option("--copies", options.copies, "Molecules of each species: N, or NAME=N for one")
      ->allow_extra_args(false);
  command
      .add_option("--concentration", options.concentrations,
                  "mg/ml of everything, which makes a cubic box; NAME=mg/ml: copies of one species "
                  "in the box")
      ->allow_extra_args(false);
  command
      .add_option("--millimolar", options.molarities,
                  "NAME=mmol/l: copies of one species in the box")
      ->allow_extra_args(false);
  command
      .add_option("--box", options.box_nm,
                  "Edges in nm: X,Y,Z, or one for a cube; 0 leaves an axis open")
      ->transform(real_from(0, 2000))
      ->type_name("NM")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      .add_option("--start", options.start,
                  "First coordinates; for slab and droplet a box is chosen if none is given")
      ->check(CLI::IsMember({"native", "unfolded", "random", "lattice", "slab", "droplet"}));
}

}  // namespace

void add_prepare(CLI::App& app, job::Invocation& invocation) {
  auto options = std::make_shared<prepare::PrepareOptions>();
  CLI::App* command =
      app.add_subcommand("prepare", "Writes an input file for sequences and structures");
  add_molecule_options(*command, *options);
  add_box_options(*command, *options);
  command->add_option("--contacts", options->contacts, "go: native contacts by this map")
      ->check(CLI::IsMember(choice_names("force_field.contacts.map")));
  command->add_option("--contact-potential", options->contact_potential, "go: 12-10 or gaussian")
      ->check(CLI::IsMember(choice_names("force_field.contact_potential")));
  add_set_option(*command, options->overrides);
  command->add_flag("--overwrite", options->overwrite, "Replace an input file that exists");
  command->callback([command, options, &invocation] {
    invocation.exit_code = core::ExitCode::done;
    // One process does the work under mpirun, because it takes a single core.
    if (!job::is_root_before_mpi()) return;
    if (options->inputs.size() == 1 && calvados::is_calvados_folder(options->inputs[0])) {
      prepare_folder(*command, *options);
    } else {
      prepare::prepare(*options, std::cout);
    }
  });
}

}  // namespace nfold::cli
