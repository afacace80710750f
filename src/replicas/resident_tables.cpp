// Conversion of a topology to the tables of the resident kernels.
// SPDX-License-Identifier: BSD-3-Clause
#include "replicas/resident_tables.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <type_traits>
#include <utility>

#include "engine/forces/repulsive_wall.hpp"
#include "engine/forces/term_parameters.hpp"
#include "engine/step_constants.hpp"
#include "replicas/replica_set_resident.hpp"
#include "replicas/resident_terms.hpp"

namespace nfold::replicas {
namespace {

using kernels::Contact1210;
using kernels::ContactGaussian;
using kernels::Mixed;

/// Returns a pair with the residue that keeps it first: each residue keeps about half of its pairs.
std::pair<int, int> keeper_first(int i, int j) {
  const int low = std::min(i, j);
  const int high = std::max(i, j);
  return (low + high) % 2 != 0 ? std::pair{low, high} : std::pair{high, low};
}

/// Converts a contact's parameters for forces in quanta.
void round_parameters(const topology::Contact1210& c, float* p) {
  p[0] = static_cast<float>(c.distance_nm * c.distance_nm);
  p[1] = -60.0F * static_cast<float>(c.epsilon_kj_mol) * quanta_per_unit;
}
void round_parameters(const topology::ContactGaussian& c, float* p) {
  p[ContactGaussian::distance] = static_cast<float>(c.distance_nm);
  p[ContactGaussian::epsilon] = static_cast<float>(c.epsilon_kj_mol) * quanta_per_unit;
  p[ContactGaussian::inverse_width_squared] = static_cast<float>(1 / (c.sigma_nm * c.sigma_nm));
  p[ContactGaussian::excluded_volume] = static_cast<float>(c.a_kj_mol_nm12) * quanta_per_unit;
}

template <class Contact>
const auto& contacts_of(const topology::Topology& topology) {
  if constexpr (std::is_same_v<Contact, Contact1210>) {
    return topology.contacts_12_10;
  } else {
    return topology.contacts_gaussian;
  }
}

/// Contacts, or residues, beyond the last one that lanes may read.
constexpr int spare_lanes = 32;

/// Bit mask of the pairs that each residue keeps.
class PairMask {
 public:
  explicit PairMask(int residues)
      : words_((residues + 31) / 32),
        mask_(static_cast<std::size_t>(residues) * static_cast<std::size_t>(words_)) {}
  [[nodiscard]] int words() const { return words_; }
  [[nodiscard]] const std::vector<std::uint32_t>& mask() const { return mask_; }
  void add(int i, int j) {
    const auto [keeper, other] = keeper_first(i, j);
    word_of(keeper, other) |= bit_of(other);
  }
  void remove(int i, int j) {
    const auto [keeper, other] = keeper_first(i, j);
    word_of(keeper, other) &= ~bit_of(other);
  }
  [[nodiscard]] int pairs() const {
    int count = 0;
    for (const auto word : mask_) count += __builtin_popcount(word);
    return count;
  }

