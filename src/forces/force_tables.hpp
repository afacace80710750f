// Everything that an ownership fixes for the forces on this rank: terms, ends, exclusions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "domain/coverage.hpp"
#include "domain/local_topology.hpp"
#include "domain/rank_counts.hpp"
#include "forces/chain_table.hpp"
#include "forces/row_lists.hpp"
#include "forces/term_parameters.hpp"
#include "forces/term_set.hpp"
#include "kernels/loops/exclusions.hpp"
#include "kernels/loops/gathered_force.hpp"
#include "topology/topology.hpp"

namespace nfold::forces {

/// Slots before this one hold zero, so a list may point there.
inline constexpr std::int64_t first_used_slot = kernels::padding;

template <class Precision>
class ForceTables {
 public:
  /// Collective. Throws domain::CoverageError when a term would be computed by no rank.
  ForceTables(const comm::Communicator& communicator, const topology::Topology& topology,
              const domain::Ownership& owner, double contact_strength)
      : end_force("end_force"),
        ends("ends"),
        excluded_first("excluded_first"),
        excluded("excluded"),
        excluded_span("excluded_span") {
    local_ = domain::local_terms(topology, owner, communicator.rank(), communicator.size());
    domain::check_coverage(communicator, topology, owner, local_);
    ids.reserve(
        static_cast<std::size_t>(std::count(owner.begin(), owner.end(), communicator.rank())));
    for (int i = 0; i < topology.residue_count(); ++i) {
      if (owner[static_cast<std::size_t>(i)] == communicator.rank()) ids.push_back(i);
    }
    owned = static_cast<int>(ids.size());
    device::tell_device_load({owned, communicator.size()});
    ids.insert(ids.end(), local_.partners.begin(), local_.partners.end());
    build(topology);
    for_each_set(
        [contact_strength](auto /*kind*/, auto& set) { set.set_strength(contact_strength); });
  }

  static void plan(device::MemoryPlan& plan, const domain::RankCounts& counts) {
    plan.in("terms");
    std::int64_t slots = first_used_slot;
    topology::BondedKinds::for_each([&](auto kind) {
      using Kind = decltype(kind);
      using Set = TermSet<Precision, KernelTerm<Kind>>;
      constexpr std::size_t k = topology::BondedKinds::index_of<Kind>();
      const auto inner = counts.inner_terms[k], border = counts.border_terms[k];
      Set::plan(plan, array_name(Kind::name), inner, border);
      slots += KernelTerm<Kind>::ends * Set::padded_terms(inner, border);
    });
    if constexpr (device::on_host) {
      plan.columns<typename Precision::Quanta>("end_force", slots);
      RowListArrays::plan(plan, "ends", counts.owned, counts.longest_end_lists);
    } else {
      plan.columns<std::int64_t>("term_force", kernels::padded(static_cast<int>(counts.owned)));
      if (counts.is_uniform_chain) ChainTable::plan(plan, counts.owned);
    }
    plan.in("exclusions");
    plan.array<int>("excluded_first", counts.owned + 1);
    plan.array<int>("excluded", counts.exclusions);
    plan.array<kernels::Exclusions::Span>("excluded_span", counts.owned);
  }

  std::vector<int> ids;  ///< global ids of the fixed rows: owned ascending, then partners ascending
  int owned = 0;

  /// Calls visit(Kind{}, the set of its terms) for each bonded kind, in the order of the list.
  template <class Visit>
  void for_each_set(const Visit& visit) {
    topology::BondedKinds::for_each(
        [&](auto kind) { visit(kind, std::get<OfKind<decltype(kind)>>(sets_).set); });
  }
  template <class Visit>
  void for_each_set(const Visit& visit) const {
    topology::BondedKinds::for_each(
        [&](auto kind) { visit(kind, std::get<OfKind<decltype(kind)>>(sets_).set); });
  }
  template <class Kind>
  [[nodiscard]] const TermSet<Precision, KernelTerm<Kind>>& terms(Kind /*kind*/) const {
    return std::get<OfKind<Kind>>(sets_).set;
  }
  device::DeviceColumns<typename Precision::Quanta> end_force;   ///< (slots)
  RowListArrays ends;                                            ///< slots of each owned row
  device::DeviceArray<int> excluded_first, excluded;             ///< (owned + 1), global ids
  device::DeviceArray<kernels::Exclusions::Span> excluded_span;  ///< (owned)
  bool spans_are_full = true;  ///< every id within a span is excluded

  device::DeviceColumns<std::int64_t> term_force{
      "term_force"};  ///< (rows) on a GPU, in place of ends

