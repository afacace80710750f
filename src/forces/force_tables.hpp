// Everything that an ownership fixes for the forces on this rank: terms, ends, exclusions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "domain/coverage.hpp"
#include "domain/local_topology.hpp"
#include "forces/chain_table.hpp"
#include "forces/row_lists.hpp"
#include "forces/term_parameters.hpp"
#include "forces/term_set.hpp"
#include "kernels/loops/exclusions.hpp"
#include "kernels/loops/gathered_force.hpp"
#include "kernels/potentials/angle.hpp"
#include "kernels/potentials/bond.hpp"
#include "kernels/potentials/contact_12_10.hpp"
#include "kernels/potentials/contact_gaussian.hpp"
#include "kernels/potentials/dihedral.hpp"
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
      : bonds("bond"),
        restraints("restraint"),
        angles("angle"),
        dihedrals("dihedral"),
        contacts_12_10("contact_12_10"),
        contacts_gaussian("contact_gaussian"),
        end_force("end_force"),
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
    contacts_12_10.set_strength(contact_strength);
    contacts_gaussian.set_strength(contact_strength);
  }

  std::vector<int> ids;  ///< global ids of the fixed rows: owned ascending, then partners ascending
  int owned = 0;

  TermSet<Precision, kernels::Bond> bonds, restraints;
  TermSet<Precision, kernels::Angle> angles;
  TermSet<Precision, kernels::Dihedral> dihedrals;
  TermSet<Precision, kernels::Contact1210> contacts_12_10;
  TermSet<Precision, kernels::ContactGaussian> contacts_gaussian;
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
  /// Whether a force comes from terms, beside the chain's bonds.
  [[nodiscard]] bool has_terms() const {
    return bonds.items() + restraints.items() + angles.items() + dihedrals.items() +
               contacts_12_10.items() + contacts_gaussian.items() >
           0;
  }
  /// Bonds that the pair loops compute.
  [[nodiscard]] const ChainTable& chain() const { return chain_; }
  [[nodiscard]] std::int64_t bytes() const {
    return bonds.bytes() + restraints.bytes() + angles.bytes() + dihedrals.bytes() +
           contacts_12_10.bytes() + contacts_gaussian.bytes() + end_force.bytes() + ends.bytes() +
           excluded_first.bytes() + excluded.bytes() + chain_.bytes() + term_force.bytes() +
           excluded_span.bytes();
  }

 private:
  void build(const topology::Topology& topology) {
    std::vector<int> row_of(topology.residues.size(), -1);
    for (std::size_t r = 0; r < ids.size(); ++r) {
      row_of[static_cast<std::size_t>(ids[r])] = static_cast<int>(r);
    }
    std::vector<int> row_of_slot;
    std::int64_t slot = first_used_slot;
    chain_.build(topology, row_of, owned);
    const auto add = [&](auto& set, const auto& terms, const std::vector<int>& mine,
                         const auto& convert) {
      const bool elsewhere = static_cast<const void*>(&set) == &bonds && chain_.acts();
      const auto term_at = [&](std::size_t k) {
        auto term = convert(terms[static_cast<std::size_t>(mine[k])]);
        for (int& row : term.row) row = row_of[static_cast<std::size_t>(row)];
        term.counted = term.row[0] < owned;
        return term;
      };
      slot = set.build(mine.size(), term_at, owned, slot, !elsewhere, row_of_slot);
    };
    const auto local_bond = [](const topology::Bond& t) {
      return LocalTerm<kernels::Bond>{{t.i, t.j}, term_parameters(t), false};
    };
    add(bonds, topology.bonds, local_.of(domain::TermKind::bond), local_bond);
    add(restraints, topology.restraints, local_.of(domain::TermKind::restraint), local_bond);
    add(angles, topology.angles, local_.of(domain::TermKind::angle), [](const topology::Angle& t) {
      return LocalTerm<kernels::Angle>{{t.i, t.j, t.k}, term_parameters(t), false};
    });
    add(dihedrals, topology.dihedrals, local_.of(domain::TermKind::dihedral),
        [](const topology::Dihedral& t) {
          return LocalTerm<kernels::Dihedral>{{t.i, t.j, t.k, t.l}, term_parameters(t), false};
        });
    add(contacts_12_10, topology.contacts_12_10, local_.of(domain::TermKind::contact_12_10),
        [](const topology::Contact1210& t) {
          return LocalTerm<kernels::Contact1210>{{t.i, t.j}, term_parameters(t), false};
        });
    add(contacts_gaussian, topology.contacts_gaussian,
        local_.of(domain::TermKind::contact_gaussian), [](const topology::ContactGaussian& t) {
          return LocalTerm<kernels::ContactGaussian>{{t.i, t.j}, term_parameters(t), false};
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

  domain::LocalTerms local_;
  ChainTable chain_;
};

}  // namespace nfold::forces
