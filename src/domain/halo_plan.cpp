// Halo plan from proximity and topology; the senders decide and tell the receivers.
// SPDX-License-Identifier: BSD-3-Clause

#include "domain/halo_plan.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>

#include "domain/occupancy.hpp"

namespace nfold::domain {
namespace {

/// The cells of the owned residues, and which of them each residue stands in.
struct OwnCells {
  std::vector<std::uint64_t> keys;  // ascending, unique
  std::vector<int> of_row;
};

/// By counting through the bounding box of the cells, `extent` of them from `low` on.
OwnCells own_cells_of_box(const std::vector<Cell>& by_row, const Cell& low, const Cell& extent) {
  const auto place_of = [&](const Cell& cell) {
    return (static_cast<std::size_t>(cell[0] - low[0]) * static_cast<std::size_t>(extent[1]) +
            static_cast<std::size_t>(cell[1] - low[1])) *
               static_cast<std::size_t>(extent[2]) +
           static_cast<std::size_t>(cell[2] - low[2]);
  };
  const Cell end{low[0] + extent[0], low[1] + extent[1], low[2] + extent[2]};
  std::vector<int> number(place_of({end[0] - 1, end[1] - 1, end[2] - 1}) + 1, -1);
  for (const auto& cell : by_row) number[place_of(cell)] = 0;
  OwnCells cells;
  std::size_t place = 0;
  for (int x = low[0]; x < end[0]; ++x) {
    for (int y = low[1]; y < end[1]; ++y) {
      for (int z = low[2]; z < end[2]; ++z, ++place) {
        if (number[place] < 0) continue;
        number[place] = static_cast<int>(cells.keys.size());
        cells.keys.push_back(key_of({x, y, z}));
      }
    }
  }
  cells.of_row.reserve(by_row.size());
  for (const auto& cell : by_row) cells.of_row.push_back(number[place_of(cell)]);
  return cells;
}

OwnCells own_cells_sorted(const std::vector<Cell>& by_row) {
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  order.reserve(by_row.size());
  for (const auto& cell : by_row) order.emplace_back(key_of(cell), order.size());
  std::sort(order.begin(), order.end());
  OwnCells cells;
  cells.of_row.resize(by_row.size());
  for (const auto& [key, row] : order) {
    if (cells.keys.empty() || cells.keys.back() != key) cells.keys.push_back(key);
    cells.of_row[row] = static_cast<int>(cells.keys.size()) - 1;
  }
  return cells;
}

OwnCells own_cells(const CellGrid& grid, std::span<const system::FixedPosition> position) {
  if (position.empty()) return {};
  std::vector<Cell> by_row;
  by_row.reserve(position.size());
  for (const auto& x : position) by_row.push_back(grid.cell_of(x));
  Cell low = by_row.front(), high = low, extent{};
  for (const auto& cell : by_row) {
    for (std::size_t k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], cell[k]);
      high[k] = std::max(high[k], cell[k]);
    }
  }
  double volume = 1;
  for (std::size_t k = 0; k < 3; ++k) volume *= extent[k] = high[k] - low[k] + 1;
  constexpr double cells_per_residue = 8;  // 32 bytes a residue
  return volume <= cells_per_residue * static_cast<double>(position.size())
             ? own_cells_of_box(by_row, low, extent)
             : own_cells_sorted(by_row);
}

std::vector<int> rows_of(std::span<const int> id, const std::vector<int>& wanted) {
  std::vector<int> rows;
  rows.reserve(wanted.size());
  for (const int want : wanted) {
    const auto found = std::lower_bound(id.begin(), id.end(), want);
    if (found == id.end() || *found != want) {
      throw std::invalid_argument("residue " + std::to_string(want) +
                                  " is wanted from a rank that does not own it");
    }
    rows.push_back(static_cast<int>(found - id.begin()));
  }
  return rows;
}

/// Adds rows to rows, both ascending.
void unite(std::vector<int>& rows, const std::vector<int>& more) {
  if (more.empty()) return;
  std::vector<int> all;
  all.reserve(rows.size() + more.size());
  std::set_union(rows.begin(), rows.end(), more.begin(), more.end(), std::back_inserter(all));
  rows = std::move(all);
}

