// All forces of a step on a GPU: spatial order, lists and one launch for every kind of force.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cub/device/device_scan.cuh>
#include <vector>

#include "device/launch.hpp"
#include "engine/forces/cuda/sorted_rows.hpp"
#include "engine/forces/force_base.hpp"
#include "engine/forces/list_length.hpp"
#include "engine/forces/sorted_arrays.hpp"
#include "engine/forces/term_loops.hpp"
#include "kernels/cuda/pair_team.hpp"
#include "kernels/loops/pair_loop.hpp"

namespace nfold::forces {

/// Memory for the records of all local rows and of the charged ones, written by peers.
template <class Precision>
struct SharedRecords {
  SharedSets<Precision> all, charged;
};

template <class Precision>
class Forces : public ForceBase<Precision>, private SortedForceArrays<Precision> {
  using Base = ForceBase<Precision>;
  using Arrays = SortedForceArrays<Precision>;
  using Arrays::count_, Arrays::first_, Arrays::key_, Arrays::mixing_, Arrays::occupied_,
      Arrays::place_, Arrays::scan_, Arrays::types_, Arrays::wanted_;
  using Base::box_;
  using Base::charge_limits_;
  using Base::potentials_;
  using Base::scale_;
  using Base::short_range_limits_;

 public:
  using Base::charge_range_nm;
  using Base::short_range_nm;
  using typename Base::Coordinate;
  using typename Base::Real;

  explicit Forces(const topology::Topology& topology) : Base(topology) {
    this->set_mixing(topology.short_range);
    std::vector<Coordinate> kinds, charges;
    for (const auto& residue : topology.residues) {
      const int kind = pair_kind(topology.short_range, residue);
      kinds.push_back(kernels::kind_step *
                      (potentials_.depends_on_domains() ? kind : residue.type));
      const bool acts = potentials_.has_electrostatics() && residue.charge_e != 0;
      charges.push_back(acts ? potentials_.template charge_tag<Precision>(residue) : 0);
    }
    all_.set_tags(kinds, true);
    charged_.set_tags(charges, false);
    is_open_ = !(box_.is_periodic(0) && box_.is_periodic(1) && box_.is_periodic(2));
    this->reserve_marks();
  }

  /// Sets the owned rows.
  void set_owned(const topology::Topology& /*topology*/, const OwnedRows& rows) {
    owned_rows_ = rows.count;
    owned_are_new_ = true;
    all_.set_owned(rows.count);
    charged_.set_owned(potentials_.has_electrostatics() ? rows.charged : 0);
  }
  /// Sets the local rows by their ids on the device, owned ones first. Call place_rows()
  /// afterwards.
  void set_local(const int* ids, int rows) {
    ids_ = ids;
    all_.find_members(ids, owned_rows_, rows, !owned_are_new_);
    charged_.find_members(ids, owned_rows_, rows, !owned_are_new_);
    owned_are_new_ = false;
    if (this->reserve_members(members())) ++version_;
  }
  /// Returns the number of charged residues among these ids on the device. Waits for the GPU.
  [[nodiscard]] int count_charged(const int* ids, int n) const {
    return charged_.count_tagged(ids, n);
  }
  /// True if set_ghosts() may be called with so many local rows and charged ghosts.
  [[nodiscard]] bool has_capacity_for(int rows, int charged_ghosts) const {
    return !owned_are_new_ && all_.has_capacity_for(rows, rows) &&
           charged_.has_capacity_for(rows, charged_.owned() + charged_ghosts);
  }
  /// Like set_local(), but only the ghosts change; requires has_capacity_for(). Does not wait.
  void set_ghosts(int rows, int charged_ghosts) {
    all_.find_ghosts(ids_, owned_rows_, rows, rows);
    charged_.find_ghosts(ids_, owned_rows_, rows, charged_.owned() + charged_ghosts);
  }
  [[nodiscard]] int row_count() const { return all_.members(); }
  /// Number of records to allocate for all rows and for the charged ones.
  [[nodiscard]] int record_count() const { return all_.record_count(); }
  [[nodiscard]] int charged_record_count() const { return charged_.record_count(); }
  /// Offset between the local row of a ghost and the index of its record.
  [[nodiscard]] int ghost_shift() const { return all_.ghost_shift(); }
  /// Number of local rows, on the device.
  [[nodiscard]] const int* rows_present() const { return all_.present_on_device(); }
  /// Reserves records, in memory written by peers if there is any (otherwise null).
  void place_rows(const SharedRecords<Precision>& shared) {
    all_.place_members(ids_, shared.all);
    charged_.place_members(ids_, shared.charged);
  }

