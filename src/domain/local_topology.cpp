// A rank's terms, their partners, and whom it is a partner of, in one pass over the topology.
// SPDX-License-Identifier: BSD-3-Clause

#include "domain/local_topology.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

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

void sort_unique(std::vector<int>& ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

}  // namespace

LocalTerms local_terms(const topology::Topology& topology, const Ownership& owner, int rank,
                       int rank_count) {
  require_valid(topology, owner, rank_count);
  LocalTerms local;
  local.wanted.resize(static_cast<std::size_t>(rank_count));
  const auto owner_of = [&owner](int id) { return owner[static_cast<std::size_t>(id)]; };
  const auto add_border_term = [&](const auto& ids) {
    for (const int id : ids) {
      if (owner_of(id) != rank) {
        local.partners.push_back(id);
        continue;
      }
      for (const int other : ids) {
        if (owner_of(other) == rank) continue;
        auto& list = local.wanted[static_cast<std::size_t>(owner_of(other))];
        if (list.empty() || list.back() != id) list.push_back(id);
      }
    }
  };
  for (std::size_t k = 0; k < term_kinds; ++k) {
    auto& mine = local.kind[k];
    for_each_term(topology, static_cast<TermKind>(k), [&](int term, const auto& ids) {
      std::size_t owned = 0;
      for (const int id : ids) owned += owner_of(id) == rank ? 1 : 0;
      if (owned == 0) return;
      mine.push_back(term);
      if (owned < ids.size()) add_border_term(ids);
    });
  }
  sort_unique(local.partners);
  for (auto& list : local.wanted) sort_unique(list);
  return local;
}

}  // namespace nfold::domain