  /// Where terms put their forces.
  [[nodiscard]] kernels::TermForces<Precision> term_forces() const {
#ifdef KOKKOS_ENABLE_CUDA
    return {term_force.view(), owned};
#else
    return end_force.view();
#endif
  }
  /// Total forces; clears: see kernels::GatheredForce.
  [[nodiscard]] kernels::GatheredForce<Precision> gather(
      const kernels::PairForces<Precision>& pairs, [[maybe_unused]] bool clears) const {
#ifdef KOKKOS_ENABLE_CUDA
    return {term_force.view(), pairs, has_terms(), clears};
#else
    return {ends.view(), end_force.read(), pairs};
#endif
  }
  [[nodiscard]] const domain::LocalTerms& local_terms() const { return local_; }
  /// Whether a force comes from terms or biases, beside the chain's bonds.
  [[nodiscard]] bool has_terms() const {
    bool any = has_biases_;
    for_each_set([&any](auto /*kind*/, const auto& set) { any = any || set.items() > 0; });
    return any;
  }
  /// Bonds that the pair loops compute.
  [[nodiscard]] const ChainTable& chain() const { return chain_; }
  [[nodiscard]] std::int64_t bytes() const {
    std::int64_t sum = end_force.bytes() + ends.bytes() + excluded_first.bytes() +
                       excluded.bytes() + chain_.bytes() + term_force.bytes() +
                       excluded_span.bytes();
    for_each_set([&sum](auto /*kind*/, const auto& set) { sum += set.bytes(); });
    return sum;
  }

 private:
  void build(const topology::Topology& topology) {
    has_biases_ = !topology.biases.empty();
    std::vector<int> row_of(topology.residues.size(), -1);
    for (std::size_t r = 0; r < ids.size(); ++r) {
      row_of[static_cast<std::size_t>(ids[r])] = static_cast<int>(r);
    }
    std::vector<int> row_of_slot;
    std::int64_t slot = first_used_slot;
    chain_.build(topology, row_of, owned);
    for_each_set([&](auto kind, auto& set) {
      using Kind = decltype(kind);
      // The bonds of a chain that the pair loops compute serve energies only.
      const bool elsewhere = std::is_same_v<Kind, topology::BondKind> && chain_.acts();
      const auto& all = terms_of(topology, kind);
      const auto& mine = local_.template of<Kind>();
      const auto term_at = [&](std::size_t k) {
        const auto& term = all[static_cast<std::size_t>(mine[k])];
        LocalTerm<KernelTerm<Kind>> local{term.parts().residues, term_parameters(term), false};
        for (int& row : local.row) row = row_of[static_cast<std::size_t>(row)];
        local.counted = local.row[0] < owned;
        return local;
      };
      slot = set.build(mine.size(), term_at, owned, slot, !elsewhere, row_of_slot);
    });
    if constexpr (device::on_host) {
      end_force.reserve(slot);
      ends.build(row_of_slot, owned);
    } else {
      term_force.reserve(kernels::padded(owned));
    }
    build_exclusions(topology, row_of);
  }

  /// Twice through the exclusions: how many a row has, then which.
  void build_exclusions(const topology::Topology& topology, const std::vector<int>& row_of) {
    const auto visit = [&](auto&& take) {
      const auto take_owned = [&](int id, int other) {
        const int row = row_of[static_cast<std::size_t>(id)];
        if (row >= 0 && row < owned) take(static_cast<std::size_t>(row), other);
      };
      for (const auto& [i, j] : topology.exclusions) {
        take_owned(i, j);
        take_owned(j, i);
      }
    };
    std::vector<int> first(static_cast<std::size_t>(owned) + 1, 0);
    visit([&](std::size_t row, int) { ++first[row + 1]; });
    require_countable(std::accumulate(first.begin(), first.end(), std::int64_t{0}), "exclusions");
    for (std::size_t row = 1; row < first.size(); ++row) first[row] += first[row - 1];
    std::vector<int> flat(static_cast<std::size_t>(first.back())), next(first);
    visit([&](std::size_t row, int other) { flat[static_cast<std::size_t>(next[row]++)] = other; });
    next.clear();
    next.shrink_to_fit();
    std::vector<kernels::Exclusions::Span> spans;
    spans.reserve(static_cast<std::size_t>(owned));
    for (std::size_t row = 0; row < static_cast<std::size_t>(owned); ++row) {
      spans.push_back(span_of(ids[row], flat.begin() + first[row], flat.begin() + first[row + 1]));
    }
    excluded_first.upload(first);
    excluded.upload(flat);
    excluded_span.upload(spans);
    spans_are_full = std::all_of(spans.begin(), spans.end(),
                                 [](const kernels::Exclusions::Span& s) { return s.is_full; });
  }

  /// Sorts the exclusions of a residue.
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

  /// As arrays are called: without a blank.
  static std::string array_name(std::string name) {
    std::replace(name.begin(), name.end(), ' ', '_');
    return name;
  }
  /// Two kinds may have terms of one type.
  template <class Kind>
  struct OfKind {
    TermSet<Precision, KernelTerm<Kind>> set{array_name(Kind::name)};
  };
  template <class... Kinds>
  static std::tuple<OfKind<Kinds>...> sets_of(topology::KindList<Kinds...>);

  domain::LocalTerms local_;
  bool has_biases_ = false;
  ChainTable chain_;
  decltype(sets_of(topology::BondedKinds{})) sets_;
};

}  // namespace nfold::forces