  /// Builds slots and lists; enlarges overflowing lists and repeats. Waits for the GPU.
  void build_lists(const LocalRows<Precision>& rows, const ForceTables<Precision>& tables,
                   double skin_nm) {
    if (all_.owned() == 0) return;
    choose_grids(rows);
    sort(rows);
    while (grow(list_and_wait(rows, tables, skin_nm))) {
    }
  }
  /// Like build_lists(), but enlarges only lists that never got capacity for a longer skin, such as
  /// those of a rank's first charged residues. Returns the longest skin whose lists are expected to
  /// fit: skin_nm if all fitted.
  [[nodiscard]] double try_lists(const LocalRows<Precision>& rows,
                                 const ForceTables<Precision>& tables, double skin_nm) {
    if (all_.owned() == 0) return skin_nm;
    choose_grids(rows);
    sort(rows);
    auto wanted = list_and_wait(rows, tables, skin_nm);
    while (grow(wanted, true)) wanted = list_and_wait(rows, tables, skin_nm);
    return fitting_skin_nm(wanted, skin_nm);
  }
  /// Reserves capacity for lists of a longer skin. Returns true if lists must be built again.
  [[nodiscard]] bool reserve_lists(double skin_nm, double longer_nm) {
    return this->reserve_longer_lists(all_, charged_, skin_nm, longer_nm);
  }
  /// Builds lists without waiting, with the cells and capacities of the last build_lists(); can be
  /// captured. Overflows are stored in wanted(). first_copy: see kernels::HaloPush; null if no
  /// ghost will be waited for.
  void enqueue_lists(const LocalRows<Precision>& rows, const ForceTables<Precision>& tables,
                     double skin_nm, const int* first_copy) {
    if (all_.owned() == 0) return;
    find_occupied_range(rows);
    sort(rows);
    list(rows, tables, skin_nm, first_copy);
  }
  /// Changes whenever captured graphs become invalid.
  [[nodiscard]] int version() const { return all_.version() + charged_.version() + version_; }
  /// (2) Largest number of entries needed by an overflowing list since the last reset; 0: no
  /// overflow.
  [[nodiscard]] int* wanted() const { return wanted_.data(); }
  void clear_wanted() { wanted_.fill(0); }
  /// Returns the longest skin whose lists are expected to fit, if lists of skin_nm needed `wanted`.
  [[nodiscard]] double fitting_skin_nm(const std::vector<int>& wanted, double skin_nm) const {
    constexpr double to_spare = 1.0 / 32;
    const auto fitting = [skin_nm](const auto& list, int entries, double range_nm) {
      if (entries <= list.capacity()) return skin_nm;
      const double share = (1 - to_spare) * list.capacity() / entries;
      return distance_for_length(range_nm + skin_nm, share) - range_nm;
    };
    return std::min(fitting(all_, wanted[0], this->short_range_nm()),
                    fitting(charged_, wanted[1], this->charge_range_nm()));
  }
  /// Enlarges lists to the wanted entries. Returns true if one grew. only_new: keeps lists that
  /// already have capacity for a longer skin.
  bool grow(const std::vector<int>& wanted, bool only_new = false) {
    const auto take = [only_new](auto& list, int entries) {
      const bool stays = only_new && list.is_reserved_for_longer();
      const bool grows = !stays && entries > list.capacity();
      if (grows) list.grow_for(entries);
      return grows;
    };
    const bool all_grow = take(all_, wanted[0]);
    return take(charged_, wanted[1]) || all_grow;
  }

