// Histograms of each distinct residue's energy: only bins that were ever met, of some rows.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/distinct_residues.hpp"
#include "analysis/result.hpp"
#include "analysis/sparse_counts.hpp"
#include "analysis/words.hpp"
#include "topology/topology.hpp"

namespace nfold::analysis {

/// Where the histograms begin and end [kJ/mol].
struct EnergyRange {
  double low = 0, high = 1;
};

class EnergyHistograms {
 public:
  static constexpr int bins = 1000;

  /// rows: of distinct residues, that are kept here. The topology must outlive it.
  EnergyHistograms(const topology::Topology& topology, EnergyRange range_kj_mol, RowRange rows)
      : residues_(topology), range_(range_kj_mol), rows_(rows) {}

  [[nodiscard]] const DistinctResidues& residues() const { return residues_; }
  /// Of any row.
  [[nodiscard]] std::uint64_t key_of(int residue, double kj_mol) const;
  /// Of rows that are kept here.
  void add(std::span<const SparseCounts::Entry> entries);
  [[nodiscard]] std::span<const SparseCounts::Entry> entries() const { return counts_.entries(); }

  /// With the entries of all rows.
  void save(std::span<const SparseCounts::Entry> all, WordWriter& to) const;
  /// Takes the rows that are kept here. False for words of other residues or another range;
  /// std::out_of_range for words that are no histograms.
  [[nodiscard]] bool restore(std::span<const std::int64_t> words);
  /// Of one that keeps all rows.
  [[nodiscard]] std::vector<Result> results() const;

  /// Of so many rows as tables are written.
  [[nodiscard]] static std::int64_t table_bytes(std::int64_t rows);
  /// Memory of so many rows where each has met as many bins as most do.
  [[nodiscard]] static std::int64_t expected_bytes(std::int64_t rows);

 private:
  [[nodiscard]] std::array<std::int64_t, 4> parameters() const;

  DistinctResidues residues_;
  EnergyRange range_;
  RowRange rows_;
  SparseCounts counts_;
};

}  // namespace nfold::analysis
