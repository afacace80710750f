// Contact maps of many residues: only pairs that ever touched, and of those the rows of one share.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/blocked_sums.hpp"
#include "analysis/distinct_residues.hpp"
#include "analysis/result.hpp"
#include "analysis/sparse_counts.hpp"
#include "analysis/words.hpp"
#include "topology/topology.hpp"

namespace nfold::analysis {

/// Distinct residues up to which maps are whole tables (ContactMaps); with more they are sparse.
inline constexpr int most_rows_of_whole_maps = 1000;

/// As ContactMaps counts, by distinct residues: one map of contacts within chains and one of those
/// between chains. Both are symmetric; row <= column is kept. Counts are of pairs, each once, over
/// all frames and chains. Several shares keep the rows of one map; any of them may find a contact.
class SparseContactMaps {
 public:
  /// Where a contact counts.
  struct Place {
    bool within = false;
    int row = 0, column = 0;
    [[nodiscard]] std::uint64_t key() const { return SparseCounts::key_of(row, column); }
  };

  /// The topology must outlive it.
  SparseContactMaps(const topology::Topology& topology, double cutoff_nm, RowRange rows);

  [[nodiscard]] const DistinctResidues& residues() const { return residues_; }
  [[nodiscard]] RowRange rows() const { return rows_; }
  [[nodiscard]] Place place_of(int i, int j) const;
  /// (2 kinds) contacts of chains of each kind: within, then with other chains.
  [[nodiscard]] std::size_t contact_columns() const { return 2 * residues_.kinds().size(); }
  void count_chains(int i, int j, std::span<std::int64_t> contacts) const;

  /// Entries of rows of this share.
  void add(bool within, std::span<const SparseCounts::Entry> entries);
  /// Sums of all shares for one frame; for who keeps them.
  void end_frame(std::span<const std::int64_t> contacts) { per_chain_.add(contacts); }

  [[nodiscard]] const SparseCounts& counts(bool within) const { return counts_[within ? 0 : 1]; }
  /// With the rows of all shares.
  void save(std::span<const SparseCounts::Entry> within,
            std::span<const SparseCounts::Entry> between, WordWriter& to) const;
  /// Takes this share's rows. False for words of other residues or another cutoff;
  /// std::out_of_range for words that are no maps.
  [[nodiscard]] bool restore(std::span<const std::int64_t> words);
  /// Of a share that has all rows: rows as scipy.sparse.csr_matrix takes them.
  [[nodiscard]] std::vector<Result> results() const;

  /// Memory of so many rows where each has touched as many others as most do.
  [[nodiscard]] static std::int64_t expected_bytes(std::int64_t rows);

 private:
  void add_map(bool within, std::vector<Result>& results) const;
  void add_chain_means(std::vector<Result>& results) const;

  DistinctResidues residues_;
  double cutoff_nm_;
  RowRange rows_;
  std::array<SparseCounts, 2> counts_;  // within, between
  BlockedSums per_chain_;
};

}  // namespace nfold::analysis