/// Collective. Adds to send_rows[peer] the members that stand near a member of that peer.
void add_near(const comm::Communicator& communicator, const topology::Box& box,
              std::span<const system::FixedPosition> position, const Reach& reach,
              std::vector<std::vector<int>>& send_rows) {
  std::vector<int> member_rows;
  std::vector<system::FixedPosition> members;
  for (std::size_t row = 0; row < position.size(); ++row) {
    if (!reach.is_member.empty() && reach.is_member[row] == 0) continue;
    member_rows.push_back(static_cast<int>(row));
    members.push_back(position[row]);
  }
  const CellGrid grid(communicator, box, members, reach.range_nm);
  const OwnCells cells = own_cells(grid, members);
  const auto occupied = Occupancy::all(communicator, cells.keys);
  for (std::size_t peer = 0; peer < occupied.size(); ++peer) {
    if (static_cast<int>(peer) == communicator.rank()) continue;
    const auto near = occupied[peer].near(cells.keys, grid.period());
    if (std::find(near.begin(), near.end(), 1) == near.end()) continue;
    std::vector<int> rows;
    for (std::size_t k = 0; k < members.size(); ++k) {
      if (near[static_cast<std::size_t>(cells.of_row[k])] != 0) rows.push_back(member_rows[k]);
    }
    unite(send_rows[peer], rows);
  }
}

}  // namespace

HaloPlan make_halo_plan(const comm::Communicator& communicator, const topology::Box& box,
                        std::span<const int> id, std::span<const system::FixedPosition> position,
                        const std::vector<std::vector<int>>& wanted,
                        std::span<const Reach> reaches) {
  const auto ranks = static_cast<std::size_t>(communicator.size());
  HaloPlan plan;
  plan.send_rows.resize(ranks);
  plan.receive_ids.resize(ranks);
  if (ranks == 1) return plan;
  for (std::size_t peer = 0; peer < ranks; ++peer) plan.send_rows[peer] = rows_of(id, wanted[peer]);
  for (const auto& reach : reaches) add_near(communicator, box, position, reach, plan.send_rows);
  std::vector<std::vector<int>> send_ids(ranks);
  for (std::size_t peer = 0; peer < ranks; ++peer) {
    send_ids[peer].reserve(plan.send_rows[peer].size());
    for (const int row : plan.send_rows[peer]) {
      send_ids[peer].push_back(id[static_cast<std::size_t>(row)]);
    }
  }
  plan.receive_ids = communicator.all_to_all(send_ids);
  return plan;
}

HaloPlan make_halo_plan(const comm::Communicator& communicator, const topology::Box& box,
                        std::span<const int> id, std::span<const system::FixedPosition> position,
                        const std::vector<std::vector<int>>& wanted, double range_nm) {
  const Reach everything{range_nm, {}};
  return make_halo_plan(communicator, box, id, position, wanted,
                        std::span<const Reach>(&everything, 1));
}

std::vector<int> LocalRows::row_of_id(int residue_count) const {
  std::vector<int> rows(static_cast<std::size_t>(residue_count), -1);
  for (std::size_t row = 0; row < id.size(); ++row) {
    rows[static_cast<std::size_t>(id[row])] = static_cast<int>(row);
  }
  return rows;
}

LocalRows local_rows(std::span<const int> owned_ids, const HaloPlan& plan) {
  LocalRows rows;
  rows.id.assign(owned_ids.begin(), owned_ids.end());
  rows.owned = static_cast<int>(owned_ids.size());
  for (const auto& ids : plan.receive_ids) rows.id.insert(rows.id.end(), ids.begin(), ids.end());
  return rows;
}

std::vector<comm::Route> routes_of(const HaloPlan& plan, std::size_t bytes_per_row) {
  std::vector<comm::Route> routes;
  std::size_t sent = 0, received = 0;
  for (std::size_t peer = 0; peer < plan.send_rows.size(); ++peer) {
    const std::size_t out = plan.send_rows[peer].size() * bytes_per_row;
    const std::size_t in = plan.receive_ids[peer].size() * bytes_per_row;
    if (out + in > 0) routes.push_back({static_cast<int>(peer), sent, out, received, in});
    sent += out;
    received += in;
  }
  return routes;
}

}  // namespace nfold::domain
