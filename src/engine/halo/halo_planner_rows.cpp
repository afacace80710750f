// Part of a halo plan that the partition fixes: partners, sent rows, marked rows.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "device/refill.hpp"
#include "domain/row_index.hpp"
#include "engine/halo/halo_planner.hpp"

namespace nfold::halo {
namespace {

constexpr int word_bits = kernels::HaloGrid::word_bits;

/// Returns the rows of the ids that each rank needs, in the ids' order.
std::vector<std::vector<int>> rows_of(const std::vector<std::vector<int>>& wanted,
                                      std::span<const int> ids, std::size_t residues) {
  const domain::RowIndex row_of(ids, 0, residues);
  std::vector<std::vector<int>> rows;
  for (const auto& ids_of_rank : wanted) {
    auto& to_rank = rows.emplace_back();
    for (const int id : ids_of_rank) {
      const int row = row_of[id];
      if (row < 0) {
        throw std::invalid_argument("residue " + std::to_string(id) +
                                    " is wanted from a rank that does not own it");
      }
      to_rank.push_back(row);
    }
  }
  return rows;
}

int row_words(int owned) { return (owned + word_bits - 1) / word_bits; }

/// Sets one bit per row and rank.
std::vector<std::uint32_t> row_bits(const std::vector<std::vector<int>>& rows, int owned) {
  const auto words = static_cast<std::size_t>(row_words(owned));
  std::vector<std::uint32_t> bits(rows.size() * words, 0);
  for (std::size_t rank = 0; rank < rows.size(); ++rank) {
    for (const int row : rows[rank]) {
      bits[rank * words + static_cast<std::size_t>(row / word_bits)] |=
          1U << static_cast<unsigned>(row % word_bits);
    }
  }
  return bits;
}

}  // namespace

FixedRows fixed_rows(std::span<const int> ids, const domain::LocalTerms& terms,
                     const domain::Ownership& owner, std::span<const char> is_marked) {
  FixedRows rows;
  rows.owned = static_cast<int>(ids.size());
  rows.id.reserve(ids.size() + terms.partners.size());
  rows.id.assign(ids.begin(), ids.end());
  rows.id.insert(rows.id.end(), terms.partners.begin(), terms.partners.end());
  rows.sent = rows_of(terms.wanted, ids, owner.size());
  rows.received.resize(terms.wanted.size());
  for (std::size_t k = 0; k < terms.partners.size(); ++k) {
    const int rank = owner.at(static_cast<std::size_t>(terms.partners[k]));
    rows.received.at(static_cast<std::size_t>(rank)).push_back(rows.owned + static_cast<int>(k));
  }
  rows.sent_bits = row_bits(rows.sent, rows.owned);
  for (std::size_t row = 0; row < is_marked.size(); ++row) {
    if (is_marked[row] != 0) rows.marked.push_back(static_cast<int>(row));
  }
  return rows;
}

void HaloPlanner::Direction::set_fixed(const std::vector<std::vector<int>>& by_rank) {
  fixed_count.clear();
  std::vector<int> all, first_of_rank{0};
  for (const auto& rows : by_rank) {
    fixed_count.push_back(static_cast<int>(rows.size()));
    all.insert(all.end(), rows.begin(), rows.end());
    first_of_rank.push_back(static_cast<int>(all.size()));
  }
  reserve_fixed(static_cast<int>(by_rank.size()), std::ssize(all));
  fixed_row.upload(all);
  fixed_first.upload(first_of_rank);
  other_count.assign(by_rank.size(), 0);
  join(nullptr, 0);
}

void HaloPlanner::Direction::join(const int* other_row, int first_other_row) {
  const int ranks = static_cast<int>(other_count.size());
  int* const begin = first.host();
  begin[0] = 0;
  for (std::size_t rank = 0; rank < other_count.size(); ++rank) {
    begin[rank + 1] = begin[rank] + fixed_count[rank] + other_count[rank];
  }
  first.to_device(ranks + 1);
  const int total = begin[ranks];
  device::grow_by_quarter(row, total);
  device::launch("join halo rows", total,
                 kernels::JoinRows{first.device(), fixed_first.data(), ranks, fixed_row.data(),
                                   other_row, first_other_row, row.data()});
}

int HaloPlanner::Direction::prepared_count() const {
  return std::accumulate(fixed_count.begin(), fixed_count.end(),
                         std::accumulate(other_count.begin(), other_count.end(), 0));
}

/// Reserves capacity for the rows that the partition determines.
void HaloPlanner::Direction::reserve_fixed(int ranks, std::int64_t rows) {
  device::reserve_for_refill(fixed_row, rows);
  fixed_first.reserve(ranks + 1);
  first.reserve(ranks + 1);
  device::grow_by_quarter(row, rows);
}

void HaloPlanner::set_rows(FixedRows rows) {
  device::fence();  // completes the last plan's copies from the host
  owned_ = rows.owned;
  partners_ = static_cast<int>(rows.id.size()) - rows.owned;
  fixed_id_ = std::move(rows.id);
  marked_rows_ = static_cast<int>(rows.marked.size());
  send_.set_fixed(rows.sent);
  receive_.set_fixed(rows.received);
  reserve_fixed(fixed_rows(), marked_rows_);
  fixed_row_bits_.upload(rows.sent_bits);
  marked_row_.upload(rows.marked);
  row_id_.upload(fixed_id_);
  extent_is_known_ = !has_open_axis_;
  most_cells_ = most_halo_cells(communicator_.sum(static_cast<std::int64_t>(owned_)));
}

/// Reserves the arrays that the partition determines.
void HaloPlanner::reserve_fixed(std::int64_t rows, std::int64_t marked) {
  row_words_ = row_words(owned_);
  device::reserve_for_refill(fixed_row_bits_, std::int64_t{ranks_} * row_words_);
  device::reserve_for_refill(marked_row_, marked);
  device::reserve_for_refill(row_id_, std::max<std::int64_t>(rows, kernels::padded(owned_)));
}

}  // namespace nfold::halo
