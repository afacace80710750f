// Residues distinct by chain kind and position, the rows of maps and histograms.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/chain_kinds.hpp"
#include "analysis/result.hpp"
#include "model/topology/topology.hpp"

namespace nfold::analysis {

/// Numbering with one row for each residue of one chain of each kind, kind after kind.
class DistinctResidues {
 public:
  /// The topology must outlive it.
  explicit DistinctResidues(const topology::Topology& topology);

  [[nodiscard]] int count() const { return first_.back(); }
  [[nodiscard]] int row_of(int residue) const {
    const int chain = topology_->residues[static_cast<std::size_t>(residue)].chain;
    return first_[static_cast<std::size_t>(kind_of_chain(chain))] + residue -
           topology_->chains[static_cast<std::size_t>(chain)].first;
  }
  [[nodiscard]] int kind_of_chain(int chain) const {
    return kinds_.of_chain[static_cast<std::size_t>(chain)];
  }
  [[nodiscard]] int chain_of(int residue) const {
    return topology_->residues[static_cast<std::size_t>(residue)].chain;
  }
  [[nodiscard]] const ChainKinds& kinds() const { return kinds_; }
  /// Returns (kinds + 1) the first row of each kind.
  [[nodiscard]] const std::vector<int>& first_rows() const { return first_; }
  /// Returns the first rows as the table GROUP/species_start.
  [[nodiscard]] Result species_start(const std::string& group) const {
    return whole_numbers(
        group + "/species_start",
        "(species + 1) rows of residues of a chain of species k go from [k] to [k + 1]",
        {first_.begin(), first_.end()});
  }

 private:
  const topology::Topology* topology_;
  ChainKinds kinds_;
  std::vector<int> first_;
};

/// Consecutive rows, such as those that one rank stores.
struct RowRange {
  int first = 0, last = 0;  ///< last: exclusive
  [[nodiscard]] bool has(int row) const { return row >= first && row < last; }
  [[nodiscard]] int size() const { return last - first; }
};
/// Returns the range of share `which` of `shares` equal shares; each row is in one.
[[nodiscard]] RowRange rows_of_share(int rows, int which, int shares);
/// Returns the share that contains a row.
[[nodiscard]] int share_of_row(int rows, int row, int shares);

}  // namespace nfold::analysis
