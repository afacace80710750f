// Rows of chain kinds, and their distribution over shares.
// SPDX-License-Identifier: BSD-3-Clause

#include "analysis/distinct_residues.hpp"

namespace nfold::analysis {

DistinctResidues::DistinctResidues(const topology::Topology& topology)
    : topology_(&topology), kinds_(chain_kinds(topology)), first_{0} {
  first_.reserve(kinds_.size() + 1);
  for (const auto& kind : kinds_.kinds) first_.push_back(first_.back() + kind.residues);
}

RowRange rows_of_share(int rows, int which, int shares) {
  const auto border = [&](int k) {
    return static_cast<int>(static_cast<std::int64_t>(rows) * k / shares);
  };
  return {border(which), border(which + 1)};
}

int share_of_row(int rows, int row, int shares) {
  // The largest k whose first row, the integer part of rows * k / shares, is at most `row`.
  return static_cast<int>(((static_cast<std::int64_t>(row) + 1) * shares - 1) / rows);
}

}  // namespace nfold::analysis
