// Exchange of positions and amounts between blocks of residues.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/run/residue_blocks.hpp"

#include <algorithm>

namespace nfold::run {

void BlockPositions::put(int id, const Point& x_nm) {
  if (block_.has(id)) {
    x_nm_[static_cast<std::size_t>(id - block_.first)] = x_nm;
  } else {
    others_.emplace_back(id, x_nm);
  }
}

void BlockPositions::sort_others() {
  std::ranges::sort(others_, {}, &std::pair<int, Point>::first);
}

const BlockPositions::Point& BlockPositions::of(int id) const {
  if (block_.has(id)) return x_nm_[static_cast<std::size_t>(id - block_.first)];
  return std::ranges::lower_bound(others_, id, {}, &std::pair<int, Point>::first)->second;
}

void ResidueBlocks::end_terms() {
  std::ranges::sort(needed_);
  const auto rest = std::ranges::unique(needed_);
  needed_.erase(rest.begin(), rest.end());
  needed_.shrink_to_fit();
}

BlockPositions ResidueBlocks::positions(const system::Box& box, const system::State& mine) const {
  struct Row {
    std::int64_t id;
    system::FixedPosition position;
  };
  std::vector<std::vector<Row>> send(static_cast<std::size_t>(communicator_.size()));
  for (std::size_t k = 0; k < mine.id.size(); ++k) {
    const int id = mine.id[k];
    const Row row{id, mine.position[k]};
    send[static_cast<std::size_t>(rank_of(id))].push_back(row);
    auto needed = std::ranges::lower_bound(needed_, id, {}, &std::pair<int, int>::first);
    for (; needed != needed_.end() && needed->first == id; ++needed) {
      send[static_cast<std::size_t>(needed->second)].push_back(row);
    }
  }
  BlockPositions found(own_);
  for (const auto& part : communicator_.all_to_all(send)) {
    for (const auto& row : part) {
      found.put(static_cast<int>(row.id), system::position_nm(box, row.position));
    }
  }
  found.sort_others();
  return found;
}

std::vector<std::int64_t> ResidueBlocks::sums(const std::vector<Amount>& found) const {
  std::vector<std::vector<Amount>> send(static_cast<std::size_t>(communicator_.size()));
  for (const auto& amount : found) {
    send[static_cast<std::size_t>(rank_of(static_cast<int>(amount.residue)))].push_back(amount);
  }
  std::vector<std::int64_t> sums(static_cast<std::size_t>(own_.size()), 0);
  for (const auto& part : communicator_.all_to_all(send)) {
    for (const auto& [residue, value] : part) {
      sums[static_cast<std::size_t>(residue - own_.first)] += value;
    }
  }
  return sums;
}

}  // namespace nfold::run
