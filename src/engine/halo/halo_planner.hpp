// Halo plan made on the device: rows that each rank sends, and the order of ghosts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "comm/communicator.hpp"
#include "device/staged_array.hpp"
#include "domain/local_topology.hpp"
#include "domain/partition.hpp"
#include "domain/rank_counts.hpp"
#include "engine/halo/halo_geometry.hpp"
#include "kernels/halo/halo_regions.hpp"
#include "kernels/halo/halo_selection.hpp"

namespace nfold::halo {

/// Distances within which residues must be ghosts while the plan is valid.
struct HaloRanges {
  double all_nm = 0;      ///< any two residues: cutoff + skin + rounding of coordinates
  double charged_nm = 0;  ///< two marked residues; 0: no longer range than all_nm
  double margin_nm = 0;   ///< the plan is valid until a residue has moved half of it

  /// True if a plan for these ranges covers `needed` (without its margin) after a largest residue
  /// move of `move_nm`.
  [[nodiscard]] bool covers(const HaloRanges& needed, double move_nm) const {
    const auto reaches = [&](double had, double now) {
      return now <= 0 || now + 2 * move_nm <= had + margin_nm;
    };
    return reaches(all_nm, needed.all_nm) && reaches(charged_nm, needed.charged_nm);
  }
};

/// Part of all halo plans of a rank that depends on topology and partition alone.
struct FixedRows {
  std::vector<int> id;  ///< ids of the owned rows, then of all partners
  int owned = 0;
  std::vector<std::vector<int>> sent, received;  ///< (ranks) rows of partners
  std::vector<std::uint32_t> sent_bits;  ///< (ranks) one bit for each owned row that is sent
  std::vector<int> marked;               ///< owned rows to which charged_nm applies
};
/// ids: (owned) residue of each row; is_marked: (owned) residues to which charged_nm applies,
/// empty: none; `terms` must belong to `owner`. Throws std::invalid_argument if a rank needs a
/// residue that is not owned.
[[nodiscard]] FixedRows fixed_rows(std::span<const int> ids, const domain::LocalTerms& terms,
                                   const domain::Ownership& owner, std::span<const char> is_marked);

/// Makes halo plans. Owned: residues that this rank integrates; ghost: copy of another rank's
/// residue, read-only between exchanges, one copy whichever image is near. Runs in the execution
/// space, on positions that stay there. Messages: the shared parts of bitmaps, four bytes per peer,
/// the ids of ghosts.
/// Local rows are the owned ones, then all partners of terms by ascending id (both fixed by
/// set_rows), then the other ghosts by their owner's rank and row. A peer sends its partners first,
/// by ascending id, then the other rows, ascending: so a peer's other ghosts are contiguous rows,
/// and the receiver needs no lookup by id.
/// Kernels run on the default stream of Space; memory is allocated only if something grows.
class HaloPlanner {
 public:
  HaloPlanner(const comm::Communicator& communicator, const system::Box& box);

  /// Adds the arrays of a planner to the estimate.
  static void estimate(device::MemoryEstimate& estimate, const domain::RankCounts& counts,
                       const HaloRanges& ranges);

  /// Collective, after a repartition. Until plan() only partners are exchanged.
  void set_rows(FixedRows rows);

  /// Collective, never between start and finish of a halo exchange. Makes and adopts a plan.
  /// `position`: exact counts of the owned rows. Afterwards there are rows of all partners, of all
  /// residues within the ranges of an owned one (nearest image), and of some others.
  void plan(kernels::Columns<const std::int64_t> position, const HaloRanges& ranges) {
    prepare(position, ranges);
    adopt(position);
  }
  /// Collective. Prepares a plan, the slow part of plan(). Until adopt(), all queries except
  /// other_ids() describe the old plan; data that steps read stays unchanged, so that steps may go
  /// on in another stream.
  void prepare(kernels::Columns<const std::int64_t> position, const HaloRanges& ranges);
  /// Completes plan() with the same positions; waits for no other rank and not for the device.
  void adopt(kernels::Columns<const std::int64_t> position);

  /// Sizes after adopt() of the prepared plan.
  struct Prepared {
    int rows, sent;     ///< local rows; copies of owned rows on other ranks
    bool has_capacity;  ///< no array of this planner will be reallocated
  };
  [[nodiscard]] Prepared prepared() const;
  /// Ids of the rows after the fixed ones in the prepared plan, on the device.
  [[nodiscard]] const int* prepared_ids() const { return other_id_.device(); }

  /// Returns this rank's largest move of an owned residue since plan() [nm], rounded up; 0 for a
  /// single rank, whose plan is always valid.
  [[nodiscard]] double largest_move_nm(kernels::Columns<const std::int64_t> position) const;
  /// Functor for Kokkos::Max over the owned rows: squared move [nm^2].
  [[nodiscard]] kernels::FindLargestMove find_largest_move(
      kernels::Columns<const std::int64_t> position) const;

  [[nodiscard]] int owned() const { return owned_; }
  /// Number of owned rows and partners: rows that change only with the partition.
  [[nodiscard]] int fixed_rows() const { return static_cast<int>(fixed_id_.size()); }
  [[nodiscard]] int rows() const { return fixed_rows() + other_ghosts(); }
  /// (rows) Global id of each local row, on the device; elements beyond, up to the padded number of
  /// owned rows, are valid ids.
  [[nodiscard]] const int* row_id() const { return row_id_.data(); }
  /// Ids of the rows after the fixed ones, on the host.
  [[nodiscard]] std::span<const int> other_ids() const {
    return {other_id_.host(), static_cast<std::size_t>(other_ghosts())};
  }

