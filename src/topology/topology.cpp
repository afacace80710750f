// Names of residues and the hash of a topology.
// SPDX-License-Identifier: BSD-3-Clause
#include "topology/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace nfold::topology {
namespace {

/// FNV-1a with 64-bit words in place of bytes; the shift lets high bits reach low ones.
class Hasher {
 public:
  void add(std::uint64_t word) {
    constexpr std::uint64_t prime = 0x100000001b3;
    hash_ = (hash_ ^ word) * prime;
    hash_ ^= hash_ >> 29;
  }
  void add(int number) { add(static_cast<std::uint64_t>(static_cast<std::int64_t>(number))); }
  void add(double number) { add(std::bit_cast<std::uint64_t>(number)); }
  void add(char letter) { add(static_cast<std::uint64_t>(static_cast<unsigned char>(letter))); }
  void add(const std::string& text) {
    add(static_cast<std::uint64_t>(text.size()));
    for (const char letter : text) add(letter);
  }
  template <typename... Values>
  void add_all(const Values&... values) {
    (add(values), ...);
  }
  /// Two tables that share a boundary must not hash alike, so each begins with its length.
  template <typename Rows, typename AddRow>
  void add_table(const Rows& rows, AddRow add_row) {
    add(static_cast<std::uint64_t>(rows.size()));
    for (const auto& row : rows) add_row(row);
  }
  /// The finaliser of SplitMix64: every input bit reaches every output bit.
  [[nodiscard]] std::uint64_t result() const {
    std::uint64_t h = hash_;
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9;
    h = (h ^ (h >> 27)) * 0x94d049bb133111eb;
    return h ^ (h >> 31);
  }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

// What follows takes each struct apart into all of its members: a new one is no build until it is
// decided here whether a run that differs in it is another run.

void add_terms(Hasher& hash, const Topology& t) {
  const auto add_bond = [&](const Bond& bond) {
    const auto& [i, j, length_nm, k] = bond;
    hash.add_all(i, j, length_nm, k);
  };
  hash.add_table(t.bonds, add_bond);
  hash.add_table(t.angles, [&](const Angle& angle) {
    const auto& [i, j, k, theta0_rad, strength] = angle;
    hash.add_all(i, j, k, theta0_rad, strength);
  });
  hash.add_table(t.dihedrals, [&](const Dihedral& dihedral) {
    const auto& [i, j, k, l, phi0_rad, k1, k3] = dihedral;
    hash.add_all(i, j, k, l, phi0_rad, k1, k3);
  });
  hash.add_table(t.contacts_12_10, [&](const Contact1210& contact) {
    const auto& [i, j, distance_nm, epsilon] = contact;
    hash.add_all(i, j, distance_nm, epsilon);
  });
  hash.add_table(t.contacts_gaussian, [&](const ContactGaussian& contact) {
    const auto& [i, j, distance_nm, epsilon, sigma_nm, a] = contact;
    hash.add_all(i, j, distance_nm, epsilon, sigma_nm, a);
  });
  hash.add_table(t.restraints, add_bond);
}

void add_pair_potentials(Hasher& hash, const Topology& t) {
  // Names of types steer nothing.
  const auto& [form, epsilon, sigma_nm, cutoff_nm, cutoff_over_sigma, shifted, domains_only_repel,
               type_sigma_nm, type_lambda, pairs, type_names] = t.short_range;
  hash.add_all(static_cast<int>(form), epsilon, sigma_nm, cutoff_nm, cutoff_over_sigma,
               static_cast<int>(shifted), static_cast<int>(domains_only_repel));
  hash.add_table(type_sigma_nm, [&hash](double sigma) { hash.add(sigma); });
  hash.add_table(type_lambda, [&hash](double lambda) { hash.add(lambda); });
  hash.add_table(pairs, [&hash](const WangFrenkelPair& pair) {
    const auto& [pair_epsilon, pair_sigma_nm, mu] = pair;
    hash.add_all(pair_epsilon, pair_sigma_nm, mu);
  });
  const auto& [coulomb, kappa, range_nm, is_shifted] = t.electrostatics;
  hash.add_all(coulomb, kappa, range_nm, static_cast<int>(is_shifted));
}

void add_residues(Hasher& hash, const Topology& t) {
  hash.add_table(t.residues, [&](const Residue& residue) {
    const auto& [name, number, insertion_code, chain, segment, mass_amu, charge_e, type, domain] =
        residue;
    hash.add_all(name, number, insertion_code, chain, segment, mass_amu, charge_e, type, domain);
  });
  hash.add_table(t.chains, [&](const Chain& chain) {
    const auto& [name, first, count, species, molecule] = chain;  // molecules are only counted
    hash.add_all(name, first, count, species);
  });
}

}  // namespace

bool Topology::has_native_structure() const {
  if (native_nm.size() != residues.size()) return false;
  return std::none_of(native_nm.begin(), native_nm.end(),
                      [](const auto& x) { return std::isnan(x[0]); });
}

std::string residue_label(const Topology& topology, int id) {
  const Residue& residue = topology.residues.at(static_cast<std::size_t>(id));
  const std::string& chain = topology.chains.at(static_cast<std::size_t>(residue.chain)).name;
  if (residue.insertion_code == ' ') {
    return fmt::format("{} {} (chain {})", residue.name, residue.number, chain);
  }
  return fmt::format("{} {}{} (chain {})", residue.name, residue.number, residue.insertion_code,
                     chain);
}

std::uint64_t hash_of(const Topology& topology) {
  // Names of species and notes steer nothing.
  const auto& [residues, chains, species, box, bonds, restraints, angles, dihedrals, contacts_12_10,
               contacts_gaussian, short_range, electrostatics, exclusions, native_nm, notes] =
      topology;
  Hasher hash;
  add_residues(hash, topology);
  add_terms(hash, topology);
  add_pair_potentials(hash, topology);
  for (const double length : box.length_nm) hash.add(length);
  hash.add_table(exclusions, [&hash](const std::pair<int, int>& pair) {
    hash.add_all(pair.first, pair.second);
  });
  hash.add_table(native_nm,
                 [&hash](const std::array<double, 3>& x) { hash.add_all(x[0], x[1], x[2]); });
  return hash.result();
}

}  // namespace nfold::topology
