// The halo plan made on the device: who sends which rows to whom, and where ghosts stand.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "comm/communicator.hpp"
#include "device/memory_plan.hpp"
#include "device/staged_array.hpp"
#include "domain/local_topology.hpp"
#include "domain/partition.hpp"
#include "domain/rank_counts.hpp"
#include "halo/halo_geometry.hpp"
#include "kernels/halo/halo_selection.hpp"
#include "kernels/halo/halo_windows.hpp"

namespace nfold::halo {

/// Distances within which residues must be ghosts while the plan lasts.
struct HaloRanges {
  double all_nm = 0;      ///< any two residues: cutoff + skin + what coordinates are rounded by
  double charged_nm = 0;  ///< two marked ones; 0: nothing further
  double margin_nm = 0;   ///< the plan lasts until a residue has moved half of it

  /// Whether a plan for these serves other ranges (without their margin) after residues moved.
  [[nodiscard]] bool covers(const HaloRanges& needed, double move_nm) const {
    const auto reaches = [&](double had, double now) {
      return now <= 0 || now + 2 * move_nm <= had + margin_nm;
    };
    return reaches(all_nm, needed.all_nm) && reaches(charged_nm, needed.charged_nm);
  }
};

/// What ownership fixes of all plans on one rank, of topology and map alone.
struct FixedRows {
  std::vector<int> id;  ///< of the owned rows, then of all partners
  int owned = 0;
  std::vector<std::vector<int>> sent, received;  ///< (ranks) rows of partners
  std::vector<std::uint32_t> wanted;             ///< (ranks) a bit for each owned row that is sent
  std::vector<int> marked;
};
/// `ids` are the owned residues' row by row; `is_marked` (owned) tells those that charged_nm
/// concerns, empty: none. `terms` is of `owner`. Throws std::invalid_argument if a residue is
/// wanted that is not owned.
[[nodiscard]] FixedRows fixed_rows(std::span<const int> ids, const domain::LocalTerms& terms,
                                   const domain::Ownership& owner, std::span<const char> is_marked);

/// Who sends which residues to whom. Owned: what this rank integrates; ghost: a copy of another
/// rank's residue, read-only between exchanges, once whatever image of it is near. Made on the
/// execution space, from positions that stay there. What travels: the parts of bitmaps that two
/// ranks share, four bytes a peer, the ids of ghosts.
///
/// Local rows are the owned ones, then all partners of terms by ascending id (both fixed by
/// set_rows), then the other ghosts by their owner's rank and its row. Of each peer's rows its
/// partners travel first, by ascending id, then the others, by the owner's ascending row: so a
/// peer's other ghosts are one run of rows, and the receiver need not look any id up.
///
/// Kernels run on the default stream of Space; no memory is taken unless something grows.
class HaloPlanner {
 public:
  HaloPlanner(const comm::Communicator& communicator, const system::Box& box);

  static void plan(device::MemoryPlan& plan, const domain::RankCounts& counts,
                   const HaloRanges& ranges);

  /// Collective, after ownership changed. Until plan() only partners travel.
  void set_rows(FixedRows rows);

  /// Collective, and never between start and finish of a halo exchange. `position`: exact counts of
  /// the owned rows. Of all residues within the ranges of an owned one, nearest image, and of all
  /// partners there are rows afterwards; of some others too.
  void plan(kernels::Columns<const std::int64_t> position, const HaloRanges& ranges) {
    prepare(position, ranges);
    adopt(position);
  }
  /// Collective: the part of plan() that takes long. All but other_ids() says the old plan until
  /// adopt(); what steps read stays, so that they may go on meanwhile, on another stream than this
  /// work's.
  void prepare(kernels::Columns<const std::int64_t> position, const HaloRanges& ranges);
  /// The rest, with the same positions: waits for no other rank and not for the device.
  void adopt(kernels::Columns<const std::int64_t> position);

  /// What adopt() will make of a plan that is prepared.
  struct Prepared {
    int rows, sent;      ///< local rows, and copies of owned ones on other ranks
    bool is_there_room;  ///< no array of this one's will move
  };
  [[nodiscard]] Prepared prepared() const;
  /// Ids of the rows after the fixed ones, on the device, of such a plan.
  [[nodiscard]] const int* prepared_ids() const { return other_id_.device(); }

  /// This rank's: the largest move of an owned residue since plan() [nm], or a little more; 0 where
  /// one rank is alone, whose plan lasts.
  [[nodiscard]] double largest_move_nm(kernels::Columns<const std::int64_t> position) const;
  /// The same as a functor over the owned rows, for Kokkos::Max: squared [nm^2].
  [[nodiscard]] kernels::FindLargestMove find_largest_move(
      kernels::Columns<const std::int64_t> position) const;

  [[nodiscard]] int owned() const { return owned_; }
  /// Owned rows and partners: rows that stay while ownership does.
  [[nodiscard]] int fixed_rows() const { return static_cast<int>(fixed_id_.size()); }
  [[nodiscard]] int rows() const { return fixed_rows() + other_ghosts(); }
  /// (rows) Global id of each local row, on the device; what is beyond, up to a padded number of
  /// owned rows, is some residue's.
  [[nodiscard]] const int* row_id() const { return row_id_.data(); }
  /// Ids of the rows after the fixed ones, on the host.
  [[nodiscard]] std::span<const int> other_ids() const {
    return {other_id_.host(), static_cast<std::size_t>(other_ghosts())};
  }

