// Names of residues to ids, and the input's bias.
// SPDX-License-Identifier: BSD-3-Clause
#include "setup/collective_variables.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string_view>

#include "job/refusal.hpp"

namespace nfold::setup {
namespace {

/// A chain's residues from one number of the structure to another.
struct Stretch {
  std::string chain;
  int first, last;
};

std::optional<int> number_of(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Of "17" or "1-40"; numbers may be negative.
std::optional<Stretch> numbers_of(const std::string& chain, std::string_view text) {
  if (const auto one = number_of(text)) return Stretch{chain, *one, *one};
  const auto dash = text.find('-', 1);
  if (dash == std::string_view::npos) return std::nullopt;
  const auto first = number_of(text.substr(0, dash)), last = number_of(text.substr(dash + 1));
  if (!first || !last || *first > *last) return std::nullopt;
  return Stretch{chain, *first, *last};
}

std::vector<int> residues_of(const topology::Topology& topology, const Stretch& stretch) {
  std::vector<int> ids;
  for (const auto& chain : topology.chains) {
    if (chain.name != stretch.chain) continue;
    for (int id = chain.first; id < chain.first + chain.count; ++id) {
      const int number = topology.residues[static_cast<std::size_t>(id)].number;
      if (number >= stretch.first && number <= stretch.last) ids.push_back(id);
    }
  }
  return ids;
}

std::vector<int> residues_named(const topology::Topology& topology, const std::string& name) {
  for (const auto& chain : topology.chains) {
    if (chain.name != name) continue;
    std::vector<int> ids(static_cast<std::size_t>(chain.count));
    std::iota(ids.begin(), ids.end(), chain.first);
    return ids;
  }
  const auto colon = name.rfind(':');
  const bool has_chain = colon != std::string::npos;
  if (!has_chain && topology.chains.size() > 1) return {};
  const auto stretch =
      has_chain ? numbers_of(name.substr(0, colon), std::string_view(name).substr(colon + 1))
                : numbers_of(topology.chains.front().name, name);
  return stretch ? residues_of(topology, *stretch) : std::vector<int>{};
}

[[noreturn]] void refuse_residue(const topology::Topology& topology, const std::string& key,
                                 const std::string& name) {
  constexpr std::size_t most_shown = 20;
  std::vector<std::string> names;
  for (const auto& one : topology.chains) {
    names.push_back(names.size() < most_shown ? one.name : "...");
    if (names.size() > most_shown) break;
  }
  job::refuse(key, fmt::format("\"{}\" is no residue of this system", name),
              fmt::format("give CHAIN:NUMBER with the structure's numbers; chains: {}",
                          fmt::join(names, ", ")));
}

}  // namespace

bias::Variable variable_of(bias::VariableKind kind, const std::vector<std::string>& names,
                           const topology::Topology& topology, const std::string& key) {
  bias::Variable variable{kind, {}};
  auto& ids = variable.residues;
  for (const auto& name : names) {
    const auto found = residues_named(topology, name);
    if (found.empty()) refuse_residue(topology, key, name);
    ids.insert(ids.end(), found.begin(), found.end());
  }
  auto sorted = ids;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end()) {
    job::refuse(key,
                ids.size() == 2 ? "both residues are the same"
                                : residue_label(topology, *twice) + " stands there twice",
                "give different ones");
  }
  bias::with_variable(kind, [&](auto one) {
    if (one.fits(ids.size())) return;
    job::refuse(key, fmt::format("{} residues for a {}", ids.size(), one.name),
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
    job::refuse(key, "residues of several molecules in a periodic box",
                "give residues of one molecule: images of others have no order");
  }
  return variable;
}

bias::Variable umbrella_variable(const config::EnsembleSettings& settings,
                                 const topology::Topology& topology) {
  if (settings.umbrella_centres_nm.empty()) return {};
  return variable_of(settings.umbrella_variable, settings.umbrella_residues, topology,
                     "ensemble.umbrella_residues");
}

std::string add_bias(const config::BiasSettings& settings, topology::Topology& topology) {
  if (settings.residues.empty()) return {};
  bias::Bias bias;
  bias.variable = variable_of(settings.variable, settings.residues, topology, "bias.residues");
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

}  // namespace nfold::setup
