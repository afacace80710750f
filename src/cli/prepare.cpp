// nfold prepare STRUCTURE: an input file from a structure, and what was found in it.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/prepare.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <utility>

#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/refusal.hpp"
#include "cli/system_setup.hpp"
#include "config/input.hpp"
#include "config/keys.hpp"
#include "io/atomic_file.hpp"
#include "topology/go_model.hpp"

namespace nfold::cli {
namespace {

constexpr int default_steps = 1000000;

std::filesystem::path output_of(const PrepareOptions& options, const std::string& stem) {
  std::filesystem::path output = options.output;
  if (output.empty()) output = stem + ".yaml";
  std::error_code code;
  if (std::filesystem::is_directory(output, code)) {
    refuse(output.string(), "is a folder", "give the name of the input file to be written");
  }
  if (!std::filesystem::is_directory(io::folder_of(output), code)) {
    refuse(output.string(), "its folder does not exist", "make the folder first");
  }
  if (std::filesystem::exists(output, code) && !options.overwrite) {
    refuse(output.string(), "the file exists already",
           "choose another name with -o, or replace it with --overwrite");
  }
  return output;
}

/// As the input file should name it: seen from the input's folder, absolute if it was given so.
std::string structure_from(const std::filesystem::path& output,
                           const std::filesystem::path& structure) {
  if (structure.is_absolute()) return structure.string();
  return std::filesystem::proximate(structure, io::folder_of(output)).string();
}

/// The options' settings, by the parser's own rules and defaults.
config::Settings settings_of(const PrepareOptions& options, const std::filesystem::path& output) {
  config::Settings given;
  given.system.structure = structure_from(output, options.structure);
  given.system.chains = options.chains;
  given.system.model = options.model;
  given.system.copies = options.copies;
  given.dynamics.steps = default_steps;
  std::vector<std::string> values;
  for (const char* name :
       {"system.structure", "system.chains", "system.model", "system.copies", "dynamics.steps"}) {
    values.push_back(
        fmt::format("{}={}", name, config::value_text(*config::find_key(name), given)));
  }
  if (!options.contacts.empty()) values.push_back("force_field.contacts.map=" + options.contacts);
  if (!options.contact_potential.empty()) {
    values.push_back("force_field.contact_potential=" + options.contact_potential);
  }
  values.insert(values.end(), options.overrides.begin(), options.overrides.end());
  return config::parse_input("", output.string(), values);
}

std::string chain_list(const topology::Topology& topology) {
  constexpr std::size_t shown = 8;
  std::string list;
  for (std::size_t i = 0; i < std::min(shown, topology.chains.size()); ++i) {
    const topology::Chain& chain = topology.chains[i];
    list += fmt::format("{}{} {}", i == 0 ? "" : ", ", chain.name, chain.count);
  }
  return topology.chains.size() > shown ? list + ", ..." : list;
}

std::string contact_summary(const topology::Topology& topology) {
  std::size_t between = 0;
  const auto count = [&](const auto& contacts) {
    for (const auto& c : contacts) {
      between += topology.residues[static_cast<std::size_t>(c.i)].chain !=
                         topology.residues[static_cast<std::size_t>(c.j)].chain
                     ? 1U
                     : 0U;
    }
  };
  count(topology.contacts_12_10);
  count(topology.contacts_gaussian);
  return fmt::format("{} native contacts, {} of them between chains; relative contact order {:.3f}",
                     topology.contacts_12_10.size() + topology.contacts_gaussian.size(), between,
                     relative_contact_order(topology));
}

}  // namespace

double relative_contact_order(const topology::Topology& topology) {
  double sum = 0;
  std::size_t inside = 0;
  const auto add = [&](const auto& contacts) {
    for (const auto& c : contacts) {
      const int chain = topology.residues[static_cast<std::size_t>(c.i)].chain;
      if (chain != topology.residues[static_cast<std::size_t>(c.j)].chain) continue;
      sum +=
          static_cast<double>(c.j - c.i) / topology.chains[static_cast<std::size_t>(chain)].count;
      ++inside;
    }
  };
  add(topology.contacts_12_10);
  add(topology.contacts_gaussian);
  return inside == 0 ? 0 : sum / static_cast<double>(inside);
}

void prepare(const PrepareOptions& options, std::ostream& out) {
  auto structure = structure::read_structure(options.structure, {options.model, options.chains});
  const std::filesystem::path output = output_of(options, structure.name);
  const config::Settings settings = settings_of(options, output);
  if (settings.system.model != options.model || settings.system.chains != options.chains) {
    // --set may choose again.
    structure = structure::read_structure(options.structure,
                                          {settings.system.model, settings.system.chains});
  }
  const topology::Topology topology = topology::build_go_model(structure, go_model(settings));
  const std::vector<std::string> summary{
      fmt::format("{}: {} residues in {} chain{} ({})", structure.name, topology.residue_count(),
                  topology.chains.size(), topology.chains.size() == 1 ? "" : "s",
                  chain_list(topology)),
      contact_summary(topology)};
  std::vector<std::string> remarks = summary;
  remarks.emplace_back("Keys left out have their defaults; `nfold help` explains all of them.");
  const std::string text = commented_input(settings, remarks);
  (void)config::parse_input(text, output.string());
  io::write_file_atomically(output, text);
  out << summary[0] << "\n" << summary[1] << "\n";
  for (const std::string& note : structure.notes) out << "  " << note << "\n";
  for (const std::string& note : topology.notes) out << "  " << note << "\n";
  out << "wrote " << output.string() << "; next: nfold check " << output.string() << "\n";
}

void add_prepare(CLI::App& app, Launch& launch) {
  auto options = std::make_shared<PrepareOptions>();
  CLI::App* command = app.add_subcommand("prepare", "Writes an input file for a structure");
  command->add_option("STRUCTURE", options->structure, "PDB or mmCIF file, plain or gzipped")
      ->required();
  command->add_option("-o,--output", options->output, "Input file to write (default: STEM.yaml)");
  command->add_option("--chains", options->chains,
                      "Chains and residue ranges: A, or A:10-50, or A:10-50,60-72");
  command->add_option("--model", options->model, "Model of an NMR structure, from 1")
      ->check(CLI::PositiveNumber);
  command->add_option("--contacts", options->contacts, "Native contacts by this map")
      ->check(CLI::IsMember({"shadow", "heavy-atom", "calpha"}));
  command->add_option("--contact-potential", options->contact_potential, "12-10 or gaussian")
      ->check(CLI::IsMember({"12-10", "gaussian"}));
  command->add_option("--copies", options->copies, "Copies of the whole structure on a lattice")
      ->check(CLI::PositiveNumber);
  command->add_option("--set", options->overrides, "KEY=VALUE, any key of the input")
      ->allow_extra_args(false);
  command->add_flag("--overwrite", options->overwrite, "Replace an input file that exists");
  command->callback([options, &launch] {
    // Under mpirun one process does the work: it is that of a single core.
    if (speaks_before_mpi()) prepare(*options, std::cout);
    launch.exit_code = ExitCode::done;
  });
}

}  // namespace nfold::cli
