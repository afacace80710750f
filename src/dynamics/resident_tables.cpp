// From a topology to the tables of the resident kernels.
// SPDX-License-Identifier: BSD-3-Clause
#include "dynamics/resident_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <type_traits>

#include "dynamics/pair_potentials.hpp"
#include "dynamics/replica_set_resident.hpp"
#include "dynamics/repulsive_wall.hpp"
#include "dynamics/step_constants.hpp"
#include "dynamics/term_parameters.hpp"

namespace nfold::dynamics {
namespace {

using kernels::Contact1210;
using kernels::ContactGaussian;
using kernels::Mixed;

/// Of the two residues of a pair, the one that looks after it: about half of each one's pairs.
std::pair<int, int> keeper_first(int i, int j) {
  const int low = std::min(i, j);
  const int high = std::max(i, j);
  return (low + high) % 2 != 0 ? std::pair{low, high} : std::pair{high, low};
}

/// Below it a component of a force is rounded by one addition [kJ/mol/nm]; a little less, for the
/// rounding of what it is compared with.
constexpr double small_force = 0.999 * Mixed::product_limit * Mixed::force_quantum;

/// Largest pull of a contact [kJ/mol/nm]: it must never leave the range of small forces beyond the
/// contact's own distance.
double largest_pull(const topology::Contact1210& c) {
  return 3.69 * c.epsilon_kj_mol / c.distance_nm;  // 60 (11/13)^5.5 (2/13), at r^2 = 13/11 d^2
}
double largest_pull(const topology::ContactGaussian& c) {
  const double volume = c.a_kj_mol_nm12 / std::pow(c.distance_nm, 12);
  return 0.607 * (c.epsilon_kj_mol + volume) / c.sigma_nm;  // exp(-1/2), at one width
}

/// As forces in quanta take them.
void round_parameters(const topology::Contact1210& c, float* p) {
  p[0] = static_cast<float>(c.distance_nm * c.distance_nm);
  p[1] = -60.0F * static_cast<float>(c.epsilon_kj_mol) * quanta_a_unit;
}
void round_parameters(const topology::ContactGaussian& c, float* p) {
  p[ContactGaussian::distance] = static_cast<float>(c.distance_nm);
  p[ContactGaussian::epsilon] = static_cast<float>(c.epsilon_kj_mol) * quanta_a_unit;
  p[ContactGaussian::inverse_width_squared] = static_cast<float>(1 / (c.sigma_nm * c.sigma_nm));
  p[ContactGaussian::excluded_volume] = static_cast<float>(c.a_kj_mol_nm12) * quanta_a_unit;
}

template <class Contact>
const auto& contacts_of(const topology::Topology& topology) {
  if constexpr (std::is_same_v<Contact, Contact1210>) {
    return topology.contacts_12_10;
  } else {
    return topology.contacts_gaussian;
  }
}

std::string chain_trouble(const topology::Topology& t) {
  std::set<int> bonds, angles, dihedrals;
  for (const auto& b : t.bonds) {
    if (b.j != b.i + 1 || !bonds.insert(b.i).second) return "a bond is not along the chain";
  }
  for (const auto& a : t.angles) {
    if (a.j != a.i + 1 || a.k != a.i + 2 || !angles.insert(a.i).second) {
      return "an angle is not along the chain";
    }
  }
  for (const auto& d : t.dihedrals) {
    if (d.j != d.i + 1 || d.k != d.i + 2 || d.l != d.i + 3 || !dihedrals.insert(d.i).second) {
      return "a dihedral is not along the chain";
    }
  }
  return {};
}

template <class Contacts>
std::string contact_trouble(const Contacts& contacts, double strongest) {
  for (const auto& c : contacts) {
    const double pull = strongest * largest_pull(c);
    if (pull > small_force) {
      return fmt::format("a contact pulls by {:.0f} kJ/mol/nm, more than {:.0f}", pull,
                         small_force);
    }
  }
  return {};
}

}  // namespace

std::string why_not_resident(const topology::Topology& topology, const EngineSettings& settings,
                             double strongest_contacts) {
  if (settings.precision != Precision::mixed) return "the precision is double";
  if (settings.integrator != Integrator::langevin_baoab) return "there is no bath";
  if (!topology.box.is_open()) return "there is a periodic box";
  if (topology.electrostatics.acts()) return "there are charges";
  if (!topology.restraints.empty()) return "there are elastic networks";
  if (topology.short_range.form != topology::ShortRangeForm::repulsion_12) {
    return "the short-range potential is not that of the go model";
  }
  if (!topology.contacts_12_10.empty() && !topology.contacts_gaussian.empty()) {
    return "there are contacts of two kinds";
  }
  if (topology.residue_count() > resident_residues_at_most) {
    return fmt::format("there are {} residues, more than {}", topology.residue_count(),
                       resident_residues_at_most);
  }
  for (const auto& trouble :
       {chain_trouble(topology), contact_trouble(topology.contacts_12_10, strongest_contacts),
        contact_trouble(topology.contacts_gaussian, strongest_contacts)}) {
    if (!trouble.empty()) return trouble;
  }
  return {};
}

template <class Contact>
ResidentTables<Contact>::ResidentTables(const topology::Topology& topology,
                                        const EngineSettings& settings, double skin_nm,
                                        const UmbrellaPair& umbrella) {
  const auto nm = static_cast<double>(topology.box.nm_per_count(0)) * 0x1p12;
  system_.residues = topology.residue_count();
  system_.scale = {static_cast<float>(nm), static_cast<float>(nm), static_cast<float>(nm)};
  exact_.scale = {nm, nm, nm};
  system_.constants = step_constants(topology.box, settings);
  system_.keys = kernels::PhiloxKeys(settings.seed);
  system_.umbrella_first = umbrella.first;
  system_.umbrella_second = umbrella.second;
  system_.largest_term = Mixed::term_limit;
  const double range = topology.short_range.cutoff_nm + skin_nm;
  system_.list_range_squared = static_cast<float>(range * range);
  system_.largest_move_squared = static_cast<float>(0.2499 * skin_nm * skin_nm);
  roundings_.resize(topology.residues.size());
  build_chain(topology);
  build_contacts(topology);
  build_masses(topology, settings);
  build_pairs(topology);
  std::vector<std::int32_t> start;
  start.reserve(roundings_.size());
  const auto magic = static_cast<std::uint32_t>(kernels::bits_of(Mixed::magic));
  for (const int n : roundings_) {
    start.push_back(static_cast<std::int32_t>(0U - static_cast<std::uint32_t>(n) * magic));
  }
  force_start_.upload(start);
}

template <class Contact>
void ResidentTables<Contact>::build_chain(const topology::Topology& topology) {
  std::vector<kernels::ChainTerms<double>> exact(topology.residues.size());
  const auto put = [](const auto& term, auto& parameters) {
    const auto p = term_parameters(term);
    std::copy(p.begin(), p.end(), std::begin(parameters));
  };
  for (const auto& b : topology.bonds) put(b, exact[static_cast<std::size_t>(b.i)].bond);
  for (const auto& a : topology.angles) put(a, exact[static_cast<std::size_t>(a.i)].angle);
  for (const auto& d : topology.dihedrals) put(d, exact[static_cast<std::size_t>(d.i)].dihedral);
  std::vector<kernels::ChainTerms<float>> rounded(exact.size());
  const auto round = [](const auto& from, auto& to) {
    std::transform(std::begin(from), std::end(from), std::begin(to),
                   [](double x) { return static_cast<float>(x); });
  };
  for (std::size_t i = 0; i < exact.size(); ++i) {
    round(exact[i].bond, rounded[i].bond);
    round(exact[i].angle, rounded[i].angle);
    round(exact[i].dihedral, rounded[i].dihedral);
    rounded[i].bond[kernels::Bond::k] *= quanta_a_unit;
    rounded[i].angle[kernels::Angle::k] *= quanta_a_unit;
    rounded[i].dihedral[kernels::Dihedral::k1] *= quanta_a_unit;
    rounded[i].dihedral[kernels::Dihedral::k3] *= quanta_a_unit;
  }
  for (std::size_t i = 0; i < rounded.size(); ++i) {
    for (int end = 0; end < 4; ++end) {
      const std::size_t at = i + static_cast<std::size_t>(end);
      if (at < rounded.size()) roundings_[at] += kernels::roundings_of_terms(end);
    }
  }
  chain_.upload(rounded);
  exact_chain_.upload(exact);
}

template <class Contact>
void ResidentTables<Contact>::build_contacts(const topology::Topology& topology) {
  const auto& contacts = contacts_of<Contact>(topology);
  system_.contacts = static_cast<int>(contacts.size());
  std::vector<std::vector<std::size_t>> mine(topology.residues.size());
  double longest_nm = 0.1;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    mine[static_cast<std::size_t>(keeper_first(contacts[k].i, contacts[k].j).first)].push_back(k);
    longest_nm = std::max(longest_nm, contacts[k].distance_nm);
  }
  std::vector<int> first{0};
  std::vector<kernels::ResidentContact<float, Contact>> rounded;
  std::vector<kernels::ResidentContact<double, Contact>> exact;
  std::vector<double> reach;
  for (const auto& of_one : mine) {
    for (const auto k : of_one) {
      const auto p = term_parameters(contacts[k]);
      const auto [keeper, other] = keeper_first(contacts[k].i, contacts[k].j);
      auto& r = rounded.emplace_back();
      auto& e = exact.emplace_back();
      std::copy(p.begin(), p.end(), std::begin(e.parameter));
      round_parameters(contacts[k], r.parameter);
      r.other = e.other = other;
      r.keeper = e.keeper = keeper;
      ++roundings_[static_cast<std::size_t>(keeper)];
      ++roundings_[static_cast<std::size_t>(other)];
      reach.push_back(native_reach_squared(contacts[k].distance_nm));
    }
    first.push_back(static_cast<int>(rounded.size()));
  }
  // A GPU's warps go on to a multiple of their lanes, with contacts of rows that only pad.
  for (int k = 0; k < 32; ++k) {
    auto& r = rounded.emplace_back();
    r.keeper = system_.residues;
    r.other = system_.residues + 1;
  }
  contact_first_.upload(first);
  contact_.upload(rounded);
  exact_contact_.upload(exact);
  native_reach_squared_.upload(reach);
  system_.small_contact = static_cast<float>(small_force / Mixed::force_quantum / longest_nm);
}

