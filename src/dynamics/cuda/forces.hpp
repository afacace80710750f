// All forces of a step on a GPU: spatial order, lists and one launch for every kind.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cub/device/device_scan.cuh>
#include <numeric>
#include <vector>

#include "dynamics/cuda/sorted_rows.hpp"
#include "dynamics/force_base.hpp"
#include "dynamics/launch.hpp"
#include "dynamics/term_loops.hpp"
#include "kernels/cuda/pair_team.hpp"
#include "kernels/pair_loop.hpp"

namespace nfold::dynamics {

template <class Precision>
class Forces : public ForceBase<Precision> {
  using Base = ForceBase<Precision>;
  using Base::box_;
  using Base::potentials_;
  using Base::scale_;

 public:
  using Base::charge_range_nm;
  using Base::short_range_nm;
  using typename Base::Coordinate;
  using typename Base::Real;

  explicit Forces(const topology::Topology& topology) : Base(topology) {
    std::vector<kernels::TypeMixing<Real>> mixing(1);
    const auto& table = topology.short_range;
    if (table.form == topology::ShortRangeForm::ashbaugh_hatch) {
      mixing.clear();
      for (std::size_t t = 0; t < table.type_sigma_nm.size(); ++t) {
        mixing.push_back({static_cast<Real>(0.5 * table.type_sigma_nm[t]),
                          static_cast<Real>(0.5 * table.type_lambda[t])});
      }
      types_ = static_cast<int>(mixing.size());
    }
    mixing_.upload(mixing);
    is_open_ = !(box_.is_periodic(0) && box_.is_periodic(1) && box_.is_periodic(2));
    stretch_.reserve(3);
    wanted_.reserve(2);
  }

  /// Takes the local rows, owned first.
  void set_rows(const topology::Topology& topology, const std::vector<int>& ids, int owned,
                std::int64_t /*room*/) {
    const auto residue_of = [&](int row) -> const topology::Residue& {
      return topology.residues[static_cast<std::size_t>(ids[static_cast<std::size_t>(row)])];
    };
    std::vector<int> rows(ids.size());
    std::iota(rows.begin(), rows.end(), 0);
    const auto charged = this->charged_rows(topology, ids, owned);
    std::vector<Coordinate> kinds, charges;
    for (const int row : rows) kinds.push_back(kernels::kind_step * Base::kind_of(residue_of(row)));
    for (const int row : charged.rows) {
      charges.push_back(Precision::tag_of(static_cast<Real>(residue_of(row).charge_e)));
    }
    const auto local = static_cast<int>(ids.size());
    all_.select(rows, kinds, owned, local, true);
    charged_.select(charged.rows, charges, charged.owned, local, false);
    key_.reserve(all_.members() + charged_.members());
    place_.reserve(all_.members() + charged_.members());
  }
  void clear() {}

  /// Makes slots and lists; grows what was too small and lists again. Waits for the GPU.
  void build_lists(const LocalRows<Precision>& rows, const ForceTables<Precision>& tables,
                   double skin_nm) {
    if (all_.owned() == 0) return;
    choose_grids(rows);
    sort(rows);
    while (true) {
      list(rows, tables, skin_nm);
      fence();
      if (!grow(wanted_.download(2))) break;
    }
  }
  /// The same without waiting, with the cells and the room of the last build_lists(): can be
  /// recorded. What lists wanted and did not have is left in wanted().
  void enqueue_lists(const LocalRows<Precision>& rows, const ForceTables<Precision>& tables,
                     double skin_nm) {
    if (all_.owned() == 0) return;
    mark_stretch(rows);
    sort(rows);
    list(rows, tables, skin_nm);
  }
  /// Changes whenever what was recorded before is no longer right.
  [[nodiscard]] int version() const { return all_.version() + charged_.version(); }
  /// (2) largest number of entries of a list that had no room for them; 0: all had.
  [[nodiscard]] int* wanted() const { return wanted_.data(); }
  /// Whether lists had to grow for what was wanted.
  bool grow(const std::vector<int>& wanted) {
    const auto take = [](auto& list, int entries) {
      if (entries > list.capacity()) list.set_capacity(entries + entries / 8);
    };
    take(all_, wanted[0]);
    take(charged_, wanted[1]);
    return wanted[0] > 0 || wanted[1] > 0;
  }

