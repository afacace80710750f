// Sums over a topology, in words.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/prepare_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/prepare.hpp"
#include "config/keys.hpp"

namespace nfold::cli {
namespace {

constexpr double mg_per_ml = 1.66053907;         // 1 amu/nm^3
constexpr double millimolar_per_nm3 = 1660.539;  // 1 molecule/nm^3

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

/// "10-50" or "10-50,60-72" of the residues of one domain.
std::string ranges(const topology::Topology& topology, int first, int end, int domain) {
  std::string text;
  int residues = 0;
  for (int id = first; id < end; ++id) {
    const auto& residue = topology.residues[static_cast<std::size_t>(id)];
    if (residue.domain != domain) continue;
    ++residues;
    const bool begins =
        id == first || topology.residues[static_cast<std::size_t>(id - 1)].domain != domain;
    const bool ends =
        id + 1 == end || topology.residues[static_cast<std::size_t>(id + 1)].domain != domain;
    if (begins) text += fmt::format("{}{}", text.empty() ? "" : ",", residue.number);
    if (ends) text += fmt::format("-{}", residue.number);
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
      facts.mass_amu += residue.mass_amu;
      facts.charge_e += residue.charge_e;
      if (residue.domain <= last_domain) continue;
      last_domain = residue.domain;
      facts.domains.push_back(
          ranges(one_of_each, chain.first, chain.first + chain.count, residue.domain));
    }
  }
  return all;
}

std::string species_line(const MoleculeFacts& facts, long copies) {
  std::string text = fmt::format("{}: {} residues", facts.species, facts.residues);
  if (facts.chains > 1) text += fmt::format(" in {} chains", facts.chains);
  text += fmt::format(", {:.4g} kDa, net charge {:+.2f} e; {} cop{}", facts.mass_amu / 1000,
                      facts.charge_e, copies, copies == 1 ? "y" : "ies");
  if (!facts.domains.empty()) {
    text += fmt::format("; folded {}", fmt::join(facts.domains, ", "));
  }
  return text;
}

std::vector<std::string> system_lines(const topology::Topology& topology) {
  double mass = 0, charge = 0;
  for (const auto& residue : topology.residues) {
    mass += residue.mass_amu;
    charge += residue.charge_e;
  }
  std::string total = fmt::format("in all {} residues in {} chain{}, net charge {:+.1f} e",
                                  topology.residue_count(), topology.chains.size(),
                                  topology.chains.size() == 1 ? "" : "s", charge);
  const auto& box = topology.box;
  if (box.is_open()) return {total + "; no box"};
  std::vector<std::string> edges;
  for (std::size_t k = 0; k < 3; ++k) {
    edges.push_back(box.is_periodic(k) ? fmt::format("{:.4g}", box.length_nm[k]) : "open");
  }
  std::string line = fmt::format("box {} nm", fmt::join(edges, " x "));
  if (const double volume = box.volume_nm3(); volume > 0) {
    line += fmt::format(": {:.4g} mg/ml, {:.3g} mmol/l of chains", mg_per_ml * mass / volume,
                        millimolar_per_nm3 * static_cast<double>(topology.chains.size()) / volume);
  }
  return {total, line};
}

std::string dynamics_line(const config::Settings& settings) {
  const auto& dynamics = settings.dynamics;
  constexpr double ns_per_ps = 1e-3;
  return fmt::format("{} steps of {} ps ({:.4g} ns) at {} K, friction {}/ps, start: {}",
                     dynamics.steps, dynamics.time_step_ps,
                     static_cast<double>(dynamics.steps) * dynamics.time_step_ps * ns_per_ps,
                     dynamics.temperature_kelvin, dynamics.friction_per_ps,
                     config::value_text(*config::find_key("start.from"), settings));
}

std::vector<std::string> go_lines(const std::string& name, const topology::Topology& topology) {
  return {fmt::format("{}: {} residues in {} chain{} ({})", name, topology.residue_count(),
                      topology.chains.size(), topology.chains.size() == 1 ? "" : "s",
                      chain_list(topology)),
          contact_summary(topology)};
}

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

}  // namespace nfold::cli
