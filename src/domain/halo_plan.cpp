// Halo plan from proximity and topology; the senders decide and tell the receivers.
// SPDX-License-Identifier: BSD-3-Clause

#include "domain/halo_plan.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "domain/occupancy.hpp"

namespace nfold::domain {
namespace {

/// The cells of the owned residues, and which of them each residue stands in.
struct OwnCells {
  std::vector<std::uint64_t> keys;  // ascending, unique
  std::vector<int> of_row;
};

OwnCells own_cells(const CellGrid& grid, std::span<const system::FixedPosition> position) {
  OwnCells cells;
  cells.keys.reserve(position.size());
  for (const auto& x : position) cells.keys.push_back(key_of(grid.cell_of(x)));
  const auto by_row = cells.keys;
  std::sort(cells.keys.begin(), cells.keys.end());
  cells.keys.erase(std::unique(cells.keys.begin(), cells.keys.end()), cells.keys.end());
  cells.of_row.reserve(by_row.size());
  for (const auto key : by_row) {
    const auto found = std::lower_bound(cells.keys.begin(), cells.keys.end(), key);
    cells.of_row.push_back(static_cast<int>(found - cells.keys.begin()));
  }
  return cells;
}

/// Rows that stand in a needed cell, or whose ids are wanted (ascending).
std::vector<int> rows_to_send(const OwnCells& cells, const std::vector<char>& needed,
                              std::span<const int> id, const std::vector<int>& wanted) {
  std::vector<int> rows;
  auto want = wanted.begin();
  for (std::size_t row = 0; row < id.size(); ++row) {
    const bool is_wanted = want != wanted.end() && *want == id[row];
    if (is_wanted) ++want;
    if (is_wanted || needed[static_cast<std::size_t>(cells.of_row[row])] != 0) {
      rows.push_back(static_cast<int>(row));
    }
  }
  if (want != wanted.end()) {
    throw std::invalid_argument("residue " + std::to_string(*want) +
                                " is wanted from a rank that does not own it");
  }
  return rows;
}

}  // namespace

HaloPlan make_halo_plan(const comm::Communicator& communicator, const topology::Box& box,
                        std::span<const int> id, std::span<const system::FixedPosition> position,
                        const std::vector<std::vector<int>>& wanted, double range_nm) {
  const auto ranks = static_cast<std::size_t>(communicator.size());
  HaloPlan plan;
  plan.send_rows.resize(ranks);
  plan.receive_ids.resize(ranks);
  if (ranks == 1) return plan;
  const CellGrid grid(communicator, box, position, range_nm);
  const OwnCells cells = own_cells(grid, position);
  const auto occupied = Occupancy::all(communicator, cells.keys);
  std::vector<std::vector<int>> send_ids(ranks);
  for (std::size_t peer = 0; peer < ranks; ++peer) {
    if (static_cast<int>(peer) == communicator.rank()) continue;
    plan.send_rows[peer] =
        rows_to_send(cells, occupied[peer].near(cells.keys, grid.period()), id, wanted[peer]);
    for (const int row : plan.send_rows[peer]) {
      send_ids[peer].push_back(id[static_cast<std::size_t>(row)]);
    }
  }
  plan.receive_ids = communicator.all_to_all(send_ids);
  return plan;
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