  /// Writes end forces and pair forces of the items without ghosts, or of the others; pairs all
  /// count among the others where there are ghosts.
  void compute(Part part, const ForceTables<Precision>& tables,
               kernels::Columns<const Coordinate> x, int* exploded) {
    const bool has_ghosts = all_.members() > all_.owned();
    const bool with_pairs = (part == Part::border) == has_ghosts;
    potentials_.template with_short_range<Precision>([&](const auto& pair, const auto& /*exact*/) {
      launch_forces(part, with_pairs, pair, tables, x, exploded);
    });
  }

  /// Calls visit(ExactPairs, whether they are the charges).
  template <class Visit>
  void for_each_pair_kind(const Visit& visit) const {
    this->visit_pair_kinds(all_.lists(), table(all_), charged_.lists(), table(charged_), visit);
  }

  [[nodiscard]] kernels::PairRecords<Precision> records() const {
    return {all_.records(), charged_.records(), all_.slots(), charged_.slots()};
  }
  [[nodiscard]] kernels::PairForces<Precision> pair_forces() const {
    return {all_.force(), charged_.force(), all_.slots(), charged_.slots()};
  }
  [[nodiscard]] std::int64_t list_entries() const { return all_.entries() + charged_.entries(); }
  [[nodiscard]] std::int64_t bytes() const {
    return all_.bytes() + charged_.bytes() + count_.bytes() + first_.bytes() + key_.bytes() +
           place_.bytes() + scan_.bytes();
  }

 private:
  [[nodiscard]] kernels::RowTable<Precision> table(const SortedList<Precision>& list) const {
    return {list.records(), mixing_.data()};
  }

  void mark_stretch(const LocalRows<Precision>& rows) {
    if (!is_open_) return;
    launch("start stretch", 1, kernels::StartStretch<Precision>{rows.x, stretch_.data()});
    launch("mark stretch", all_.members(),
           kernels::MarkStretch<Precision>{rows.x, stretch_.data()});
  }

  void choose_grids(const LocalRows<Precision>& rows) {
    mark_stretch(rows);
    double extent_nm[3];
    for (std::size_t axis = 0; axis < 3; ++axis) extent_nm[axis] = box_.length_nm[axis];
    if (is_open_) {
      fence();
      const auto stretch = stretch_.download(3);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (box_.is_periodic(axis)) continue;
        extent_nm[axis] = (static_cast<double>(stretch[axis].most) - stretch[axis].least + 1) *
                          box_.span_nm(axis) * 0x1p-32;
      }
    }
    all_.choose_cells(extent_nm, 0.8);
    charged_.choose_cells(extent_nm, 1.3);
    all_.set_grid(box_, stretch_.data(), 0);
    charged_.set_grid(box_, stretch_.data(), all_.grid().keys());
    keys_ = all_.grid().keys() + charged_.grid().keys();
    count_.reserve(keys_ + 1);
    first_.reserve(keys_ + 1);
    std::size_t bytes = 0;
    check_cuda(cub::DeviceScan::ExclusiveSum(nullptr, bytes, count_.data(), first_.data(),
                                             keys_ + 1, device_stream()),
               "sizing a scan");
    scan_.reserve(static_cast<std::int64_t>(bytes));
  }

  [[nodiscard]] kernels::SortedRows<Precision> sorted_rows(const LocalRows<Precision>& rows) const {
    return {all_.members_view(), charged_.members_view(), rows.x,        rows.excluded.id,
            rows.listed,         count_.data(),           first_.data(), key_.data(),
            place_.data()};
  }

  void sort(const LocalRows<Precision>& rows) {
    const auto sorted = sorted_rows(rows);
    const int members = all_.members() + charged_.members();
    check_cuda(cudaMemsetAsync(count_.data(), 0, sizeof(int) * static_cast<std::size_t>(keys_ + 1),
                               device_stream()),
               "clearing counts");
    launch("count members", members, kernels::CountMembers<Precision>{sorted});
    auto bytes = static_cast<std::size_t>(scan_.size());
    check_cuda(cub::DeviceScan::ExclusiveSum(scan_.data(), bytes, count_.data(), first_.data(),
                                             keys_ + 1, device_stream()),
               "scanning counts");
    launch("fill slots", members, kernels::FillSlots<Precision>{sorted});
  }