  /// Computes term and pair forces of the work items without ghosts, or of the others.
  void compute(Part part, const ForceTables<Precision>& tables,
               kernels::Columns<const Coordinate> x, int* exploded) {
    Work work{term_loops(part, tables, x, scale_, exploded), tables.chain(), exploded};
    work.form = kernels::ForceForm::part;
    work.runs_ghost_blocks = part == Part::border;
    launch_all(work);
  }
  /// Computes all forces from one record set. lists_are_settled: the previous launch built no
  /// lists. flags: set if pairs with ghosts must wait for them; only without terms, which would
  /// read ghosts at once.
  void compute_captured(const ForceTables<Precision>& tables, kernels::Columns<const Coordinate> x,
                        int* exploded, bool lists_are_settled, int set,
                        const kernels::HaloFlags* flags) {
    Work work{all_term_loops(tables, x, scale_, exploded), tables.chain(), exploded};
    work.lists_are_settled = lists_are_settled;
    work.set = set;
    if (flags != nullptr) {
      work.form = kernels::ForceForm::waiting;
      work.flags = *flags;
    }
    launch_all(work);
  }

  /// Computes all pairs like compute_captured(), but with float sums; only for timing. Returns
  /// false if there is no such variant: in double precision, and with terms.
  bool compute_with_float_sums(const ForceTables<Precision>& tables,
                               kernels::Columns<const Coordinate> x, int* exploded) {
    if (sizeof(Real) != 4 || tables.has_terms()) return false;
    Work work{all_term_loops(tables, x, scale_, exploded), tables.chain(), exploded};
    work.form = kernels::ForceForm::float_sums;
    work.lists_are_settled = true;
    launch_all(work);
    return true;
  }

  /// Calls visit(ExactPairs, bool is_charge).
  template <class Visit>
  void for_each_pair_kind(const Visit& visit) const {
    this->visit_pair_kinds(all_.lists(), table(all_), charged_.lists(), table(charged_), visit);
  }

  [[nodiscard]] kernels::PairRecords<Precision> records(int set = 0) const {
    return {all_.records(set), charged_.records(set), all_.slots(),
            charged_.slots(),  all_.tags_of_rows(),   {}};
  }
  [[nodiscard]] kernels::PairForces<Precision> pair_forces() const {
    return {all_.force(), charged_.force(), charged_.slots()};
  }
  [[nodiscard]] std::int64_t list_bytes() const {
    return all_.list_bytes() + charged_.list_bytes();
  }
  [[nodiscard]] std::int64_t list_entries() const { return all_.entries() + charged_.entries(); }
  [[nodiscard]] std::int64_t charge_list_entries() const { return charged_.entries(); }

 private:
  /// Options of one launch of the forces.
  struct Work {
    TermLoops<Precision> terms;
    const ChainTable& chain;
    int* exploded;
    kernels::ForceForm form = kernels::ForceForm::whole;
    bool runs_ghost_blocks = false;  // border part, otherwise the interior
    bool lists_are_settled = false;  // the previous launch built no lists
    int set = 0;                     // index of the record set
    kernels::HaloFlags flags{};
  };

  [[nodiscard]] int members() const { return all_.members() + charged_.members(); }
  [[nodiscard]] kernels::RowTable<Precision> table(const SortedList<Precision>& list,
                                                   int set = 0) const {
    return {list.records(set), mixing_.data()};
  }

  void find_occupied_range(const LocalRows<Precision>& rows) {
    if (!is_open_) return;
    device::launch("start stretch", 1,
                   kernels::ResetOccupiedRange<Precision>{rows.x, occupied_.data()});
    device::launch("mark stretch", all_.members(),
                   kernels::FindOccupiedRange<Precision>{rows.x, all_.owned(), rows_present(),
                                                         occupied_.data()});
  }

