// Summary of a topology as text.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/prepare/summary.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/prepare/prepare.hpp"
#include "core/text.hpp"
#include "input/keys.hpp"
#include "model/topology/amounts.hpp"

namespace nfold::prepare {
namespace {

std::string chain_list(const topology::Topology& topology) {
  constexpr std::size_t shown = 8;
  std::string list;
  for (std::size_t i = 0; i < std::min(shown, topology.chains.size()); ++i) {
    const topology::Chain& chain = topology.chains[i];
    list += fmt::format("{}{} {}", i == 0 ? "" : ", ", chain.name, chain.count);
  }
  return topology.chains.size() > shown ? list + ", ..." : list;
}

/// Calls visit(i, j, chain) for the two residues of each native contact. `chain` is the chain of
/// both, or -1 if the contact is between two chains.
template <class Visit>
void for_each_contact(const topology::Topology& topology, const Visit& visit) {
  const auto chain = [&topology](int id) {
    return topology.residues[static_cast<std::size_t>(id)].chain;
  };
  const auto visit_all = [&](const auto& contacts) {
    for (const auto& c : contacts) visit(c.i, c.j, chain(c.i) == chain(c.j) ? chain(c.i) : -1);
  };
  visit_all(topology.contacts_12_10);
  visit_all(topology.contacts_gaussian);
}

std::string contact_summary(const topology::Topology& topology) {
  std::size_t between = 0;
  for_each_contact(topology, [&between](int, int, int chain) { between += chain < 0 ? 1U : 0U; });
  return fmt::format("{} native contacts, {} of them between chains; relative contact order {:.3f}",
                     topology.contact_count(), between, relative_contact_order(topology));
}

/// Returns the name of a chain within its molecule, "B" for "NAME.B".
std::string chain_letter(const std::string& chain_name) {
  return chain_name.substr(chain_name.rfind('.') + 1);  // npos + 1 is 0
}

/// Returns the residues of one domain, "10-50" or "10-50,60-72".
std::string ranges(const topology::Topology& topology, int first, int end, int domain) {
  std::string text;
  int residues = 0;
  const auto residue = [&topology](int id) -> topology::Residue {
    return topology.residues[static_cast<std::size_t>(id)];
  };
  for (int id = first; id < end; ++id) {
    if (residue(id).domain != domain) continue;
    ++residues;
    const bool begins = id == first || residue(id - 1).domain != domain;
    const bool ends = id + 1 == end || residue(id + 1).domain != domain;
    if (begins) text += fmt::format("{}{}", text.empty() ? "" : ",", residue(id).number);
    if (ends) text += fmt::format("-{}", residue(id).number);
  }
  return fmt::format("{} ({} residues)", text, residues);
}

}  // namespace

std::vector<MoleculeFacts> molecule_facts(const topology::Topology& one_of_each) {
  std::vector<MoleculeFacts> all(std::max<std::size_t>(1, one_of_each.species.size()));
  for (const auto& chain : one_of_each.chains) {
    auto& facts = all[static_cast<std::size_t>(chain.species)];
    if (!one_of_each.species.empty()) {
      facts.species = one_of_each.species[static_cast<std::size_t>(chain.species)].name;
    }
    ++facts.chains;
    facts.residues += chain.count;
    facts.longest_chain = std::max(facts.longest_chain, chain.count);
    int last_domain = -1;
    for (int id = chain.first; id < chain.first + chain.count; ++id) {
      const auto& residue = one_of_each.residues[static_cast<std::size_t>(id)];
      if (residue.domain <= last_domain) continue;
      last_domain = residue.domain;
      const auto chains = std::count_if(
          one_of_each.chains.begin(), one_of_each.chains.end(),
          [&chain](const topology::Chain& other) { return other.species == chain.species; });
      const std::string prefix = chains > 1 ? chain_letter(chain.name) + ":" : "";
      facts.domains.push_back(
          prefix + ranges(one_of_each, chain.first, chain.first + chain.count, residue.domain));
    }
  }
  return all;
}

std::vector<std::string> domain_lines(const std::vector<MoleculeFacts>& facts,
                                      const input::SystemSettings& system) {
  std::vector<std::string> lines;
  for (const auto& one : facts) {
    if (!one.domains.empty()) {
      lines.push_back(fmt::format("{}: folded {}", one.species, fmt::join(one.domains, ", ")));
      continue;
    }
    for (const auto& species : system.species) {
      if (species.name != one.species || species.structure.empty()) continue;
      lines.push_back(fmt::format("{}: no folded domain, all of it is flexible{}", one.species,
                                  species.domains.empty() ? " (--domains auto finds them)" : ""));
    }
  }
  return lines;
}

std::string total_line(const topology::Topology& topology) {
  std::string line = fmt::format("in all {} residues in {}", topology.residue_count(),
                                 core::pluralise(topology.chains.size(), "chain"));
  const double volume = topology.box.volume_nm3();
  if (!(volume > 0)) return line;
  return line + fmt::format(", {:.4g} mg/ml",
                            topology::mass_concentration(topology::total_mass(topology), volume));
}

std::string dynamics_line(const input::Settings& settings) {
  const auto& dynamics = settings.dynamics;
  constexpr double ns_per_ps = 1e-3;
  return fmt::format("{} steps of {} ps ({:.4g} ns) at {} K, friction {}/ps, start: {}",
                     dynamics.steps, dynamics.time_step_ps,
                     static_cast<double>(dynamics.steps) * dynamics.time_step_ps * ns_per_ps,
                     dynamics.temperature_kelvin, dynamics.friction_per_ps,
                     input::value_text(*input::find_key("start.from"), settings));
}

std::vector<std::string> go_lines(const std::string& name, const topology::Topology& topology) {
  return {fmt::format("{}: {} residues in {} ({})", name, topology.residue_count(),
                      core::pluralise(topology.chains.size(), "chain"), chain_list(topology)),
          contact_summary(topology)};
}

double relative_contact_order(const topology::Topology& topology) {
  double sum = 0;
  std::size_t inside = 0;
  for_each_contact(topology, [&](int i, int j, int chain) {
    if (chain < 0) return;
    sum += static_cast<double>(j - i) / topology.chains[static_cast<std::size_t>(chain)].count;
    ++inside;
  });
  return inside == 0 ? 0 : sum / static_cast<double>(inside);
}

}  // namespace nfold::prepare
