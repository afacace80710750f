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

void add_terms(Hasher& hash, const Topology& t) {
  hash.add_table(t.bonds,
                 [&](const Bond& b) { hash.add_all(b.i, b.j, b.length_nm, b.k_kj_mol_nm2); });
  hash.add_table(t.angles, [&](const Angle& a) {
    hash.add_all(a.i, a.j, a.k, a.theta0_rad, a.k_kj_mol_rad2);
  });
  hash.add_table(t.dihedrals, [&](const Dihedral& d) {
    hash.add_all(d.i, d.j, d.k, d.l, d.phi0_rad, d.k1_kj_mol, d.k3_kj_mol);
  });
  hash.add_table(t.contacts_12_10, [&](const Contact1210& c) {
    hash.add_all(c.i, c.j, c.distance_nm, c.epsilon_kj_mol);
  });
  hash.add_table(t.contacts_gaussian, [&](const ContactGaussian& c) {
    hash.add_all(c.i, c.j, c.distance_nm, c.epsilon_kj_mol, c.sigma_nm, c.a_kj_mol_nm12);
  });
  hash.add_table(t.restraints,
                 [&](const Bond& b) { hash.add_all(b.i, b.j, b.length_nm, b.k_kj_mol_nm2); });
  const auto& s = t.short_range;
  hash.add_all(static_cast<int>(s.form), s.epsilon_kj_mol, s.sigma_nm, s.cutoff_nm,
               s.cutoff_over_sigma, static_cast<int>(s.shifted),
               static_cast<int>(s.domains_only_repel));
  hash.add_table(s.type_sigma_nm, [&](double sigma) { hash.add(sigma); });
  hash.add_table(s.type_lambda, [&](double lambda) { hash.add(lambda); });
  hash.add_table(
      s.pairs, [&](const WangFrenkelPair& p) { hash.add_all(p.epsilon_kj_mol, p.sigma_nm, p.mu); });
  hash.add_all(t.electrostatics.coulomb_kj_mol_nm, t.electrostatics.kappa_per_nm,
               t.electrostatics.cutoff_nm, static_cast<int>(t.electrostatics.shifted));
  for (const double length : t.box.length_nm) hash.add(length);
  hash.add_table(t.exclusions,
                 [&](const std::pair<int, int>& e) { hash.add_all(e.first, e.second); });
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
  Hasher hash;
  hash.add_table(topology.residues, [&](const Residue& r) {
    hash.add_all(r.name, r.number, r.insertion_code, r.chain, r.segment, r.mass_amu, r.charge_e,
                 r.type, r.domain);
  });
  hash.add_table(topology.chains,
                 [&](const Chain& c) { hash.add_all(c.name, c.first, c.count, c.species); });
  add_terms(hash, topology);
  hash.add_table(topology.native_nm,
                 [&](const std::array<double, 3>& x) { hash.add_all(x[0], x[1], x[2]); });
  return hash.result();
}

}  // namespace nfold::topology