  /// (ranks + 1) Where each rank's part of send_row and of receive_row begins.
  [[nodiscard]] std::span<const int> send_first() const { return send_.first_of(ranks_); }
  [[nodiscard]] std::span<const int> receive_first() const { return receive_.first_of(ranks_); }
  /// Rows that travel, peer by peer; on the device.
  [[nodiscard]] const int* send_row() const { return send_.row.data(); }
  [[nodiscard]] const int* receive_row() const { return receive_.row.data(); }
  /// Of all rows that a rank sends, how many come before those for this one.
  [[nodiscard]] int sent_before(int rank) const {
    return sent_before_[static_cast<std::size_t>(rank)];
  }
  /// For a transport that packs rows in this order.
  [[nodiscard]] std::vector<comm::Route> routes(std::size_t bytes_per_row) const;

  /// Of the device.
  [[nodiscard]] std::int64_t bytes() const;

 private:
  /// Rows of one direction: fixed ones known beforehand, and what a plan adds.
  struct Direction {
    explicit Direction(const std::string& label);
    [[nodiscard]] std::span<const int> first_of(int ranks) const {
      return {first.host(), static_cast<std::size_t>(ranks) + 1};
    }
    void set_fixed(const std::vector<std::vector<int>>& by_rank);
    /// Fixed rows and the other_count ones; other_row null: rows from first_other_row on.
    void join(const int* other_row, int first_other_row);
    static void plan(device::MemoryPlan& plan, const std::string& label, int ranks,
                     std::int64_t fixed, std::int64_t all);
    /// Rows of a plan in preparation.
    [[nodiscard]] int upcoming() const;
    [[nodiscard]] std::int64_t bytes() const;

    std::vector<int> fixed_count, other_count;  // (ranks), the latter of the plan in preparation
    device::StagedArray<int> first;             // (ranks + 1)
    device::DeviceArray<int> fixed_first;       // (ranks + 1)
    device::DeviceArray<int> fixed_row, row;
  };
  /// One range: its cells and who stands in them.
  struct Layer {
    explicit Layer(const std::string& label) : bitmap(label), mark(label + ".mark") {}
    kernels::HaloGrid grid{};
    const int* member = nullptr;  // rows; null: all owned ones
    int members = 0;
    device::DeviceArray<std::uint32_t> bitmap;
    device::StagedArray<std::uint32_t> mark;
  };
  /// Of all owned rows, by axis.
  struct Extent {
    std::array<std::int64_t, 3> low, high;
  };

  [[nodiscard]] int other_ghosts() const { return receive_.first.host()[ranks_] - partners_; }
  void learn_extent(kernels::Columns<const std::int64_t> position);
  void set_layers(const HaloRanges& ranges);
  void mark_cells(kernels::Columns<const std::int64_t> position);
  void meet();
  void exchange_windows();
  void select_rows(kernels::Columns<const std::int64_t> position);
  [[nodiscard]] std::vector<int> contacts() const;
  void exchange_ids();
  void set_row_ids();
  [[nodiscard]] kernels::HaloWindows windows() const;

  comm::Communicator communicator_;
  system::Box box_;
  int ranks_, owned_ = 0, partners_ = 0, row_words_ = 0;
  double most_cells_ = 0;
  bool has_open_axis_, extent_is_known_ = false;
  std::array<double, 3> extent_nm_{};

  std::vector<int> fixed_id_;
  device::DeviceArray<int> row_id_{"halo.row_id"}, marked_row_{"halo.marked_row"};
  int marked_rows_ = 0;
  device::DeviceArray<std::uint32_t> wanted_{"halo.wanted"};  // (ranks, row_words_) bits
  Direction send_{"halo.send_row"}, receive_{"halo.receive_row"};

  Layer layer_[kernels::HaloWindows::grids_at_most]{Layer("halo.cells"),
                                                    Layer("halo.marked_cells")};
  int layers_ = 0;
  std::vector<int> peers_;  // ranks that have cells near mine
  device::StagedArray<int> peer_{"halo.peer"};
  device::StagedArray<kernels::HaloWindowPair> window_{"halo.window"};  // (peers, layers)
  device::StagedArray<int> places_{"halo.places"};                      // of the windows
  int sent_words_ = 0, received_words_ = 0;
  device::StagedArray<std::uint32_t> sent_{"halo.sent_words"}, received_{"halo.received_words"};
  device::DeviceArray<std::uint32_t> near_{"halo.near"}, near_row_{"halo.near_row"};
  device::StagedArray<int> near_first_{"halo.near_first"};
  device::DeviceArray<int> other_row_{"halo.other_row"};
  device::StagedArray<int> sent_id_{"halo.sent_id"}, other_id_{"halo.other_id"};
  std::vector<int> sent_before_;  // (ranks)
  device::DeviceColumns<std::int32_t> kept_{"halo.kept"};
};

}  // namespace nfold::halo
