// Force tables of one rank while they are still on the host.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "domain/coverage.hpp"
#include "domain/local_topology.hpp"
#include "domain/row_index.hpp"
#include "engine/forces/chain_table.hpp"
#include "engine/forces/row_lists.hpp"
#include "engine/forces/term_parameters.hpp"
#include "engine/forces/term_set.hpp"
#include "kernels/loops/exclusions.hpp"
#include "model/topology/topology.hpp"

namespace nfold::forces {

/// Slots before this one hold zero, so a list may refer to them.
inline constexpr std::int64_t first_used_slot = kernels::padding;

/// Excluded ids of each owned row, as in kernels::Exclusions, and the span that contains them.
struct HostExclusions {
  std::vector<int> first, id;
  std::vector<kernels::Exclusions::Span> span;

  [[nodiscard]] std::int64_t bytes() const {
    return static_cast<std::int64_t>((first.size() + id.size()) * sizeof(int) +
                                     span.size() * sizeof(kernels::Exclusions::Span));
  }
};

/// Force tables of one rank. They depend on topology and partition alone, so a thread may build
/// them while steps go on. Each piece is built when it is taken, or all beforehand by make_all().
template <class Precision>
class HostTables {
 public:
  /// The topology must outlive the tables.
  HostTables(const topology::Topology& topology, const domain::Ownership& owner, int rank,
             int rank_count)
      : local(domain::local_terms(topology, owner, rank, rank_count)),
        covered(domain::covered_ends(topology, owner, local, rank)),
        ranks(rank_count),
        topology_(topology) {
    ids.reserve(static_cast<std::size_t>(std::count(owner.begin(), owner.end(), rank)));
    for (int i = 0; i < topology.residue_count(); ++i) {
      if (owner[static_cast<std::size_t>(i)] == rank) ids.push_back(i);
    }
    owned = static_cast<int>(ids.size());
    ids.insert(ids.end(), local.partners.begin(), local.partners.end());
    row_of_ = {ids, local.partners.size(), owner.size()};
  }

  std::vector<int> ids;  ///< global ids of the fixed rows: owned ascending, then partners ascending
  int owned = 0;
  domain::LocalTerms local;
  domain::CoveredEnds covered;
  int ranks;

  /// Builds all pieces, for tables with this chain.
  void make_all(const ChainTable& chain) {
    if (chain.acts()) chain_.make([this] { return make_chain(); });
    topology::BondedKinds::for_each([&](auto kind) { make_terms(kind, chain); });
    if constexpr (device::on_host) ends_.make([this] { return make_ends(); });
    exclusions_.make([this] { return make_exclusions(); });
    row_of_ = {};
  }
  /// [bytes] of a GPU's tables for the pieces built so far.
  [[nodiscard]] std::int64_t device_bytes() const {
    std::int64_t sum = std::int64_t{3 * sizeof(std::int64_t)} * kernels::padded(owned);
    if (const auto* const chain = chain_.made()) {
      sum += static_cast<std::int64_t>(chain->size() * sizeof(kernels::ChainNeighbours));
    }
    topology::BondedKinds::for_each([&](auto kind) {
      if (const auto* const terms = std::get<OfKind<decltype(kind)>>(terms_).piece.made()) {
        sum += terms->bytes();
      }
    });
    if (const auto* const exclusions = exclusions_.made()) sum += exclusions->bytes();
    return sum;
  }
  // Each piece can be taken once.
  [[nodiscard]] ChainTable::HostRows take_chain() {
    return chain_.take([this] { return make_chain(); });
  }
  /// Call in the order of the kinds.
  template <class Kind>
  [[nodiscard]] auto take_terms(Kind kind, const ChainTable& chain) {
    make_terms(kind, chain);
    return std::get<OfKind<Kind>>(terms_).piece.take([] { return Terms<Kind>(); });
  }
  /// Slots of each owned row; on a CPU, after all terms.
  [[nodiscard]] HostRowLists take_ends() {
    return ends_.take([this] { return make_ends(); });
  }
  [[nodiscard]] HostExclusions take_exclusions() {
    return exclusions_.take([this] { return make_exclusions(); });
  }
  /// Number of slots of the terms built so far, including those before the first.
  [[nodiscard]] std::int64_t slots() const { return slots_; }

 private:
  template <class Kind>
  using Terms = HostTerms<Precision, KernelTerm<Kind>>;
  template <class T>
  class Piece {
   public:
    template <class Make>
    void make(const Make& make_it) {
      if (!made_) made_.emplace(make_it());
    }
    /// Null if not built.
    [[nodiscard]] const T* made() const { return made_ ? &*made_ : nullptr; }
    template <class Make>
    T take(const Make& make_it) {
      make(make_it);
      T piece = std::move(*made_);
      made_.emplace();
      return piece;
    }

