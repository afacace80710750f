// Force tables of a rank that depend on the partition: terms, ends, exclusions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "device/refill.hpp"
#include "domain/rank_counts.hpp"
#include "engine/forces/chain_table.hpp"
#include "engine/forces/host_tables.hpp"
#include "engine/forces/row_lists.hpp"
#include "engine/forces/term_parameters.hpp"
#include "engine/forces/term_set.hpp"
#include "kernels/loops/exclusions.hpp"
#include "kernels/loops/gathered_force.hpp"
#include "model/topology/topology.hpp"

namespace nfold::forces {

template <class Precision>
class ForceTables {
 public:
  /// Without terms.
  ForceTables() = default;
  ForceTables(const topology::Topology& topology, double contact_strength)
      : has_biases_(!topology.biases.empty() || !topology.fields.empty()), chain_(topology) {
    for_each_set(
        [contact_strength](auto /*kind*/, auto& set) { set.set_strength(contact_strength); });
  }
  /// Uploads the host tables one piece at a time; pieces not built beforehand are built when
  /// needed, so the host holds one of these at a time.
  void take(HostTables<Precision>&& host) {
    owned = host.owned;
    const device::DeviceLoad load{owned, host.ranks};
    device::set_device_load(load);
    if (chain_.acts()) chain_.take(host.take_chain());
    for_each_set([&](auto kind, auto& set) { set.take(host.take_terms(kind, chain_)); });
    reserve_forces(host.slots());
    if constexpr (device::on_host) ends.take(host.take_ends());
    const auto exclusions = host.take_exclusions();
    reserve_exclusions(std::ssize(exclusions.id));
    excluded_first.upload(exclusions.first);
    excluded.upload(exclusions.id);
    excluded_span.upload(exclusions.span);
    spans_are_full = std::all_of(exclusions.span.begin(), exclusions.span.end(),
                                 [](const kernels::Exclusions::Span& s) { return s.is_full; });
    ids = std::move(host.ids);
  }

  static void estimate(device::MemoryEstimate& estimate, const domain::RankCounts& counts) {
    ForceTables tables;
    tables.owned = static_cast<int>(counts.owned);
    estimate.in("terms").count([&] {
      std::int64_t slots = first_used_slot;
      tables.for_each_set([&](auto kind, auto& set) {
        constexpr std::size_t k = topology::BondedKinds::index_of<decltype(kind)>();
        const auto terms = set.padded_terms(counts.inner_terms[k], counts.border_terms[k]);
        if (terms > 0) set.reserve(terms);
        slots += set.ends() * terms;
      });
      tables.reserve_forces(slots);
      if (!estimate.is_for_gpu()) {
        tables.ends.reserve(kernels::padded(tables.owned),
                            counts.longest_end_lists * kernels::row_group);
      } else if (counts.is_uniform_chain) {
        tables.chain_.reserve(counts.owned);
      }
    });
    estimate.in("exclusions").count([&] { tables.reserve_exclusions(counts.exclusions); });
  }

  std::vector<int> ids;  ///< global ids of the fixed rows: owned ascending, then partners ascending
  int owned = 0;

  /// Calls visit(Kind{}, set of its terms) for each bonded kind, in the order of BondedKinds.
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
  device::DeviceColumns<typename Precision::Quanta> end_force{"end_force"};  ///< (slots)
  RowListArrays ends{"ends"};                                 ///< slots of each owned row
  device::DeviceArray<int> excluded_first{"excluded_first"};  ///< (owned + 1)
  device::DeviceArray<int> excluded{"excluded"};              ///< global ids
  device::DeviceArray<kernels::Exclusions::Span> excluded_span{"excluded_span"};  ///< (owned)
  bool spans_are_full = true;  ///< in every span all ids are excluded

  device::DeviceColumns<std::int64_t> term_force{
      "term_force"};  ///< (rows) on a GPU, instead of ends

  /// Destination of term forces.
  [[nodiscard]] kernels::TermForces<Precision> term_forces() const {
#ifdef KOKKOS_ENABLE_CUDA
    return {term_force.view(), owned};
#else
    return end_force.view();
#endif
  }
  /// Returns the loop that gathers total forces; clears: see kernels::GatheredForce.
  [[nodiscard]] kernels::GatheredForce<Precision> gather(
      const kernels::PairForces<Precision>& pairs, [[maybe_unused]] bool clears) const {
#ifdef KOKKOS_ENABLE_CUDA
    return {term_force.view(), pairs, has_terms(), clears};
#else
    return {ends.view(), end_force.read(), pairs};
#endif
  }
  /// True if terms or biases contribute forces, other than the chain's bonds.
  [[nodiscard]] bool has_terms() const {
    bool any = has_biases_;
    for_each_set([&any](auto /*kind*/, const auto& set) { any = any || set.items() > 0; });
    return any;
  }
  /// Bonds computed by the pair loops.
  [[nodiscard]] const ChainTable& chain() const { return chain_; }

 private:
  void reserve_forces(std::int64_t slots) {
    if (device::reserves_on_gpu()) {
      device::reserve_for_refill(term_force, kernels::padded(owned));
    } else {
      device::reserve_for_refill(end_force, slots);
    }
  }
  void reserve_exclusions(std::int64_t ids_in_all) {
    device::reserve_for_refill(excluded_first, owned + 1);
    device::reserve_for_refill(excluded, ids_in_all);
    device::reserve_for_refill(excluded_span, owned);
  }
  /// Array names contain no blanks.
  static std::string array_name(std::string name) {
    std::replace(name.begin(), name.end(), ' ', '_');
    return name;
  }
  /// Distinguishes kinds whose terms have the same type.
  template <class Kind>
  struct OfKind {
    TermSet<Precision, KernelTerm<Kind>> set{array_name(Kind::name)};
  };
  template <class... Kinds>
  static std::tuple<OfKind<Kinds>...> sets_of(topology::KindList<Kinds...>);

  bool has_biases_ = false;
  ChainTable chain_;
  decltype(sets_of(topology::BondedKinds{})) sets_;
};

}  // namespace nfold::forces
