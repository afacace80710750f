// Sparse contact maps of many residues, with the rows divided into shares.
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
#include "analysis/word_stream.hpp"
#include "model/topology/topology.hpp"

namespace nfold::analysis {

/// Limit of distinct residues for whole maps (ContactMaps); with more they are sparse.
inline constexpr int dense_map_row_limit = 1000;

/// Contact maps as in ContactMaps, but by distinct residues: one map of contacts within chains and
/// one between chains. Both are symmetric; row <= column is stored. Counts are of pairs, each once,
/// over all frames and chains. Several shares store the rows of one map; any of them may find a
/// contact.
class SparseContactMaps {
 public:
  /// Map and element of a contact.
  struct MapElement {
    bool within = false;
    int row = 0, column = 0;
    [[nodiscard]] std::uint64_t key() const { return SparseCounts::key_of(row, column); }
  };

  /// The topology must outlive it.
  SparseContactMaps(const topology::Topology& topology, double cutoff_nm, RowRange rows);

  [[nodiscard]] const DistinctResidues& residues() const { return residues_; }
  [[nodiscard]] RowRange rows() const { return rows_; }
  [[nodiscard]] MapElement find_element(int i, int j) const;
  /// Number of columns of per-chain contacts, 2 kinds: within chains of each kind, then with other
  /// chains.
  [[nodiscard]] std::size_t contact_columns() const { return 2 * residues_.kinds().size(); }
  void count_chains(int i, int j, std::span<std::int64_t> contacts) const;

  /// Adds entries of rows of this share.
  void add(bool within, std::span<const SparseCounts::Entry> entries) {
    counts_[within ? 0 : 1].add(entries);
  }
  /// Adds the sums of all shares for one frame, on the share that stores them.
  void end_frame(std::span<const std::int64_t> contacts) { per_chain_.add(contacts); }

  [[nodiscard]] const SparseCounts& counts(bool within) const { return counts_[within ? 0 : 1]; }
  /// Saves the maps; within, between: entries of all shares.
  void save(std::span<const SparseCounts::Entry> within,
            std::span<const SparseCounts::Entry> between, WordWriter& to) const;
  /// Restores this share's rows. Returns false for saved data of other residues or another cutoff.
  /// Throws std::out_of_range for data that is not maps.
  [[nodiscard]] bool restore(std::span<const std::int64_t> words);
  /// Returns the tables, with rows in the format of scipy.sparse.csr_matrix; this share must have
  /// all rows.
  [[nodiscard]] std::vector<Result> results() const;

  /// Returns the expected memory of this number of rows, with a typical number of contacts [bytes].
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
