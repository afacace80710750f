// Residue selections of collective variables, and biases of an input.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/setup/collective_variables.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/refusal.hpp"
#include "model/topology/topology_residues.hpp"

namespace nfold::setup {

bias::Variable make_variable(bias::VariableKind kind, const std::vector<std::string>& names,
                             const topology::Topology& topology, const std::string& key) {
  bias::Variable variable{kind, {}};
  auto& ids = variable.residues;
  const auto finder = topology::residue_finder(key, topology);
  for (const auto& name : names) {
    const auto found = finder.find_whole(name);
    ids.insert(ids.end(), found.begin(), found.end());
  }
  auto sorted = ids;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end()) {
    core::refuse(key,
                 ids.size() == 2 ? "both residues are the same"
                                 : residue_label(topology, *twice) + " stands there twice",
                 "give different ones");
  }
  bias::with_variable(kind, [&](auto one) {
    if (one.fits(ids.size())) return;
    core::refuse(key, fmt::format("{} residues for a {}", ids.size(), one.name),
                 fmt::format("give {}", one.takes));
  });
  const auto molecule_of = [&](int id) {
    const auto chain =
        static_cast<std::size_t>(topology.residues[static_cast<std::size_t>(id)].chain);
    return topology.chains[chain].molecule;
  };
  const bool is_of_one = std::all_of(sorted.begin(), sorted.end(), [&](int id) {
    return molecule_of(id) == molecule_of(sorted.front());
  });
  const bool needs_one = bias::with_variable(
      kind, [](auto variable_kind) { return variable_kind.needs_one_molecule; });
  if (needs_one && !is_of_one && !topology.box.is_open()) {
    core::refuse(key, "residues of several molecules in a periodic box",
                 "give residues of one molecule: images of others have no order");
  }
  return variable;
}

bias::Variable umbrella_variable(const input::EnsembleSettings& settings,
                                 const topology::Topology& topology) {
  if (settings.umbrella_centres_nm.empty()) return {};
  return make_variable(settings.umbrella_variable, settings.umbrella_residues, topology,
                       "ensemble.umbrella_residues");
}

namespace {

/// Adds a bias and returns its description. key: key of its residues, for errors.
std::string add_bias(const input::BiasSettings& settings, const std::string& key,
                     topology::Topology& topology) {
  bias::Bias bias;
  bias.variable = make_variable(settings.variable, settings.residues, topology, key);
  bias.form = settings.form;
  bias.centre = settings.centre_nm;
  bias.half_width = settings.half_width_nm;
  const bool is_linear = bias.form == bias::BiasForm::linear;
  bias.k = is_linear ? settings.pull_kj_mol_nm : settings.k_kj_mol_nm2;
  topology::add_bias(topology, bias);
  const std::string of = fmt::format(
      "bias: {} on the {} of {}", bias::bias_form_names[static_cast<std::size_t>(bias.form)],
      bias::variable_names[static_cast<std::size_t>(settings.variable)],
      fmt::join(settings.residues, ", "));
  if (is_linear) return fmt::format("{}, {:g} kJ/mol/nm", of, bias.k);
  return fmt::format("{}, {:g} kJ/mol/nm^2 about {:g} nm{}", of, bias.k, bias.centre,
                     bias.half_width > 0 ? fmt::format(" +- {:g} nm", bias.half_width) : "");
}

}  // namespace

std::vector<std::string> add_biases(const input::Settings& settings, topology::Topology& topology) {
  std::vector<std::string> lines;
  for (const auto& bias : input::all_biases(settings)) {
    const auto key = lines.empty() ? std::string("bias.residues")
                                   : fmt::format("bias.more[{}].residues", lines.size() - 1);
    lines.push_back(add_bias(bias, key, topology));
  }
  return lines;
}

}  // namespace nfold::setup
