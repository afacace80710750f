// Terms of a rank and their partners on other ranks, from one pass over the topology.
// SPDX-License-Identifier: BSD-3-Clause

#include "domain/local_topology.hpp"

#include <numeric>
#include <stdexcept>
#include <string>

#include "domain/row_index.hpp"

namespace nfold::domain {
namespace {

void require_valid(const topology::Topology& topology, const Ownership& owner, int rank_count) {
  if (owner.size() != topology.residues.size()) {
    throw std::invalid_argument("ownership of " + std::to_string(owner.size()) +
                                " residues for a topology of " +
                                std::to_string(topology.residues.size()));
  }
  for (std::size_t id = 0; id < owner.size(); ++id) {
    if (owner[id] < 0 || owner[id] >= rank_count) {
      throw std::invalid_argument("residue " + std::to_string(id) + " is given to rank " +
                                  std::to_string(owner[id]) + " of " + std::to_string(rank_count));
    }
  }
}

std::size_t term_count(const topology::Topology& topology, std::size_t kind) {
  std::size_t count = 0;
  topology::BondedKinds::at(kind, [&](auto k) { count = terms_of(topology, k).size(); });
  return count;
}

/// Set of partner residues. Terms name them many times; it lists them once, ascending.
class Border {
 public:
  Border(const Ownership& owner, int rank, int rank_count)
      : owner_(owner),
        rank_(rank),
        is_partner_(owner.size(), false),
        is_wanted_(static_cast<std::size_t>(rank_count)) {
    for (std::size_t id = 0; id < owner.size(); ++id) {
      if (owner[id] == rank) owned_.push_back(static_cast<int>(id));
    }
    row_ = {owned_, 0, owner.size()};
  }

  [[nodiscard]] bool owns(int id) const { return owner_[static_cast<std::size_t>(id)] == rank_; }

  template <class Ids>
  void add_term(const Ids& ids) {
    for (const int other : ids) {
      if (owns(other)) continue;
      is_partner_[static_cast<std::size_t>(other)] = true;
      const int peer = owner_[static_cast<std::size_t>(other)];
      auto& wanted = is_wanted_[static_cast<std::size_t>(peer)];
      wanted.resize(owned_.size(), false);
      for (const int id : ids) {
        if (owns(id)) wanted[static_cast<std::size_t>(row_[id])] = true;
      }
    }
  }

  void list(LocalTerms& local) const {
    for (std::size_t id = 0; id < is_partner_.size(); ++id) {
      if (is_partner_[id]) local.partners.push_back(static_cast<int>(id));
    }
    for (const auto& wanted : is_wanted_) {
      auto& ids = local.wanted.emplace_back();
      for (std::size_t row = 0; row < wanted.size(); ++row) {
        if (wanted[row]) ids.push_back(owned_[row]);
      }
    }
  }

 private:
  const Ownership& owner_;
  int rank_;
  std::vector<int> owned_;                    // ids of the owned residues
  RowIndex row_;                              // rows of the owned residues
  std::vector<bool> is_partner_;              // by id
  std::vector<std::vector<bool>> is_wanted_;  // by rank (empty until needed), then by owned row
};

}  // namespace

LocalTerms local_terms(const topology::Topology& topology, const Ownership& owner, int rank,
                       int rank_count) {
  require_valid(topology, owner, rank_count);
  LocalTerms local;
  if (rank_count == 1) {
    for (std::size_t k = 0; k < term_kinds; ++k) {
      local.kind[k].resize(term_count(topology, k));
      std::iota(local.kind[k].begin(), local.kind[k].end(), 0);
    }
    local.wanted.emplace_back();
    return local;
  }
  Border border(owner, rank, rank_count);
  for (std::size_t k = 0; k < term_kinds; ++k) {
    auto& mine = local.kind[k];
    for_each_term(topology, k, [&](int term, const auto& ids) {
      std::size_t owned = 0;
      for (const int id : ids) owned += border.owns(id) ? 1 : 0;
      if (owned == 0) return;
      mine.push_back(term);
      if (owned < ids.size()) border.add_term(ids);
    });
  }
  border.list(local);
  return local;
}

}  // namespace nfold::domain