  void choose_grids(const LocalRows<Precision>& rows) {
    find_occupied_range(rows);
    double extent_nm[3];
    for (std::size_t axis = 0; axis < 3; ++axis) extent_nm[axis] = box_.length_nm[axis];
    if (is_open_) {
      device::fence();
      const auto occupied = occupied_.download(3);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (box_.is_periodic(axis)) continue;
        extent_nm[axis] = (static_cast<double>(occupied[axis].most) - occupied[axis].least + 1) *
                          box_.span_nm(axis) * 0x1p-32;
      }
    }
    all_.choose_cells(extent_nm, all_cells_nm);
    charged_.choose_cells(extent_nm, charged_cells_nm);
    all_.set_grid(box_, occupied_.data(), 0);
    charged_.set_grid(box_, occupied_.data(), all_.grid().keys());
    keys_ = all_.grid().keys() + charged_.grid().keys();
    this->reserve_keys(keys_);
    std::size_t bytes = 0;
    device::check_cuda(cub::DeviceScan::ExclusiveSum(nullptr, bytes, count_.data(), first_.data(),
                                                     keys_ + 1, device::device_stream()),
                       "sizing a scan");
    scan_.reserve(static_cast<std::int64_t>(bytes));
  }

  [[nodiscard]] kernels::SortedRows<Precision> sorted_rows(const LocalRows<Precision>& rows) const {
    return {all_.members_view(0),
            charged_.members_view(0),
            rows.x,
            rows.excluded.id,
            rows.listed,
            count_.data(),
            first_.data(),
            key_.data(),
            place_.data()};
  }

  void sort(const LocalRows<Precision>& rows) {
    const auto sorted = sorted_rows(rows);
    device::launch("count members", members(), kernels::CountMembers<Precision>{sorted});
    auto bytes = static_cast<std::size_t>(scan_.size());
    device::check_cuda(
        cub::DeviceScan::ExclusiveSum(scan_.data(), bytes, count_.data(), first_.data(), keys_ + 1,
                                      device::device_stream()),
        "scanning counts");
    device::launch("fill slots", members(), kernels::FillSlots<Precision>{sorted});
  }

  [[nodiscard]] kernels::ListJob list_job(const SortedList<Precision>& kind,
                                          const LocalRows<Precision>& rows,
                                          const ForceTables<Precision>& tables, double distance_nm,
                                          const int* first_copy) const {
    kernels::ListJob job{};
    job.grid = kind.grid();
    job.coarse = kind.coarse();
    job.row_of_slot = kind.rows_of_slots();
    job.first = first_.data();
    const bool is_all = kind.is_all();
    job.before = is_all ? 0 : all_.members();
    job.slot_of_row = kind.slots();
    job.excluded = rows.excluded;
    job.excluded.for_charges = !is_all;
    job.spans_are_full = tables.spans_are_full;
    job.distance_nm = static_cast<float>(distance_nm);
    job.list = kind.lists();
    job.wanted = wanted_.data() + (is_all ? 0 : 1);
    job.chain = is_all ? tables.chain().rows() : nullptr;
    job.chain_slot = kind.chain_slots();
    job.first_copy = first_copy;
    job.border = kind.border();
    job.block_rows_log2 = kind.block_rows_log2();
    return job;
  }

