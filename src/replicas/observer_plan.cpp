// Contents, histogram ranges and memory of an observer's tables.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "kernels/resident/phase_locking.hpp"
#include "replicas/replica_observer.hpp"
#include "system/units.hpp"

namespace nfold::replicas {

std::vector<ObservedContact> observed_contacts(const topology::Topology& topology) {
  std::vector<ObservedContact> all;
  all.reserve(static_cast<std::size_t>(topology.contact_count()));
  for (const auto& c : topology.contacts_12_10) all.push_back({c.i, c.j});
  for (const auto& c : topology.contacts_gaussian) all.push_back({c.i, c.j});
  return all;
}

std::vector<int> phase_residues(const topology::Topology& topology) {
  std::vector<int> all;
  const auto& residues = topology.residues;
  for (std::size_t i = 1; i + 2 < residues.size(); ++i) {
    const auto& from = residues[i - 1];
    const auto& to = residues[i + 2];
    if (from.chain == to.chain && from.segment == to.segment) all.push_back(static_cast<int>(i));
  }
  return all;
}

PhaseRowRange share_phase_rows(int rows, int share, int shares) {
  const auto pairs = phase_pair_index(rows, rows, rows);
  const auto border = [&](int k) {
    if (k == shares) return rows;
    int row = 0, high = rows;
    while (row < high) {
      const int middle = row + (high - row) / 2;
      const bool is_before = phase_pair_index(middle, middle, rows) < pairs / shares * k;
      (is_before ? row : high) = is_before ? middle + 1 : middle;
    }
    return row;
  };
  return {border(share), border(share + 1)};
}

void set_ranges(const topology::Topology& topology, double highest_kelvin, ObserverPlan& plan) {
  int longest = 1;
  for (const auto& chain : topology.chains) longest = std::max(longest, chain.count);
  // Denatured chains have 0.19 nm N^0.6 (Kohn et al., Proc. Natl. Acad. Sci. 101, 12491 (2004)).
  plan.largest_size_nm = 0.4 * std::pow(longest, 0.6);

  std::vector<double> deepest(topology.residues.size()), highest(deepest.size());
  const auto share = [](std::vector<double>& of, double energy, std::initializer_list<int> ends) {
    for (const int end : ends) {
      of[static_cast<std::size_t>(end)] += energy / static_cast<double>(ends.size());
    }
  };
  for (const auto& c : topology.contacts_12_10) share(deepest, -c.epsilon_kj_mol, {c.i, c.j});
  for (const auto& c : topology.contacts_gaussian) share(deepest, -c.epsilon_kj_mol, {c.i, c.j});
  for (const auto& d : topology.dihedrals) {
    share(highest, 2 * (std::abs(d.k1_kj_mol) + std::abs(d.k3_kj_mol)), {d.i, d.j, d.k, d.l});
  }
  if (deepest.empty()) return;
  plan.lowest_energy_kj_mol = *std::min_element(deepest.begin(), deepest.end()) - 1;
  plan.highest_energy_kj_mol =
      *std::max_element(highest.begin(), highest.end()) + 10 * system::k_boltzmann * highest_kelvin;
}

PerCount<std::int64_t> count_extents(const topology::Topology& topology, const ObserverPlan& plan) {
  const std::int64_t residues = topology.residue_count(), large = plan.large_tables();
  PerCount<std::int64_t> sizes;
  sizes.samples = std::int64_t{plan.states} * ObserverPlan::q_bins;
  if (plan.contacts) sizes.contacts = sizes.samples * topology.contact_count();
  if (plan.sizes) sizes.sizes = sizes.samples * ObserverPlan::size_bins;
  if (plan.phases) {
    const auto phases = static_cast<int>(phase_residues(topology).size()) + 1;
    const auto rows = share_phase_rows(phases, plan.share, plan.shares);
    sizes.phases = phases > 1 ? large * kernels::PhaseSum::count * rows.pairs(phases) : 0;
    sizes.undefined = large * (phases - 1);
  }
  if (plan.residue_energies && plan.shares == 1) {
    sizes.energies = large * residues * ObserverPlan::energy_bins;
  }
  if (plan.has_whole_maps(residues)) sizes.near = large * (residues * (residues - 1) / 2);
  return sizes;
}

std::int64_t counted_bytes(const topology::Topology& topology, const ObserverPlan& plan) {
  const auto sizes = count_extents(topology, plan);
  std::int64_t words = 0;
  for_each_count([&words](const char*, std::int64_t n) { words += n; }, sizes);
  return words * static_cast<std::int64_t>(sizeof(std::int64_t));
}

}  // namespace nfold::replicas
