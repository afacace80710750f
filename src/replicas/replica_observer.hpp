// Counts over the replicas of a set: contacts, sizes, phases, energies.
// SPDX-License-Identifier: BSD-3-Clause
//
// All counts are 64-bit integers, whose sums are independent of order. They depend on the states in
// which replicas were sampled, and not on the rank or form of a set.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "device/memory_estimate.hpp"
#include "model/topology/topology.hpp"

namespace nfold::kernels {
struct ReplicaPositions;
}

namespace nfold::replicas {

/// Selection of counts. Tables are by state of the ladder and, except for the large ones, by the
/// fraction of native contacts, Q.
struct ObserverPlan {
  static constexpr int q_bins = 50, size_bins = 100, energy_bins = 1000;
  /// Above this size, contact maps are too large for this observer: see EnsembleObservation.
  static constexpr int most_residues_of_whole_maps = 1000;

  int states = 1;
  bool contacts = false;          ///< native contacts that are formed
  bool sizes = false;             ///< radius of gyration
  bool phases = false;            ///< large: products of all pairs of pseudo-dihedrals
  bool residue_energies = false;  ///< large: histograms of each residue's energy
  bool contact_maps = false;      ///< large: pairs of residues that are near
  double contact_cutoff_nm = 1;   ///< cutoff of contact_maps
  int only_state = -1;            ///< state with large tables; -1: all
  double largest_size_nm = 1;     ///< end of the histogram; larger values count in the last bin
  double lowest_energy_kj_mol = 0,
         highest_energy_kj_mol = 1;  ///< histogram range of a residue's energy
  /// With several observers (shares > 1), each keeps a share of the rows of phase sums and no
  /// energy histograms.
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
  /// Index of a state's large table, or -1.
  [[nodiscard]] int large_table_index(int state) const {
    if (only_state < 0) return state;
    return state == only_state ? 0 : -1;
  }
};

/// Index of the Q bin: fraction of native contacts that are formed, in ObserverPlan::q_bins.
[[nodiscard]] inline int to_q_bin(std::int64_t formed, std::int64_t contacts) {
  if (contacts == 0) return 0;
  const auto bin = formed * ObserverPlan::q_bins / contacts;
  return static_cast<int>(bin < ObserverPlan::q_bins ? bin : ObserverPlan::q_bins - 1);
}

/// State and Q bin of one replica at a sample.
struct ReplicaLabel {
  int state = 0, q_bin = 0;
};

/// One value for each kind of count.
template <class T>
struct PerCount {
  T samples{};    ///< (states, Q bins)
  T contacts{};   ///< (states, Q bins, contacts): samples with each formed
  T sizes{};      ///< (states, Q bins, size bins)
  T phases{};     ///< (large tables, 4, pairs of kept rows) see kernels/resident/phase_locking.hpp
  T undefined{};  ///< (large tables, phases) samples without that phase
  T energies{};   ///< (large tables, residues, energy bins); only with one share
  T near{};       ///< (large tables, pairs i < j, row by row) whole maps
};
/// Calls visit(name, value of each...) for each kind of count. name: in checkpoints.
template <class Visit, class... Values>
void for_each_count(const Visit& visit, Values&... of) {
  visit("samples", of.samples...);
  visit("contacts", of.contacts...);
  visit("sizes", of.sizes...);
  visit("phases", of.phases...);
  visit("undefined", of.undefined...);
  visit("energies", of.energies...);
  visit("near", of.near...);
}
/// Counts of all samples so far. Empty if the plan omits them.
using ObservedCounts = PerCount<std::vector<std::int64_t>>;

/// Native contact in table order: 12-10 contacts, then Gaussian ones, in the topology's order.
struct ObservedContact {
  int i = 0, j = 0;
};
[[nodiscard]] std::vector<ObservedContact> observed_contacts(const topology::Topology& topology);
/// Residues i with a pseudo-dihedral of i - 1, i, i + 1, i + 2 within one unbroken segment.
[[nodiscard]] std::vector<int> phase_residues(const topology::Topology& topology);
/// Index of the pair i <= j of `phases` phases in an upper triangle, row by row.
[[nodiscard]] inline std::int64_t phase_pair_index(std::int64_t i, std::int64_t j,
                                                   std::int64_t phases) {
  return i * phases - i * (i - 1) / 2 + (j - i);
}

/// Rows of the upper triangle that one share keeps: each share has about as many pairs.
struct PhaseRowRange {
  int first = 0, last = 0;  ///< last: one beyond
  /// before(rows): index of their first pair in a whole triangle of `rows` rows; pairs(rows):
  /// number of their pairs.
  [[nodiscard]] std::int64_t before(int rows) const { return phase_pair_index(first, first, rows); }
  [[nodiscard]] std::int64_t pairs(int rows) const {
    return phase_pair_index(last, last, rows) - before(rows);
  }
};
[[nodiscard]] PhaseRowRange share_phase_rows(int rows, int share, int shares);

/// Phases of replicas at one sample.
struct SampledPhases {
  std::vector<std::int32_t> table;   ///< (replicas) table that each adds to
  std::vector<std::int32_t> values;  ///< (replicas, 2, phases and the one that is 1) [2^-16]
};

/// Energies of replicas' residues at one sample.
struct SampledEnergies {
  std::vector<std::int32_t> table;  ///< (replicas) table that each adds to; -1: none
  std::vector<std::int32_t> bins;   ///< (replicas, residues)
};

/// Sets the histogram ranges in `plan`, for a system up to a temperature.
void set_ranges(const topology::Topology& topology, double highest_kelvin, ObserverPlan& plan);

/// Returns the number of counts of each kind.
[[nodiscard]] PerCount<std::int64_t> count_extents(const topology::Topology& topology,
                                                   const ObserverPlan& plan);
/// Memory estimate of the counts: on the device, and as much on the host while they are saved or
/// written.
[[nodiscard]] std::int64_t counted_bytes(const topology::Topology& topology,
                                         const ObserverPlan& plan);

/// Largest number of residues with histograms of each one's energy, whose cost grows with all
/// pairs.
inline constexpr int observed_residues_at_most = 20'000;

/// Counts of one rank's replicas, on its device. ReplicaSet::observe() adds to them.
class ReplicaObserver {
 public:
  /// Adds all arrays of an observer of `replicas` replicas to the estimate.
  static void estimate(device::MemoryEstimate& estimate, const topology::Topology& topology,
                       const ObserverPlan& plan, std::int64_t replicas);