template <class Contact>
void ResidentTables<Contact>::build_masses(const topology::Topology& topology,
                                           const EngineSettings& settings) {
  std::map<double, int> known;
  std::vector<int> class_of;
  std::vector<double> half_kick, mass;
  for (const auto& residue : topology.residues) {
    const auto [at, is_new] =
        known.try_emplace(residue.mass_amu, static_cast<int>(class_masses_amu_.size()));
    if (is_new) {
      class_masses_amu_.push_back(residue.mass_amu);
      // Of noise, which is by temperature, the set of replicas has a table of its own.
      half_kick.push_back(kick_of(residue.mass_amu, 0, settings.time_step_ps,
                                  system_.constants.velocity_decay, Mixed::force_quantum)
                              .half);
    }
    class_of.push_back(at->second);
    mass.push_back(residue.mass_amu);
  }
  system_.classes = static_cast<int>(class_masses_amu_.size());
  mass_class_.upload(class_of);
  half_kick_.upload(half_kick);
  mass_.upload(mass);
}

template <class Contact>
void ResidentTables<Contact>::build_pairs(const topology::Topology& topology) {
  PairPotentials(topology).with_short_range<Mixed>([this](const auto& pair, const auto& exact) {
    if constexpr (std::is_same_v<std::decay_t<decltype(pair)>, kernels::Repulsion12<float>>) {
      system_.repulsion = pair;
      exact_.repulsion = exact;
    }
  });
  // The force over distance falls with it: at this distance the force itself is small still.
  system_.small_pair = static_cast<float>(small_force / wall_nm(topology.short_range, small_force) /
                                          Mixed::force_quantum);
  const int n = topology.residue_count();
  const int words = (n + 31) / 32;
  system_.mask_words = words;
  std::vector<std::uint32_t> mask(static_cast<std::size_t>(n) * static_cast<std::size_t>(words));
  const auto word_of = [&](int i, int j) -> std::uint32_t& {
    return mask[static_cast<std::size_t>(i) * static_cast<std::size_t>(words) +
                static_cast<std::size_t>(j / 32)];
  };
  for (int i = 0; i < n; ++i) {
    for (int j = i + 1; j < n; ++j) {
      const auto [keeper, other] = keeper_first(i, j);
      word_of(keeper, other) |= 1U << static_cast<unsigned>(other % 32);
    }
  }
  for (const auto& [i, j] : topology.exclusions) {
    const auto [keeper, other] = keeper_first(i, j);
    word_of(keeper, other) &= ~(1U << static_cast<unsigned>(other % 32));
  }
  looks_after_.upload(mask);
}

template <class Contact>
kernels::ResidentSystem<Contact> ResidentTables<Contact>::system() const {
  auto s = system_;
  s.chain = chain_.data();
  s.contact_first = contact_first_.data();
  s.contact = contact_.data();
  s.looks_after = looks_after_.data();
  s.force_start = force_start_.data();
  s.mass_class = mass_class_.data();
  s.half_kick = half_kick_.data();
  return s;
}

template <class Contact>
kernels::ExactResidentSystem<Contact> ResidentTables<Contact>::exact() const {
  auto e = exact_;
  e.chain = exact_chain_.data();
  e.contact = exact_contact_.data();
  e.mass = mass_.data();
  e.native_reach_squared = native_reach_squared_.data();
  return e;
}

template <class Contact>
std::int64_t ResidentTables<Contact>::bytes() const {
  return chain_.bytes() + exact_chain_.bytes() + contact_.bytes() + exact_contact_.bytes() +
         contact_first_.bytes() + mass_class_.bytes() + looks_after_.bytes() +
         force_start_.bytes() + half_kick_.bytes() + mass_.bytes() + native_reach_squared_.bytes();
}

template class ResidentTables<Contact1210>;
template class ResidentTables<ContactGaussian>;

}  // namespace nfold::dynamics
