// Forces of all terms as one range of work items.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <tuple>
#include <utility>

#include "engine/forces/force_tables.hpp"

namespace nfold::forces {

/// interior: items without ghosts; border: the others.
enum class Part { interior, border };

/// Sorts the kinds for the launch: the most expensive first.
template <class... Kinds>
constexpr auto by_falling_work(topology::KindList<Kinds...> /*kinds*/) {
  constexpr auto order = [] {
    constexpr std::array<double, sizeof...(Kinds)> work{Kinds::work...};
    std::array<std::size_t, sizeof...(Kinds)> places{};
    for (std::size_t k = 0; k < places.size(); ++k) {
      std::size_t place = k;  // insertion sort, stable
      for (; place > 0 && work[places[place - 1]] < work[k]; --place) {
        places[place] = places[place - 1];
      }
      places[place] = k;
    }
    return places;
  }();
  return [order]<std::size_t... k>(std::index_sequence<k...>) {
    return topology::KindList<std::tuple_element_t<order[k], std::tuple<Kinds...>>...>{};
  }(std::index_sequence_for<Kinds...>{});
}
using LaunchOrder = decltype(by_falling_work(topology::BondedKinds{}));

/// Items of several kinds in consecutive ranges.
template <class Precision, class... Kinds>
struct TermLoopChain {};  // empty list of kinds
template <class Precision, class Kind, class... Rest>
struct TermLoopChain<Precision, Kind, Rest...> {
  kernels::TermForceLoop<Precision, KernelTerm<Kind>> loop;
  int end;    // end of this kind's items in the combined range
  int shift;  // added to a combined item to get the kind's own item
  TermLoopChain<Precision, Rest...> rest;

  KOKKOS_FUNCTION void operator()(int item) const {
    if constexpr (sizeof...(Rest) == 0) {
      loop(item + shift);
    } else {
      if (item < end) {
        loop(item + shift);
      } else {
        rest(item);
      }
    }
  }
  [[nodiscard]] int items() const {
    if constexpr (sizeof...(Rest) == 0) {
      return end;
    } else {
      return rest.items();
    }
  }
};

template <class Precision, class List>
struct TermLoopsOf;
template <class Precision, class... Kinds>
struct TermLoopsOf<Precision, topology::KindList<Kinds...>> {
  using Chain = TermLoopChain<Precision, Kinds...>;
};
template <class Precision>
using TermLoops = typename TermLoopsOf<Precision, LaunchOrder>::Chain;

/// Fills a chain, starting after `total` items.
template <class Precision, class LoopOf, class First, class Last, class Kind, class... Rest>
void fill_term_loops(TermLoopChain<Precision, Kind, Rest...>& chain, int total,
                     const ForceTables<Precision>& t, const LoopOf& loop_of, const First& first_of,
                     const Last& last_of) {
  const auto& set = t.terms(Kind{});
  chain.loop = loop_of(set);
  chain.shift = first_of(set) - total;
  chain.end = total + last_of(set) - first_of(set);
  if constexpr (sizeof...(Rest) > 0) {
    fill_term_loops(chain.rest, chain.end, t, loop_of, first_of, last_of);
  }
}

/// first_of(set), last_of(set): item range of each kind.
template <class Precision, class First, class Last>
[[nodiscard]] TermLoops<Precision> some_term_loops(
    const ForceTables<Precision>& t, kernels::Columns<const typename Precision::Coordinate> x,
    const kernels::Scale<typename Precision::Real>& scale, int* exploded, const First& first_of,
    const Last& last_of) {
  const auto force = t.term_forces();
  const auto loop_of = [&](const auto& set) { return set.force_loop(x, scale, force, exploded); };
  TermLoops<Precision> loops;
  fill_term_loops(loops, 0, t, loop_of, first_of, last_of);
  return loops;
}
template <class Precision>
[[nodiscard]] TermLoops<Precision> term_loops(
    Part part, const ForceTables<Precision>& t,
    kernels::Columns<const typename Precision::Coordinate> x,
    const kernels::Scale<typename Precision::Real>& scale, int* exploded) {
  const bool inside = part == Part::interior;
  return some_term_loops(
      t, x, scale, exploded, [&](const auto& set) { return inside ? 0 : set.interior_items(); },
      [&](const auto& set) { return inside ? set.interior_items() : set.items(); });
}
template <class Precision>
[[nodiscard]] TermLoops<Precision> all_term_loops(
    const ForceTables<Precision>& t, kernels::Columns<const typename Precision::Coordinate> x,
    const kernels::Scale<typename Precision::Real>& scale, int* exploded) {
  return some_term_loops(
      t, x, scale, exploded, [](const auto&) { return 0; },
      [](const auto& set) { return set.items(); });
}

}  // namespace nfold::forces