  /// Throws DeviceMemoryError; std::invalid_argument for a plan that is not possible, such as
  /// energies of more residues than observed_residues_at_most or for another model's pairs.
  ReplicaObserver(const topology::Topology& topology, const ObserverPlan& plan);
  ~ReplicaObserver();
  ReplicaObserver(ReplicaObserver&&) noexcept;
  ReplicaObserver& operator=(ReplicaObserver&&) noexcept;

  [[nodiscard]] const ObserverPlan& plan() const;
  [[nodiscard]] ObservedCounts counts() const;
  /// Resumes from these counts. Throws std::invalid_argument if they do not fit this plan.
  void restore(const ObservedCounts& counts);

  /// For a plan with several shares: take_phases() returns the phases of the last add();
  /// sum_phases() adds phases of all observers' replicas to the rows kept here.
  [[nodiscard]] SampledPhases take_phases();
  void sum_phases(const SampledPhases& phases);
  /// take_phases() for energies, whose histograms are kept elsewhere.
  [[nodiscard]] SampledEnergies take_energies();

  /// Adds one sample of each replica of a set; positions are on the device.
  void add(const kernels::ReplicaPositions& replicas, const std::vector<ReplicaLabel>& labels);

 private:
  class Counters;
  std::unique_ptr<Counters> counters_;
};

}  // namespace nfold::replicas