  [[nodiscard]] kernels::ListJob list_job(const SortedList<Precision>& kind,
                                          const LocalRows<Precision>& rows,
                                          const ForceTables<Precision>& tables, double distance_nm,
                                          bool is_all) const {
    kernels::ListJob job{};
    job.grid = kind.grid();
    job.coarse = kind.coarse();
    job.row_of_slot = kind.rows_of_slots();
    job.first = first_.data();
    job.before = is_all ? 0 : all_.members();
    job.slot_of_row = kind.slots();
    job.excluded = rows.excluded;
    job.distance_nm = static_cast<float>(distance_nm);
    job.list = kind.lists();
    job.wanted = wanted_.data() + (is_all ? 0 : 1);
    job.chain = is_all ? tables.chain().rows() : nullptr;
    job.chain_slot = kind.chain_slots();
    return job;
  }

  void list(const LocalRows<Precision>& rows, const ForceTables<Precision>& tables,
            double skin_nm) {
    check_cuda(cudaMemsetAsync(wanted_.data(), 0, 2 * sizeof(int), device_stream()),
               "clearing counts");
    // Few rows a warp keep more warps busy, many share the search for candidates.
    if (all_.owned() < 40'000) {
      list_by<4>(rows, tables, skin_nm);
    } else {
      list_by<8>(rows, tables, skin_nm);
    }
  }
  template <int listed_rows>
  void list_by(const LocalRows<Precision>& rows, const ForceTables<Precision>& tables,
               double skin_nm) {
    constexpr int warps = kernels::list_search_warps;
    const auto blocks = [](const SortedList<Precision>& kind) {
      return (kind.owned() + listed_rows * warps - 1) / (listed_rows * warps);
    };
    const int first = blocks(all_);
    start_kernel("list neighbours", kernels::list_neighbours<listed_rows>, first + blocks(charged_),
                 32 * warps, list_job(all_, rows, tables, short_range_nm() + skin_nm, true),
                 list_job(charged_, rows, tables, charge_range_nm() + skin_nm, false), first);
  }

  template <class Pair>
  [[nodiscard]] kernels::TeamJob<Precision, Pair> team_job(const Pair& pair,
                                                           const SortedList<Precision>& kind,
                                                           double cutoff_nm, int types,
                                                           int* exploded) const {
    return {pair,   table(kind),  kind.lists(),
            scale_, kind.force(), largest_force_over_distance<Precision>(cutoff_nm),
            {},     types,        exploded};
  }

  template <class Pair>
  void launch_forces(Part part, bool with_pairs, const Pair& pair, const ForceTables<Precision>& t,
                     kernels::Columns<const Coordinate> x, int* exploded) {
    using Jobs =
        kernels::ForceJobs<Precision, Pair, kernels::DebyeHueckel<Real>, TermLoops<Precision>>;
    const auto blocks = [&](const SortedList<Precision>& kind) {
      const std::int64_t threads = static_cast<std::int64_t>(kind.owned())
                                   << kind.lists().lanes_log2;
      return with_pairs
                 ? static_cast<int>((threads + kernels::pair_block - 1) / kernels::pair_block)
                 : 0;
    };
    Jobs jobs{team_job(pair, all_, short_range_nm(), types_, exploded),
              team_job(this->charge_forces(), charged_, potentials_.electrostatic_cutoff_nm(), 0,
                       exploded),
              term_loops(part, t, x, scale_, exploded),
              blocks(all_),
              blocks(charged_),
              0};
    jobs.term_items = jobs.terms.items();
    if (t.chain().acts()) {
      jobs.pairs.chain = {
          all_.chain_slots(),
          {static_cast<Real>(t.chain().length_nm()), static_cast<Real>(t.chain().k_kj_mol_nm2())}};
    }
    if (jobs.blocks() == 0) return;
    if (jobs.term_items > 0) {
      start_kernel("forces", kernels::all_forces<true, Jobs, Precision>, jobs.blocks(),
                   kernels::pair_block, jobs);
    } else {
      start_kernel("forces", kernels::all_forces<false, Jobs, Precision>, jobs.blocks(),
                   kernels::pair_block, jobs);
    }
  }

  DeviceArray<kernels::TypeMixing<Real>> mixing_{"type_mixing"};
  SortedList<Precision> all_{"rows"}, charged_{"charged"};
  DeviceArray<kernels::SpatialGrid::Stretch> stretch_{"stretch"};
  DeviceArray<int> count_{"cell_count"}, first_{"cell_first"}, key_{"cell_key"},
      place_{"cell_place"}, wanted_{"list_wanted"};
  DeviceArray<char> scan_{"scan"};
  int keys_ = 0, types_ = 0;
  bool is_open_ = false;
};

}  // namespace nfold::dynamics
