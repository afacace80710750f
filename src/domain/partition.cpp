// Partitioners: residue ranges of equal work, and random maps for tests.
// SPDX-License-Identifier: BSD-3-Clause

#include "domain/partition.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <stdexcept>

namespace nfold::domain {
namespace {

// In units of one pair of the neighbour list; rough, since only ratios matter.
constexpr double residue_work = 60;  // pairs within cutoff and skin in a globule; integration
constexpr double bond_work = 2, angle_work = 6, dihedral_work = 12, contact_work = 2;

void require_ranks(int rank_count) {
  if (rank_count < 1) {
    throw std::invalid_argument("a partition over " + std::to_string(rank_count) +
                                " ranks (at least 1 is needed)");
  }
}

std::uint64_t mix(std::uint64_t x) {  // finaliser of SplitMix64 (Steele, Lea, Flood, 2014)
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

}  // namespace

std::vector<double> counted_work(const topology::Topology& topology) {
  std::vector<double> work(topology.residues.size(), residue_work);
  const auto add = [&work](std::initializer_list<int> ends, double amount) {
    for (const int end : ends) work[static_cast<std::size_t>(end)] += amount;
  };
  for (const auto& t : topology.bonds) add({t.i, t.j}, bond_work);
  for (const auto& t : topology.angles) add({t.i, t.j, t.k}, angle_work);
  for (const auto& t : topology.dihedrals) add({t.i, t.j, t.k, t.l}, dihedral_work);
  for (const auto& t : topology.contacts_12_10) add({t.i, t.j}, contact_work);
  for (const auto& t : topology.contacts_gaussian) add({t.i, t.j}, contact_work);
  return work;
}

Ownership residue_ranges(std::span<const double> work, int rank_count) {
  require_ranks(rank_count);
  double total = 0;
  for (std::size_t id = 0; id < work.size(); ++id) {
    if (!(work[id] >= 0) || !std::isfinite(work[id])) {
      throw std::invalid_argument("work of residue " + std::to_string(id) + " is " +
                                  std::to_string(work[id]) + " (must be finite and >= 0)");
    }
    total += work[id];
  }
  Ownership owner(work.size(), 0);
  double before = 0;
  for (std::size_t id = 0; id < work.size() && total > 0; ++id) {
    // The rank in whose share the middle of this residue's work lies.
    const double middle = (before + 0.5 * work[id]) / total * rank_count;
    owner[id] = std::min(static_cast<int>(middle), rank_count - 1);
    before += work[id];
  }
  return owner;
}

Ownership random_owners(int residue_count, int rank_count, std::uint64_t seed) {
  require_ranks(rank_count);
  Ownership owner(static_cast<std::size_t>(std::max(residue_count, 0)));
  for (std::size_t id = 0; id < owner.size(); ++id) {
    const std::uint64_t word = mix(mix(seed + 0x9e3779b97f4a7c15U) ^ id);
    owner[id] = static_cast<int>((word >> 32U) * static_cast<std::uint64_t>(rank_count) >> 32U);
  }
  return owner;
}

}  // namespace nfold::domain
