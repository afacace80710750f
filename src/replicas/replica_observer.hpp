// What is counted over the replicas of a set while they run: contacts, sizes, phases, energies.
// SPDX-License-Identifier: BSD-3-Clause
//
// All of it are 64-bit integers that sums of any order leave the same, so it depends on which
// replicas were seen in which states, and not on who has them, nor on the form of a set.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "device/memory_plan.hpp"
#include "topology/topology.hpp"

namespace nfold::kernels {
struct ReplicaPositions;
}

namespace nfold::replicas {

/// What to count. Tables are by state of the ladder and, but for the large ones, by
/// the fraction of native contacts, Q.
struct ObserverPlan {
  static constexpr int q_bins = 50, size_bins = 100, energy_bins = 1000;
  /// Beyond, contact maps are too large to be counted here: see EnsembleObservation.
  static constexpr int most_residues_of_whole_maps = 1000;

  int states = 1;
  bool contacts = false;          ///< which are formed
  bool sizes = false;             ///< radius of gyration
  bool phases = false;            ///< large: products of all pairs of pseudo-dihedrals
  bool residue_energies = false;  ///< large: histograms of each residue's energy
  bool contact_maps = false;      ///< large: which of all pairs are near
  double contact_cutoff_nm = 1;   ///< of those
  int only_state = -1;            ///< which has large tables; -1: each
  double largest_size_nm = 1;     ///< end of the histogram; what is larger is in its last bin
  double lowest_energy_kj_mol = 0, highest_energy_kj_mol = 1;  ///< the same, of one residue
  /// Of several observers: each keeps some rows of the phases' sums and no histograms of energies.
  int share = 0, shares = 1;

