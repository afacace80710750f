// All forces of a step on a CPU, in one launch.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <numeric>
#include <utility>
#include <vector>

#include "core/telemetry/profiler.hpp"
#include "device/launch.hpp"
#include "engine/forces/force_base.hpp"
#include "engine/forces/host_arrays.hpp"
#include "engine/forces/term_loops.hpp"
#include "kernels/halo/halo_rows.hpp"
#include "kernels/loops/gathered_force.hpp"
#include "kernels/loops/pair_loop.hpp"

namespace nfold::forces {

/// Work items of every kind in consecutive ranges: a launch costs more than a small kind.
template <class Precision, class Pair, class Charges>
struct FusedForceLoop {
  TermLoops<Precision> terms;
  kernels::PairForceLoop<Precision, Pair> pairs;
  kernels::PairForceLoop<Precision, Charges> charges;
  int last_term, last_pair;  // ends of the item ranges
  int first_pair_place, first_charge_place;

  KOKKOS_FUNCTION void operator()(int item) const {
    if (item < last_term) {
      terms(item);
    } else if (item < last_pair) {
      pairs(item - last_term, first_pair_place);
    } else {
      charges(item - last_pair, first_charge_place);
    }
  }
};

template <class Precision>
class Forces : public ForceBase<Precision>, public HostForceArrays<Precision> {
  using Base = ForceBase<Precision>;
  using Arrays = HostForceArrays<Precision>;
  using Arrays::charge_list_, Arrays::rows_, Arrays::short_list_;
  using Base::box_;
  using Base::potentials_;
  using Base::scale_;

 public:
  using typename Base::Coordinate;
  using typename Base::Real;

  using Arrays::charge_force, Arrays::pair_force;

  explicit Forces(const topology::Topology& topology) : Base(topology) {}

  /// Sets the owned rows.
  void set_owned(const topology::Topology& topology, const OwnedRows& rows) {
    topology_ = &topology;
    owned_ = rows.count;
    is_new_ = true;
  }
  /// Sets the ids of the local rows, owned first; capacity for padded rows is kept.
  void set_local(const int* ids, int count) {
    const std::vector<int> id(ids, ids + count);
    std::vector<kernels::PairRow<Precision>> rows(
        static_cast<std::size_t>(record_capacity(count, kernels::padded(owned_))));
    std::vector<int> all(id.size());
    std::iota(all.begin(), all.end(), 0);
    for (std::size_t r = 0; r < id.size(); ++r) {
      fill_row(topology_->short_range, topology_->residues[static_cast<std::size_t>(id[r])],
               rows[r]);
    }
    auto charged = this->charged_rows(*topology_, id, owned_);
    rows_.upload(rows);
    this->reserve_forces(kernels::padded(owned_));
    if (is_new_) {  // clears forces of other residues
      pair_force.fill(0);
      charge_force.fill(0);
      is_new_ = false;
    }
    short_list_.select(std::move(all), owned_);
    charge_list_.select(std::move(charged.rows), charged.owned);
  }
  void build_lists(const LocalRows<Precision>& rows, const ForceTables<Precision>& /*tables*/,
                   double skin_nm) {
    short_list_.build(rows, box_, potentials_.short_range_cutoff_nm() + skin_nm);
    auto charged = rows;
    charged.excluded.for_charges = true;
    charge_list_.build(charged, box_, potentials_.electrostatic_cutoff_nm() + skin_nm);
    device::launch("listed coordinates", rows.owned,
                   kernels::CopyRows<Coordinate>{rows.x, rows.listed});
  }

  /// Reserves capacity for lists of a longer skin. Returns true if lists must be built again.
  [[nodiscard]] bool reserve_lists(double skin_nm, double longer_nm) {
    return this->reserve_longer_lists(short_list_, charge_list_, skin_nm, longer_nm);
  }

  /// Computes term and pair forces of the work items without ghosts, or of the others.
  void compute(Part part, const ForceTables<Precision>& tables,
               kernels::Columns<const Coordinate> x, int* exploded) {
    potentials_.template with_both<Precision>([&](const auto& pair, const auto& charges) {
      launch_forces(part, pair, charges, tables, x, exploded);
    });
  }

  /// Calls visit(ExactPairs, bool is_charge).
  template <class Visit>
  void for_each_pair_kind(const Visit& visit) const {
    const kernels::RowTable<Precision> table{rows_.data()};
    this->visit_pair_kinds(short_list_.view(), table, charge_list_.view(), table, visit);
  }

  [[nodiscard]] kernels::PairRecords<Precision> records() const { return {rows_.data()}; }
  [[nodiscard]] kernels::PairForces<Precision> pair_forces() const {
    return {pair_force.read(), charge_force.read()};
  }
  [[nodiscard]] std::int64_t list_bytes() const {
    return short_list_.bytes() + charge_list_.bytes();
  }
  [[nodiscard]] std::int64_t list_entries() const {
    return short_list_.entries() + charge_list_.entries();
  }
  [[nodiscard]] std::int64_t charge_list_entries() const { return charge_list_.entries(); }

 private:
  static void fill_row(const topology::ShortRange& table, const topology::Residue& residue,
                       kernels::PairRow<Precision>& row) {
    const auto type = static_cast<std::size_t>(residue.type);
    row.charge = static_cast<Real>(residue.charge_e);
    const auto columns = pair_forms::with_form(
        table.form, [&](auto form) { return form.type_columns(table, type); });
    row.half_sigma = static_cast<Real>(columns.half_sigma_nm);
    row.half_lambda = static_cast<Real>(columns.half_lambda);
    row.kind = pair_kind(table, residue);
  }

  template <class Pair, class Charges>
  void launch_forces(Part part, const Pair& pair, const Charges& charges,
                     const ForceTables<Precision>& t, kernels::Columns<const Coordinate> x,
                     int* exploded) {
    const bool inside = part == Part::interior;
    const auto end = [&](const auto& list) { return inside ? list.interior() : list.selected(); };
    const auto first = [&](const auto& list) { return inside ? 0 : list.interior(); };
    const auto items = [&](const auto& list) {
      return (end(list) - first(list) + kernels::rows_per_item - 1) / kernels::rows_per_item;
    };
    FusedForceLoop<Precision, Pair, Charges> loop{
        term_loops(part, t, x, scale_, exploded),
        {pair, short_list_.view(), rows_.data(), scale_, pair_force.view(),
         this->short_range_limits_, end(short_list_), exploded},
        {charges, charge_list_.view(), rows_.data(), scale_, charge_force.view(),
         this->charge_limits_, end(charge_list_), exploded},
        0,
        0,
        first(short_list_),
        first(charge_list_)};
    loop.last_term = loop.terms.items();
    loop.last_pair = loop.last_term + items(short_list_);
    const int all = loop.last_pair + items(charge_list_);
    if (telemetry::parts_are_clocked()) return launch_apart(loop, all);
    device::launch("forces", all, loop);
  }

  /// Runs the same items in two timed launches. Each item writes only its own data, so bits are the
  /// same.
  template <class Loop>
  static void launch_apart(Loop loop, int all) {
    const int terms = loop.last_term;
    {
      const telemetry::PartSpan span(telemetry::Phase::bonded);
      device::launch("forces of terms", terms, loop);
    }
    loop.last_term = 0;
    loop.last_pair -= terms;
    const telemetry::PartSpan span(telemetry::Phase::pair);
    device::launch("forces of pairs", all - terms, loop);
  }

  const topology::Topology* topology_ = nullptr;
  int owned_ = 0;
  bool is_new_ = true;
};

}  // namespace nfold::forces
