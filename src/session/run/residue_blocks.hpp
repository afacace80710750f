// Blocks of consecutive residues, one for each rank, independent of ownership.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/distinct_residues.hpp"
#include "comm/communicator.hpp"
#include "system/box.hpp"
#include "system/state.hpp"

namespace nfold::run {

/// Positions of a block of consecutive residues and of some others.
class BlockPositions {
 public:
  using Point = std::array<double, 3>;

  explicit BlockPositions(analysis::RowRange block)
      : block_(block), x_nm_(static_cast<std::size_t>(block.size())) {}
  void put(int id, const Point& x_nm);
  /// Called once after the last put().
  void sort_others();
  [[nodiscard]] const Point& of(int id) const;

 private:
  analysis::RowRange block_;
  std::vector<Point> x_nm_;  // unwrapped
  std::vector<std::pair<int, Point>> others_;
};

/// Blocks of consecutive residues, and the other residues that the terms of this rank's block need.
class ResidueBlocks {
 public:
  ResidueBlocks(const comm::Communicator& communicator, int residues)
      : communicator_(communicator),
        residues_(residues),
        own_(analysis::rows_of_share(residues, communicator.rank(), communicator.size())) {}

  [[nodiscard]] analysis::RowRange own() const { return own_; }
  [[nodiscard]] int rank_of(int residue) const {
    return analysis::share_of_row(residues_, residue, communicator_.size());
  }
  /// Registers a term: the rank that has the block of ends[0] gets the positions of the others too.
  /// Called alike on every rank.
  template <class Residues>
  void add_term(const Residues& ends) {
    const int home = rank_of(ends[0]);
    for (const int end : ends) {
      if (rank_of(end) != home) needed_.emplace_back(end, home);
    }
  }
  /// Called after the last add_term().
  void end_terms();

  /// Collective. Returns the positions of this rank's block and of the others that its terms need.
  [[nodiscard]] BlockPositions positions(const system::Box& box, const system::State& mine) const;

  struct Amount {
    std::int64_t residue, value;
  };
  /// Collective. Returns, for this rank's block, the sums of all ranks' amounts of each residue.
  [[nodiscard]] std::vector<std::int64_t> sums(const std::vector<Amount>& found) const;

 private:
  const comm::Communicator communicator_;
  int residues_;
  analysis::RowRange own_;
  std::vector<std::pair<int, int>> needed_;  // residue, rank of another block that needs it
};

}  // namespace nfold::run