  [[nodiscard]] bool any() const {
    return contacts || sizes || phases || residue_energies || contact_maps;
  }
  [[nodiscard]] bool has_whole_maps(std::int64_t residues) const {
    return contact_maps && residues <= most_residues_of_whole_maps;
  }
  [[nodiscard]] bool has_sparse_maps(std::int64_t residues) const {
    return contact_maps && residues > most_residues_of_whole_maps;
  }
  [[nodiscard]] int large_tables() const { return only_state < 0 ? states : 1; }
  /// Of a state, or -1.
  [[nodiscard]] int large_table_of(int state) const {
    if (only_state < 0) return state;
    return state == only_state ? 0 : -1;
  }
};

/// Bins in the same place as ObserverPlan's: of formed native contacts out of all.
[[nodiscard]] inline int q_bin_of(std::int64_t formed, std::int64_t contacts) {
  if (contacts == 0) return 0;
  const auto bin = formed * ObserverPlan::q_bins / contacts;
  return static_cast<int>(bin < ObserverPlan::q_bins ? bin : ObserverPlan::q_bins - 1);
}

/// What one replica is at a sample.
struct ReplicaLabel {
  int state = 0, q_bin = 0;
};

/// Counts of all samples so far. Empty where the plan leaves something out.
struct ObservedCounts {
  std::vector<std::int64_t> samples;   ///< (states, Q bins)
  std::vector<std::int64_t> contacts;  ///< (states, Q bins, contacts): samples with each formed
  std::vector<std::int64_t> sizes;     ///< (states, Q bins, size bins)
  std::vector<std::int64_t>
      phases;  ///< (large tables, 4, pairs of kept rows) see kernels/resident/phase_locking.hpp
  std::vector<std::int64_t> undefined;  ///< (large tables, phases) samples without that phase
  std::vector<std::int64_t> energies;   ///< (large tables, residues, energy bins); of one share
  std::vector<std::int64_t> near;       ///< (large tables, pairs i < j, row by row) whole maps
};

/// A native contact as tables list them: 12-10 ones, then Gaussian ones, in the topology's order.
struct ObservedContact {
  int i = 0, j = 0;
};
[[nodiscard]] std::vector<ObservedContact> observed_contacts(const topology::Topology& topology);
/// Residues i with a pseudo-dihedral of i - 1, i, i + 1, i + 2 within one unbroken stretch.
[[nodiscard]] std::vector<int> phase_residues(const topology::Topology& topology);
/// Place of the pair i <= j of `phases` phases in an upper triangle, row by row.
[[nodiscard]] inline std::int64_t phase_pair_of(std::int64_t i, std::int64_t j,
                                                std::int64_t phases) {
  return i * phases - i * (i - 1) / 2 + (j - i);
}

/// Rows of the upper triangle that one of several keeps: about as many pairs as the others.
struct PhaseRowRange {
  int first = 0, last = 0;  ///< last: one beyond
  /// Place in a whole triangle of `rows` rows of their first pair, and how many pairs they have.
  [[nodiscard]] std::int64_t before(int rows) const { return phase_pair_of(first, first, rows); }
  [[nodiscard]] std::int64_t pairs(int rows) const {
    return phase_pair_of(last, last, rows) - before(rows);
  }
};
[[nodiscard]] PhaseRowRange phase_rows_of_share(int rows, int share, int shares);

/// The phases of replicas at one sample.
struct SampledPhases {
  std::vector<std::int32_t> table;   ///< (replicas) whose sums each adds to
  std::vector<std::int32_t> values;  ///< (replicas, 2, phases and the one that is 1) [2^-16]
};

/// The energies of replicas' residues at one sample.
struct SampledEnergies {
  std::vector<std::int32_t> table;  ///< (replicas) whose histograms each adds to; -1: none
  std::vector<std::int32_t> bins;   ///< (replicas, residues)
};

/// Ends of the histograms for a system up to a temperature: for `plan` to be completed with.
void set_ranges(const topology::Topology& topology, double highest_kelvin, ObserverPlan& plan);

/// Memory of the counts, before they are there: on the device, and as much on the host whenever
/// they are saved or written.
[[nodiscard]] std::int64_t counted_bytes(const topology::Topology& topology,
                                         const ObserverPlan& plan);

/// Residues up to which there are histograms of each one's energy: it looks at all pairs.
inline constexpr int observed_residues_at_most = 20'000;

/// The counts of one rank's replicas, on its device. ReplicaSet::observe() adds to them.
class ReplicaObserver {
 public:
  /// Adds all arrays of an observer of so many replicas.
  static void plan_memory(device::MemoryPlan& memory, const topology::Topology& topology,
                          const ObserverPlan& plan, std::int64_t replicas);

  /// Throws DeviceMemoryError; std::invalid_argument for a plan that cannot be, such as energies of
  /// more residues than observed_residues_at_most or of another model's pairs.
  ReplicaObserver(const topology::Topology& topology, const ObserverPlan& plan);
  ~ReplicaObserver();
  ReplicaObserver(ReplicaObserver&&) noexcept;
  ReplicaObserver& operator=(ReplicaObserver&&) noexcept;

  [[nodiscard]] const ObserverPlan& plan() const;
  [[nodiscard]] ObservedCounts counts() const;
  /// Goes on from these. std::invalid_argument if they are not of this plan.
  void restore(const ObservedCounts& counts);
  [[nodiscard]] std::int64_t memory_bytes() const;

  /// Of a plan with several shares: the phases of the last add(), which wait to be summed, and
  /// sums those of all observers' replicas into the rows that are kept here.
  [[nodiscard]] SampledPhases take_phases();
  void sum_phases(const SampledPhases& phases);
  /// The same for energies, whose histograms others keep.
  [[nodiscard]] SampledEnergies take_energies();

  /// For sets of replicas: one sample of each, positions on the device.
  void add(const kernels::ReplicaPositions& replicas, const std::vector<ReplicaLabel>& labels);

 private:
  class Counters;
  std::unique_ptr<Counters> counters_;
};

}  // namespace nfold::replicas