  /// Builds lists and waits. Returns the overflows like wanted().
  std::vector<int> list_and_wait(const LocalRows<Precision>& rows,
                                 const ForceTables<Precision>& tables, double skin_nm) {
    clear_wanted();
    list(rows, tables, skin_nm, nullptr);
    device::fence();
    return wanted_.download(2);
  }
  void list(const LocalRows<Precision>& rows, const ForceTables<Precision>& tables, double skin_nm,
            const int* first_copy) {
    // Few rows per warp keep more warps busy; many rows share the search for candidates.
    if (all_.owned() < 40'000) {
      list_by<4>(rows, tables, skin_nm, first_copy);
    } else {
      list_by<8>(rows, tables, skin_nm, first_copy);
    }
  }
  template <int listed_rows>
  void list_by(const LocalRows<Precision>& rows, const ForceTables<Precision>& tables,
               double skin_nm, const int* first_copy) {
    constexpr int warps = kernels::list_search_warps;
    const auto blocks = [](const SortedList<Precision>& kind) {
      return (kind.owned() + listed_rows * warps - 1) / (listed_rows * warps);
    };
    // The search for charged residues is longer, so it starts first: the launch should end with
    // short work.
    const int first = blocks(charged_);
    const auto start = [&](auto* kernel) {
      device::start_kernel(
          "list neighbours", kernel, first + blocks(all_), 32 * warps,
          list_job(charged_, rows, tables, charge_range_nm() + skin_nm, first_copy),
          list_job(all_, rows, tables, short_range_nm() + skin_nm, first_copy), first);
    };
    const bool has_ghosts = all_.grid().ghosts_apart || charged_.grid().ghosts_apart;
    start(has_ghosts ? kernels::list_neighbours<listed_rows, true>
                     : kernels::list_neighbours<listed_rows, false>);
  }

  template <class Pair>
  [[nodiscard]] kernels::TeamJob<Precision, Pair> team_job(
      const Pair& pair, const SortedList<Precision>& kind,
      const kernels::PairForceLimits<Real>& limits, int types, const Work& work) const {
    return {pair,
            table(kind, work.set),
            kind.lists(),
            scale_,
            kind.force(),
            kind.is_all() ? kind.rows_of_slots() : nullptr,
            {kind.border()},
            limits,
            {},
            types,
            work.exploded};
  }

  void launch_all(const Work& work) {
    potentials_.template with_both<Precision>(
        [&](const auto& pair, const auto& charges) { launch_forces(pair, charges, work); });
  }
  template <class Pair, class Charges>
  void launch_forces(const Pair& pair, const Charges& charges, const Work& work) {
    using Jobs = kernels::ForceJobs<Precision, Pair, Charges, TermLoops<Precision>>;
    Jobs jobs{team_job(pair, all_, short_range_limits_, types_, work),
              team_job(charges, charged_, charge_limits_, 0, work),
              work.terms,
              all_.blocks(),
              charged_.blocks(),
              work.terms.items(),
              work.flags,
              work.lists_are_settled,
              work.runs_ghost_blocks};
    if (work.chain.acts()) {
      jobs.pairs.chain = {all_.chain_slots(),
                          {static_cast<Real>(work.chain.length_nm()),
                           static_cast<Real>(work.chain.k_kj_mol_nm2())}};
    }
    if (jobs.blocks() == 0) return;
    while (((jobs.blocks() - 1) >> jobs.flags.blocks_per_copy_log2) >= kernels::halo_flag_copies) {
      ++jobs.flags.blocks_per_copy_log2;
    }
    const auto start = [&](auto* kernel) {
      device::start_kernel("forces", kernel, jobs.blocks(), kernels::pair_block, jobs);
    };
    using kernels::all_forces;
    using enum kernels::ForceForm;
    const bool has_terms = jobs.term_items > 0;
    if (work.form == float_sums) {
      if constexpr (sizeof(Real) == 4) start(all_forces<float_sums, false, Jobs, Precision>);
    } else if (work.form == waiting) {
      start(all_forces<waiting, false, Jobs, Precision>);
    } else if (work.form == part) {
      start(has_terms ? all_forces<part, true, Jobs, Precision>
                      : all_forces<part, false, Jobs, Precision>);
    } else {
      start(has_terms ? all_forces<whole, true, Jobs, Precision>
                      : all_forces<whole, false, Jobs, Precision>);
    }
  }

  SortedList<Precision> all_{"rows"}, charged_{"charged"};
  const int* ids_ = nullptr;  // ids of the local rows
  int owned_rows_ = 0, keys_ = 0, version_ = 0;
  bool owned_are_new_ = true;
  bool is_open_ = false;
};

}  // namespace nfold::forces