   private:
    std::optional<T> made_;
  };
  /// Distinguishes kinds whose terms have the same type.
  template <class Kind>
  struct OfKind {
    Piece<Terms<Kind>> piece;
  };
  template <class... Kinds>
  static std::tuple<OfKind<Kinds>...> pieces_of(topology::KindList<Kinds...>);

  [[nodiscard]] ChainTable::HostRows make_chain() const {
    return ChainTable::host_rows(topology_, row_of_, owned);
  }
  template <class Kind>
  void make_terms(Kind kind, const ChainTable& chain) {
    std::get<OfKind<Kind>>(terms_).piece.make([&] {
      Terms<Kind> terms;
      // Bonds of a chain that the pair loops compute are needed for energies only.
      terms.with_forces = !(std::is_same_v<Kind, topology::BondKind> && chain.acts());
      terms.first_slot = slots_;
      const auto& all = terms_of(topology_, kind);
      const auto& mine = local.template of<Kind>();
      const auto term_at = [&](std::size_t k) {
        const auto& term = all[static_cast<std::size_t>(mine[k])];
        LocalTerm<KernelTerm<Kind>> one{term.parts().residues, term_parameters(term), false};
        for (int& row : one.row) row = row_of_[row];
        one.counted = one.row[0] < owned;
        return one;
      };
      terms.build(mine.size(), term_at, owned);
      slots_ = terms.next_slot();
      require_countable(slots_, "ends of terms");
      if (device::on_host && terms.with_forces) terms.mark_slots(owned, row_of_slot_);
      return terms;
    });
  }
  [[nodiscard]] HostRowLists make_ends() {
    HostRowLists ends;
    ends.build(row_of_slot_, owned);
    row_of_slot_ = {};
    return ends;
  }

  /// Two passes over the exclusions: one counts those of each row, one stores them.
  [[nodiscard]] HostExclusions make_exclusions() const {
    const auto visit = [&](auto&& take) {
      const auto take_owned = [&](int id, int other) {
        const int row = row_of_[id];
        if (row >= 0 && row < owned) take(static_cast<std::size_t>(row), other);
      };
      for (const auto& [i, j] : topology_.exclusions) {
        take_owned(i, j);
        take_owned(j, i);
      }
    };
    HostExclusions made;
    auto& first = made.first;
    first.assign(static_cast<std::size_t>(owned) + 1, 0);
    visit([&](std::size_t row, int) { ++first[row + 1]; });
    require_countable(std::accumulate(first.begin(), first.end(), std::int64_t{0}), "exclusions");
    for (std::size_t row = 1; row < first.size(); ++row) first[row] += first[row - 1];
    made.id.resize(static_cast<std::size_t>(first.back()));
    std::vector<int> next(first);
    visit([&](std::size_t row, int other) {
      made.id[static_cast<std::size_t>(next[row]++)] = other;
    });
    next.clear();
    next.shrink_to_fit();
    made.span.reserve(static_cast<std::size_t>(owned));
    for (std::size_t row = 0; row < static_cast<std::size_t>(owned); ++row) {
      made.span.push_back(
          span_of(ids[row], made.id.begin() + first[row], made.id.begin() + first[row + 1]));
    }
    for (const auto& [i, j] : topology_.charged_exclusions) {
      mark_charged(made, i, j);
      mark_charged(made, j, i);
    }
    return made;
  }
  /// Marks an exclusion of a residue, if it is owned, as one that keeps the charges.
  void mark_charged(HostExclusions& made, int id, int other) const {
    const int owned_row = row_of_[id];
    if (owned_row < 0 || owned_row >= owned) return;
    const auto row = static_cast<std::size_t>(owned_row);
    const auto end = made.id.begin() + made.first[row + 1];
    const auto found = std::find(made.id.begin() + made.first[row], end, other);
    if (found == end) return;
    *found = ~other;
    made.span[row].is_full = false;
  }
  /// Sorts the exclusions of a residue and returns their span.
  static kernels::Exclusions::Span span_of(int id, std::vector<int>::iterator begin,
                                           std::vector<int>::iterator end) {
    std::sort(begin, end);
    kernels::Exclusions::Span span{id, id, true};
    if (begin == end) return span;
    span.least = std::min(id, *begin);
    span.most = std::max(id, *(end - 1));
    int distinct = 1;
    for (auto at = begin + 1; at != end; ++at) distinct += *at != *(at - 1) ? 1 : 0;
    span.is_full = span.most - span.least == distinct;
    return span;
  }

  const topology::Topology& topology_;
  domain::RowIndex row_of_;  // freed once all pieces are built
  std::vector<int> row_of_slot_;
  std::int64_t slots_ = first_used_slot;
  Piece<ChainTable::HostRows> chain_;
  decltype(pieces_of(topology::BondedKinds{})) terms_;
  Piece<HostRowLists> ends_;
  Piece<HostExclusions> exclusions_;
};

}  // namespace nfold::forces
