// What ownership fixes of a halo plan: partners, wanted rows, marked rows.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

#include "halo/halo_planner.hpp"

namespace nfold::halo {
namespace {

constexpr int word_bits = kernels::HaloGrid::word_bits;

/// Rows of the ids that each rank wants, in the ids' order.
std::vector<std::vector<int>> rows_of(const std::vector<std::vector<int>>& wanted,
                                      std::span<const int> ids, std::size_t residues) {
  std::vector<int> row_of(residues, -1);
  for (std::size_t row = 0; row < ids.size(); ++row) {
    row_of[static_cast<std::size_t>(ids[row])] = static_cast<int>(row);
  }
  std::vector<std::vector<int>> rows;
  for (const auto& ids_of_rank : wanted) {
    auto& to_rank = rows.emplace_back();
    for (const int id : ids_of_rank) {
      const int row = row_of.at(static_cast<std::size_t>(id));
      if (row < 0) {
        throw std::invalid_argument("residue " + std::to_string(id) +
                                    " is wanted from a rank that does not own it");
      }
      to_rank.push_back(row);
    }
  }
  return rows;
}

}  // namespace

HaloPlanner::Direction::Direction(const std::string& label)
    : first(label + ".first"),
      fixed_first(label + ".fixed_first"),
      fixed_row(label + ".fixed"),
      row(label) {}

void HaloPlanner::Direction::set_fixed(const std::vector<std::vector<int>>& by_rank) {
  fixed_count.clear();
  std::vector<int> all, first_of_rank{0};
  for (const auto& rows : by_rank) {
    fixed_count.push_back(static_cast<int>(rows.size()));
    all.insert(all.end(), rows.begin(), rows.end());
    first_of_rank.push_back(static_cast<int>(all.size()));
  }
  fixed_row.upload(all);
  fixed_first.upload(first_of_rank);
  other_count.assign(by_rank.size(), 0);
  join(nullptr, 0);
}

void HaloPlanner::Direction::join(const int* other_row, int first_other_row) {
  const int ranks = static_cast<int>(other_count.size());
  first.reserve(ranks + 1);
  int* const begin = first.host();
  begin[0] = 0;
  for (std::size_t rank = 0; rank < other_count.size(); ++rank) {
    begin[rank + 1] = begin[rank] + fixed_count[rank] + other_count[rank];
  }
  first.to_device(ranks + 1);
  const int total = begin[ranks];
  if (total > row.size() || row.size() == 0) row.reserve(device::and_a_quarter(total));
  device::launch("join halo rows", total,
                 kernels::JoinRows{first.device(), fixed_first.data(), ranks, fixed_row.data(),
                                   other_row, first_other_row, row.data()});
}

void HaloPlanner::Direction::plan(device::MemoryPlan& plan, const std::string& label, int ranks,
                                  std::int64_t fixed, std::int64_t all) {
  plan.staged<int>(label + ".first", ranks + 1);
  plan.array<int>(label + ".fixed_first", ranks + 1);
  plan.array<int>(label + ".fixed", fixed);
  plan.array<int>(label, device::grown(device::and_a_quarter, fixed, all));
}

std::int64_t HaloPlanner::Direction::bytes() const {
  return first.bytes() + fixed_first.bytes() + fixed_row.bytes() + row.bytes();
}

void HaloPlanner::set_rows(std::span<const int> ids, const domain::LocalTerms& terms,
                           const domain::Ownership& owner, std::span<const char> is_marked) {
  device::fence();  // the last plan's copies have left the host
  owned_ = static_cast<int>(ids.size());
  partners_ = static_cast<int>(terms.partners.size());
  fixed_id_.assign(ids.begin(), ids.end());
  fixed_id_.insert(fixed_id_.end(), terms.partners.begin(), terms.partners.end());
  row_words_ = (owned_ + word_bits - 1) / word_bits;

  const auto wanted_rows = rows_of(terms.wanted, ids, owner.size());
  std::vector<std::vector<int>> partner_rows(static_cast<std::size_t>(ranks_));
  for (std::size_t k = 0; k < terms.partners.size(); ++k) {
    const int rank = owner.at(static_cast<std::size_t>(terms.partners[k]));
    partner_rows.at(static_cast<std::size_t>(rank)).push_back(owned_ + static_cast<int>(k));
  }
  send_.set_fixed(wanted_rows);
  receive_.set_fixed(partner_rows);
  set_wanted(wanted_rows);

  std::vector<int> marked;
  for (std::size_t row = 0; row < is_marked.size(); ++row) {
    if (is_marked[row] != 0) marked.push_back(static_cast<int>(row));
  }
  marked_rows_ = static_cast<int>(marked.size());
  marked_row_.upload(marked);
  row_id_.reserve(std::max(fixed_rows(), kernels::padded(owned_)));
  row_id_.upload(fixed_id_);
  extent_is_known_ = !has_open_axis_;
  most_cells_ = most_halo_cells(communicator_.sum(static_cast<std::int64_t>(owned_)));
}

/// A bit a row and rank.
void HaloPlanner::set_wanted(const std::vector<std::vector<int>>& rows) {
  std::vector<std::uint32_t> bits(rows.size() * static_cast<std::size_t>(row_words_), 0);
  for (std::size_t rank = 0; rank < rows.size(); ++rank) {
    for (const int row : rows[rank]) {
      bits[rank * static_cast<std::size_t>(row_words_) +
           static_cast<std::size_t>(row / word_bits)] |= 1U
                                                         << static_cast<unsigned>(row % word_bits);
    }
  }
  wanted_.upload(bits);
}

}  // namespace nfold::halo