 private:
  static std::uint32_t bit_of(int j) { return 1U << static_cast<unsigned>(j % 32); }
  std::uint32_t& word_of(int i, int j) {
    return mask_[static_cast<std::size_t>(i) * static_cast<std::size_t>(words_) +
                 static_cast<std::size_t>(j / 32)];
  }
  int words_;
  std::vector<std::uint32_t> mask_;
};

/// Returns all pairs of the residues with counts(i), except excluded ones.
template <class Counts>
PairMask mask_of(const topology::Topology& topology, const Counts& counts) {
  const int n = topology.residue_count();
  PairMask mask(n);
  for (int i = 0; i < n; ++i) {
    for (int j = i + 1; j < n && counts(i); ++j) {
      if (counts(j)) mask.add(i, j);
    }
  }
  for (const auto& [i, j] : topology.exclusions) mask.remove(i, j);
  return mask;
}

}  // namespace

template <class Contact>
ResidentTables<Contact>::ResidentTables(const topology::Topology& topology,
                                        const engine::EngineSettings& settings, double skin_nm,
                                        const bias::Variable& umbrella,
                                        forces::PairPotentials potentials)
    : potentials_(std::move(potentials)) {
  const auto nm = static_cast<double>(topology.box.nm_per_count(0)) * 0x1p12;
  system_.residues = topology.residue_count();
  system_.scale = {static_cast<float>(nm), static_cast<float>(nm), static_cast<float>(nm)};
  exact_.scale = {nm, nm, nm};
  system_.constants = engine::step_constants(topology.box, settings);
  system_.keys = kernels::PhiloxKeys(settings.seed);
  system_.umbrella_first = umbrella.is_defined() ? umbrella.residues.at(0) : -1;
  system_.umbrella_second = umbrella.is_defined() ? umbrella.residues.at(1) : -1;
  system_.largest_term = Mixed::term_limit;
  const double range = topology.short_range.cutoff_nm + skin_nm;
  system_.list_range_squared = static_cast<float>(range * range);
  system_.move_limit_squared = static_cast<float>(0.2499 * skin_nm * skin_nm);
  roundings_.resize(topology.residues.size());
  build_chain(topology);
  if constexpr (kernels::ResidentModel<Contact>::is_sticky) {
    build_residues(topology, skin_nm);
  } else {
    build_contacts(topology);
  }
  build_masses(topology, settings);
  build_pairs(topology);
  std::vector<std::int32_t> start;
  start.reserve(roundings_.size());
  const auto magic = static_cast<std::uint32_t>(kernels::to_bits(Mixed::magic));
  for (const int n : roundings_) {
    start.push_back(static_cast<std::int32_t>(0U - static_cast<std::uint32_t>(n) * magic));
  }
  force_start_.upload(start);
}

template <class Contact>
void ResidentTables<Contact>::build_chain(const topology::Topology& topology) {
  std::vector<kernels::ChainTerms<double>> exact(topology.residues.size());
  const auto put = [](const auto& term, auto& parameters) {
    const auto p = forces::term_parameters(term);
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
    rounded[i].bond[kernels::Bond::k] *= quanta_per_unit;
    rounded[i].angle[kernels::Angle::k] *= quanta_per_unit;
    rounded[i].dihedral[kernels::Dihedral::k1] *= quanta_per_unit;
    rounded[i].dihedral[kernels::Dihedral::k3] *= quanta_per_unit;
  }
  for (std::size_t i = 0; i < rounded.size(); ++i) {
    for (int end = 0; end < 4; ++end) {
      const std::size_t at = i + static_cast<std::size_t>(end);
      if (at >= rounded.size()) continue;
      roundings_[at] += kernels::ResidentModel<Contact>::is_sticky ? kernels::bond_roundings(end)
                                                                   : kernels::term_roundings(end);
    }
  }
  chain_.upload(rounded);
  exact_chain_.upload(exact);
}

template <class Contact>
void ResidentTables<Contact>::build_residues(const topology::Topology& topology, double skin_nm) {
  const auto& table = topology.short_range;
  const bool has_charges = topology.electrostatics.acts();
  std::vector<kernels::ResidentResidue> residues;
  double largest_charge_e = 0;
  for (const auto& residue : topology.residues) {
    auto& r = residues.emplace_back();
    const auto type = static_cast<std::size_t>(residue.type);
    const auto columns = pair_forms::with_form(
        table.form, [&](auto form) { return form.type_columns(table, type); });
    r.half_sigma = static_cast<float>(columns.half_sigma_nm);
    r.half_lambda = static_cast<float>(columns.half_lambda);
    r.charge = static_cast<float>(residue.charge_e);
    r.kind = forces::pair_kind(topology.short_range, residue);
    largest_charge_e = std::max(largest_charge_e, std::abs(residue.charge_e));
  }
  residues.resize(residues.size() + spare_lanes);  // lanes without a pair read padding
  residue_.upload(residues);
  const auto mask = mask_of(topology, [&](int i) {
    return has_charges && topology.residues[static_cast<std::size_t>(i)].charge_e != 0;
  });
  system_.charge_pairs = mask.pairs();
  kept_charge_pairs_.upload(mask.mask());
  const double range = topology.electrostatics.cutoff_nm + skin_nm;
  system_.charge_range_squared = static_cast<float>(range * range);
  // Bound for states with their own dielectric and salt: no repulsion is stronger than in vacuum.
  auto strongest = topology.electrostatics;
  constexpr double vacuum_kj_mol_nm = 138.936;
  strongest.coulomb_kj_mol_nm = std::max(strongest.coulomb_kj_mol_nm, vacuum_kj_mol_nm);
  strongest.kappa_per_nm = 0;
  const double wall = forces::wall_nm(strongest, largest_charge_e, small_force);
  system_.small_charges =
      wall > 0 ? static_cast<float>(small_force / wall / Mixed::force_quantum) : 0.0F;
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
      const auto p = forces::term_parameters(contacts[k]);
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
  // A GPU's warps read up to a multiple of their lanes; padding contacts refer to padding rows.
  for (int k = 0; k < spare_lanes; ++k) {
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
                                           const engine::EngineSettings& settings) {
  std::map<double, int> known;
  std::vector<int> class_of;
  std::vector<double> half_kick, mass;
  for (const auto& residue : topology.residues) {
    const auto [at, is_new] =
        known.try_emplace(residue.mass_amu, static_cast<int>(class_masses_amu_.size()));
    if (is_new) {
      class_masses_amu_.push_back(residue.mass_amu);
      // The set of replicas has its own table of noise, which depends on temperature.
      half_kick.push_back(engine::kick_of(residue.mass_amu, 0, settings.time_step_ps,
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
  potentials_.get_short_range(Mixed::force_quantum, system_.pair);
  potentials_.get_short_range(1, exact_.pair);
  // Force over distance decreases with distance: at this distance the force itself is still small.
  system_.small_pair = static_cast<float>(
      small_force / forces::wall_nm(topology.short_range, small_force) / Mixed::force_quantum);
  const auto mask = mask_of(topology, [](int) { return true; });
  system_.mask_words = mask.words();
  system_.sticky_pairs = mask.pairs();
  kept_pairs_.upload(mask.mask());
}

template <class Contact>
kernels::ResidentSystem<Contact> ResidentTables<Contact>::system() const {
  auto s = system_;
  s.chain = chain_.data();
  s.contact_first = contact_first_.data();
  s.contact = contact_.data();
  s.kept_pairs = kept_pairs_.data();
  s.kept_charge_pairs = kept_charge_pairs_.data();
  s.residue = residue_.data();
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

template class ResidentTables<Contact1210>;
template class ResidentTables<ContactGaussian>;
template class ResidentTables<kernels::AshbaughHatchChains>;
template class ResidentTables<kernels::WangFrenkelChains>;

}  // namespace nfold::replicas