  /// (ranks + 1) Offsets of each rank's part of send_row and receive_row.
  [[nodiscard]] std::span<const int> send_first() const { return send_.first_of(ranks_); }
  [[nodiscard]] std::span<const int> receive_first() const { return receive_.first_of(ranks_); }
  /// Rows to send and receive, peer by peer; on the device.
  [[nodiscard]] const int* send_row() const { return send_.row.data(); }
  [[nodiscard]] const int* receive_row() const { return receive_.row.data(); }
  /// Number of rows that `rank` sends to lower ranks than this one.
  [[nodiscard]] int sent_before(int rank) const {
    return sent_before_[static_cast<std::size_t>(rank)];
  }
  /// Returns routes for a transport that packs rows in this order.
  [[nodiscard]] std::vector<comm::Route> routes(std::size_t bytes_per_row) const;

 private:
  /// Rows of one direction: fixed ones, and those added by a plan.
  struct Direction {
    std::string label;
    [[nodiscard]] std::span<const int> first_of(int ranks) const {
      return {first.host(), static_cast<std::size_t>(ranks) + 1};
    }
    void set_fixed(const std::vector<std::vector<int>>& by_rank);
    /// Merges fixed rows with the other_count ones; other_row null: consecutive rows from
    /// first_other_row.
    void join(const int* other_row, int first_other_row);
    void reserve_fixed(int ranks, std::int64_t rows);
    /// Number of rows of the prepared plan.
    [[nodiscard]] int prepared_count() const;

    std::vector<int> fixed_count = {}, other_count = {};  // (ranks); other: of the prepared plan
    device::StagedArray<int> first{label + ".first"};     // (ranks + 1)
    device::DeviceArray<int> fixed_first{label + ".fixed_first"};  // (ranks + 1)
    device::DeviceArray<int> fixed_row{label + ".fixed"}, row{label};
  };
  /// Grid for one range and the rows that it contains.
  struct Layer {
    explicit Layer(const std::string& label) : bitmap(label), mark(label + ".mark") {}
    void reserve();
    kernels::HaloGrid grid{};
    const int* member = nullptr;  // rows; null: all owned ones
    int members = 0;
    device::DeviceArray<std::uint32_t> bitmap;
    device::StagedArray<std::uint32_t> mark;
  };
  /// Bounding box of all owned rows, by axis [counts].
  struct Extent {
    std::array<std::int64_t, 3> low, high;
  };

  void reserve(const domain::RankCounts& counts, const HaloRanges& ranges);
  void reserve_fixed(std::int64_t rows, std::int64_t marked);
  bool reserve_row_ids(std::int64_t rows);
  void reserve_peers();
  void reserve_words(std::int64_t sent, std::int64_t received);
  void reserve_ids(std::int64_t sent, std::int64_t received);
  [[nodiscard]] int other_ghosts() const { return receive_.first.host()[ranks_] - partners_; }
  void measure_extent(kernels::Columns<const std::int64_t> position);
  void set_layers(const HaloRanges& ranges);
  void mark_cells(kernels::Columns<const std::int64_t> position);
  void gather_occupied();
  void exchange_regions();
  void select_rows(kernels::Columns<const std::int64_t> position);
  [[nodiscard]] std::vector<int> contacts() const;
  void exchange_ids();
  void set_row_ids();
  [[nodiscard]] kernels::HaloRegions regions() const;

  comm::Communicator communicator_;
  system::Box box_;
  int ranks_, owned_ = 0, partners_ = 0, row_words_ = 0;
  double most_cells_ = 0;
  bool has_open_axis_, extent_is_known_ = false;
  std::array<double, 3> extent_nm_{};

  std::vector<int> fixed_id_;
  device::DeviceArray<int> row_id_{"halo.row_id"}, marked_row_{"halo.marked_row"};
  int marked_rows_ = 0;
  // (ranks, row_words_)
  device::DeviceArray<std::uint32_t> fixed_row_bits_{"halo.fixed_row_bits"};
  Direction send_{"halo.send_row"}, receive_{"halo.receive_row"};

  Layer layer_[kernels::HaloRegions::grids_at_most]{Layer("halo.cells"),
                                                    Layer("halo.marked_cells")};
  int layers_ = 0;
  std::vector<int> peers_;  // ranks that have cells near this rank's
  device::StagedArray<int> peer_{"halo.peer"};
  device::StagedArray<kernels::HaloRegionPair> region_{"halo.regions"};  // (peers, layers)
  device::StagedArray<int> index_table_{"halo.index_table"};  // index tables of the regions
  int sent_words_ = 0, received_words_ = 0;
  device::StagedArray<std::uint32_t> sent_{"halo.sent_words"}, received_{"halo.received_words"};
  device::DeviceArray<std::uint32_t> near_{"halo.near"}, near_row_{"halo.near_row"};
  device::StagedArray<int> near_first_{"halo.near_first"};
  device::DeviceArray<int> other_row_{"halo.other_row"};
  device::StagedArray<int> sent_id_{"halo.sent_id"}, other_id_{"halo.other_id"};
  std::vector<int> sent_before_;  // (ranks)
  device::DeviceColumns<std::int32_t> saved_position_{"halo.saved_position"};
};

}  // namespace nfold::halo
