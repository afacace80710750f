// Benchmark `go`: go models of ubiquitin and of a larger protein, single and crowded.
// SPDX-License-Identifier: BSD-3-Clause

#include <fmt/core.h>

#include "cli/bench/builtin_files.hpp"
#include "cli/bench/systems.hpp"
#include "core/text.hpp"
#include "model/start/initial_state.hpp"
#include "model/start/placement.hpp"
#include "model/structure/structure.hpp"
#include "model/topology/assembly.hpp"
#include "model/topology/go_model.hpp"
#include "session/setup/species_setup.hpp"

namespace nfold::bench {
namespace {

struct Protein {
  std::string name, file;  // file: in input/benchmark or input/structures
  int residues, contacts;
  std::string_view bytes;
};
Protein protein_of(GoProtein protein) {
  if (protein == GoProtein::gbeta_300) {
    return {"residues 41 to 340 of 7CFN's G protein beta", "gbeta-300.pdb.gz", 300, 1154,
            gbeta_file()};
  }
  return {"1UBQ", "1ubq.pdb.gz", 76, 190, ubiquitin_file()};
}

/// Returns the text of an input; a test compares it with input/go-ubq.yaml.
std::string input_text(const GoCopies& copies) {
  std::string text = fmt::format(R"(
system:
  structure: {}
  copies: {}
)",
                                 protein_of(copies.protein).file, copies.copies);
  if (copies.edge_nm > 0) text += fmt::format("  box_nm: [{}]\n", copies.edge_nm);
  return text + fmt::format(R"(
force_field:
  mass_amu: 100
  contacts: {{map: calpha, cutoff_nm: 0.857}}
  repulsion: {{cutoff_nm: {}}}
dynamics: {{steps: 1, time_step_ps: 0.01, temperature_kelvin: 108.2451195, friction_per_ps: 0.2}}
)",
                            copies.cutoff_nm);
}

BuiltSystem build(const Protein& protein, const input::Settings& settings) {
  const auto molecule = structure::parse_structure(protein.bytes, protein.file);
  auto model = setup::go_model(settings);
  model.copies = 1;
  BuiltSystem built{
      topology::assemble({{topology::build_go_model(molecule, model), "", settings.system.copies}},
                         0),
      {}};
  auto& topology = built.topology;
  if (settings.system.box_nm.empty()) {
    built.start = start::native_start(topology);
    return built;
  }
  const auto& edges = settings.system.box_nm;
  topology.box.length_nm = {edges[0], edges[1], edges[2]};
  start::PlacementSettings placement;
  placement.conformation = start::Conformation::native;
  placement.seed = settings.dynamics.seed;
  built.start = start::placed_start(topology, placement).state;
  return built;
}

}  // namespace

BenchSystem go_system(const std::string& name, const GoCopies& copies) {
  BenchSystem system;
  system.name = name;
  const auto protein = protein_of(copies.protein);
  system.residues = std::int64_t{copies.copies} * protein.residues;
  const std::string model = fmt::format("C-alpha go model of {}, {} contacts, repulsion to {} nm",
                                        protein.name, protein.contacts, copies.cutoff_nm);
  system.description = copies.copies == 1 ? model
                                          : fmt::format("{} copies in a box of {} nm: {}",
                                                        copies.copies, copies.edge_nm, model);
  if (copies.replicas > 0) {
    system.description =
        fmt::format("{} of the {}", core::pluralise(copies.replicas, "replica"), model);
  }
  system.replicas = copies.replicas;
  system.warm_up = {0, 0, 2000};
  system.input_text = input_text(copies);
  system.build = [protein](const input::Settings& settings) { return build(protein, settings); };
  return system;
}

}  // namespace nfold::bench
