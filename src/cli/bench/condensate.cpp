// Benchmark `condensate`: random chains at the density of a dense phase.
// SPDX-License-Identifier: BSD-3-Clause

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/bench/builtin_files.hpp"
#include "cli/bench/systems.hpp"
#include "input/force_field.hpp"
#include "model/start/placement.hpp"
#include "model/structure/fasta.hpp"
#include "model/topology/assembly.hpp"
#include "model/topology/residue_model.hpp"

namespace nfold::bench {
namespace {

constexpr std::uint64_t sequence_seed = 5;

/// Returns a sequence of equally frequent types, so that a quarter is charged.
std::string random_sequence(int length, std::mt19937_64& random) {
  constexpr std::string_view letters = "ARNDCQEGHILKMFPSTWYV";
  std::string sequence;
  for (int i = 0; i < length; ++i) sequence += letters[random() % letters.size()];
  return sequence;
}

topology::ResidueModel condensate_model() {
  topology::ResidueModel model;
  model.file = input::read_force_field(benchmark_table(), "benchmark/condensate.yaml");
  model.options.domains = input::FoldedDomains::none;
  model.evaluate();
  return model;
}

}  // namespace

topology::Topology condensate_topology(int residues, std::uint64_t seed) {
  const auto model = condensate_model();
  std::mt19937_64 random(seed);  // same sequence on all platforms
  std::optional<topology::Assembly> assembly;
  int chains = 0;
  for (int first = 0; first < residues; first += condensate_chain_length) {
    const std::string name = fmt::format("chain-{}", ++chains);
    const int length = std::min(condensate_chain_length, residues - first);
    const auto chain = structure::make_sequence_structure(name, random_sequence(length, random));
    const std::vector<int> no_domain(static_cast<std::size_t>(length), -1);
    topology::Part part{topology::build_residue_model(chain, no_domain, model), name, 1};
    if (!assembly) {
      auto alike = part;
      alike.copies = (residues + length - 1) / length;
      assembly.emplace(std::vector{alike}, 0);
    }
    assembly->add(part);
  }
  auto topology = assembly->take();
  const double edge_nm = std::cbrt(residues / condensate_residues_per_nm3);
  topology.box.length_nm = {edge_nm, edge_nm, edge_nm};
  return topology;
}

void tabulate_pairs(topology::Topology& condensate, CondensatePairs pairs) {
  using pair_forms::CutoffForm, pair_forms::FunctionKind, pair_forms::PairFunction;
  if (pairs == CondensatePairs::built_in) return;
  const topology::ShortRange& old = condensate.short_range;
  const auto types = old.type_names.size();
  std::vector<std::vector<PairFunction>> functions(types * types);
  for (std::size_t a = 0; a < types; ++a) {
    for (std::size_t b = 0; b < types; ++b) {
      const double sigma = 0.5 * (old.type_sigma_nm[a] + old.type_sigma_nm[b]);
      PairFunction one;
      one.kind = FunctionKind::ashbaugh_hatch;
      one.numbers = {old.epsilon_kj_mol, sigma, 0.5 * (old.type_lambda[a] + old.type_lambda[b])};
      one.cutoff_nm = old.cutoff_nm;
      one.cutoff_form = old.shifted ? CutoffForm::shifted : CutoffForm::truncated;
      auto& all = functions[a * types + b];
      all.push_back(one);
      if (pairs == CondensatePairs::tabulated || (a + b) % 5 != 0) continue;
      one.kind = FunctionKind::lennard_jones;
      one.numbers = {0.1, sigma};
      all.push_back(one);
    }
  }
  condensate.short_range = pair_forms::TabulatedPairs::make(std::move(functions), old.type_names,
                                                            topology::ShortRangeForm::tabulated);
}

BenchSystem condensate_system(const std::string& name, int residues, CondensatePairs pairs) {
  BenchSystem system;
  system.name = name;
  system.residues = residues;
  const std::string_view potential = pairs == CondensatePairs::built_in ? "Ashbaugh-Hatch"
                                     : pairs == CondensatePairs::tabulated
                                         ? "tabulated Ashbaugh-Hatch"
                                         : "tabulated Ashbaugh-Hatch and Lennard-Jones";
  system.description = fmt::format(
      "2 residues/nm3, chains of 150, {} to 2 nm, Debye-Hueckel to 4 nm, 25 % charged", potential);
  system.warm_up = {200, 1000, 2000};
  // Placeholder chain; condensate_topology() makes the real ones.
  system.input_text = R"(
system:
  species: [{name: chain, sequence: ARNDCQEGHILKMFPSTWYV, copies: 1}]
force_field: {model: calvados2}
dynamics: {steps: 1, time_step_ps: 0.01, temperature_kelvin: 300, friction_per_ps: 0.01}
)";
  system.build = [residues, pairs](const input::Settings& settings) {
    BuiltSystem built{condensate_topology(residues, sequence_seed), {}};
    tabulate_pairs(built.topology, pairs);
    start::PlacementSettings placement;
    placement.seed = settings.dynamics.seed;
    built.start = start::placed_start(built.topology, placement).state;
    return built;
  };
  return system;
}

}  // namespace nfold::bench
