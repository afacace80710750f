// Sparse energy histograms, one row per distinct residue, for a range of rows.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/distinct_residues.hpp"
#include "analysis/result.hpp"
#include "analysis/sparse_counts.hpp"
#include "analysis/word_stream.hpp"
#include "model/topology/topology.hpp"

namespace nfold::analysis {

/// Range of the histograms [kJ/mol].
struct EnergyRange {
  double low = 0, high = 1;
};

class EnergyHistograms {
 public:
  static constexpr int bins = 1000;

  /// rows: distinct residues whose histograms are stored here. The topology must outlive it.
  EnergyHistograms(const topology::Topology& topology, EnergyRange range_kj_mol, RowRange rows)
      : residues_(topology), range_(range_kj_mol), rows_(rows) {}

  [[nodiscard]] const DistinctResidues& residues() const { return residues_; }
  /// Returns the key of the bin of an energy in a residue's histogram, stored here or not.
  [[nodiscard]] std::uint64_t key_of(int residue, double kj_mol) const;
  /// Adds entries of rows that are stored here.
  void add(std::span<const SparseCounts::Entry> entries) { counts_.add(entries); }
  [[nodiscard]] std::span<const SparseCounts::Entry> entries() const { return counts_.entries(); }

  /// Saves `all`, the entries of all rows.
  void save(std::span<const SparseCounts::Entry> all, WordWriter& to) const;
  /// Restores the rows that are stored here. Returns false for saved data of other residues or
  /// another range. Throws std::out_of_range for data that is not histograms.
  [[nodiscard]] bool restore(std::span<const std::int64_t> words);
  /// Returns the tables; all rows must be stored here.
  [[nodiscard]] std::vector<Result> results() const;

  /// Returns the size of result tables with this number of rows [bytes].
  [[nodiscard]] static std::int64_t table_bytes(std::int64_t rows);
  /// Returns the expected memory of this number of rows, with a typical number of bins [bytes].
  [[nodiscard]] static std::int64_t expected_bytes(std::int64_t rows);

 private:
  [[nodiscard]] std::array<std::int64_t, 4> parameters() const;

  DistinctResidues residues_;
  EnergyRange range_;
  RowRange rows_;
  SparseCounts counts_;
};

}  // namespace nfold::analysis
