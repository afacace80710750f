// Ghost counts from cells near residues of several ranks, searched on a coarse grid first.
// SPDX-License-Identifier: BSD-3-Clause

#include "domain/ghost_count.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "domain/position_cells.hpp"
#include "system/occupied_cells.hpp"

namespace nfold::domain {
namespace {

// The halo's own cells are as fine if memory allows.
constexpr int cells_per_cutoff = 3;

/// Number of residues of each rank in each occupied cell.
class RanksOfCells {
 public:
  RanksOfCells(const system::CellGrid& grid, std::span<const system::FixedPosition> positions,
               const Ownership& owner, int rank_count)
      : is_seen_(static_cast<std::size_t>(rank_count), 0) {
    auto sorted = sort_by_cell(grid, positions);
    cell_of_.resize(positions.size());
    std::vector<int> ranks;
    for (std::size_t c = 0; c < sorted.keys.size(); ++c) {
      ranks.clear();
      for (auto k = sorted.first[c]; k < sorted.first[c + 1]; ++k) {
        cell_of_[sorted.rows[k]] = static_cast<std::uint32_t>(c);
        ranks.push_back(owner[sorted.rows[k]]);
      }
      std::ranges::sort(ranks);
      first_.push_back(parts_.size());
      for (const int rank : ranks) {
        if (parts_.size() == first_.back() || parts_.back().rank != rank)
          parts_.push_back({rank, 0});
        ++parts_.back().residues;
      }
    }
    first_.push_back(parts_.size());
    cells_.emplace(grid, std::move(sorted.keys));
  }

  [[nodiscard]] std::size_t cell_of(std::size_t id) const { return cell_of_[id]; }

  /// (cells) Returns true if residues of several ranks are near the cell.
  [[nodiscard]] std::vector<bool> near_others(int reach) {
    std::vector<bool> several;
    several.reserve(cells_->size());
    for (std::size_t c = 0; c < cells_->size(); ++c) {
      several.push_back(ranks_near(c, reach, 2).size() > 1);
    }
    return several;
  }

  /// Adds the residues that each rank would copy.
  void add_ghosts(std::vector<std::int64_t>& ghosts) {
    for (std::size_t c = 0; c < cells_->size(); ++c) {
      std::int64_t residues = 0;
      for (auto p = first_[c]; p < first_[c + 1]; ++p) {
        residues += parts_[p].residues;
        ghosts[static_cast<std::size_t>(parts_[p].rank)] -= parts_[p].residues;
      }
      for (const int rank : ranks_near(c, cells_per_cutoff, is_seen_.size()))
        ghosts[static_cast<std::size_t>(rank)] += residues;
    }
  }

 private:
  struct Part {
    int rank;
    std::int64_t residues;
  };

  /// Returns the ranks that have a residue in the cell or near it, at least `enough` of them if
  /// there are as many; valid until the next call. If ranks are mixed, the nearest cells suffice.
  const std::vector<int>& ranks_near(std::size_t c, int reach, std::size_t enough) {
    for (const int rank : near_) is_seen_[static_cast<std::size_t>(rank)] = 0;
    near_.clear();
    const auto see = [&](std::size_t other) {
      for (auto p = first_[other]; p < first_[other + 1]; ++p) {
        char& is_seen = is_seen_[static_cast<std::size_t>(parts_[p].rank)];
        if (is_seen == 0) near_.push_back(parts_[p].rank);
        is_seen = 1;
      }
      return near_.size() >= enough;
    };
    if (!see(c)) (void)cells_->any_near(cells_->cell(c), reach, see);
    return near_;
  }

  std::optional<system::OccupiedCells> cells_;
  std::vector<std::uint32_t> cell_of_;  // (residues)
  std::vector<std::size_t> first_;      // (cells + 1) into parts
  std::vector<Part> parts_;
  std::vector<char> is_seen_;  // (ranks) true if in near_
  std::vector<int> near_;
};

}  // namespace

std::vector<std::int64_t> count_ghosts(const system::Box& box,
                                       std::span<const system::FixedPosition> positions,
                                       const Ownership& owner, int rank_count, double range_nm) {
  std::vector<std::int64_t> ghosts(static_cast<std::size_t>(rank_count), 0);
  if (positions.empty()) return ghosts;
  const system::CellGrid grid = grid_of(box, positions, range_nm / cells_per_cutoff);
  // Residues of cells in range of each other are less than two ranges apart: at most two coarse
  // cells.
  RanksOfCells coarse(grid_of(box, positions, range_nm), positions, owner, rank_count);
  const auto is_by_a_border = coarse.near_others(2);
  std::vector<system::FixedPosition> near_border;
  Ownership owner_near_border;
  for (std::size_t id = 0; id < positions.size(); ++id) {
    if (!is_by_a_border[coarse.cell_of(id)]) continue;
    near_border.push_back(positions[id]);
    owner_near_border.push_back(owner[id]);
  }
  RanksOfCells(grid, near_border, owner_near_border, rank_count).add_ghosts(ghosts);
  return ghosts;
}

}  // namespace nfold::domain
