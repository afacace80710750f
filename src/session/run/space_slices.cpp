// Planes of cells across the longest axis, assigned to ranks by their numbers of residues.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/run/space_slices.hpp"

#include <algorithm>
#include <limits>
#include <span>

#include "system/cell_grid.hpp"

namespace nfold::run {
namespace {

using system::CellGrid;
using Point = CellGrid::Point;

constexpr double most_planes = 1 << 16U;  // largest number of planes whose residues are counted

struct Extent {
  Point low_nm{}, high_nm{};
  [[nodiscard]] double along(const system::Box& box, std::size_t axis) const {
    return box.is_periodic(axis) ? box.length_nm[axis] : high_nm[axis] - low_nm[axis];
  }
};

/// Returns the extent over all ranks; computed from integers, so that all ranks agree.
Extent find_extent(const comm::Communicator& communicator, const system::Box& box,
                   const system::State& mine) {
  Extent spread;
  for (std::size_t k = 0; k < 3; ++k) {
    std::int64_t low = std::numeric_limits<std::int64_t>::max(), high = -low;
    for (const auto& row : mine.position) {
      low = std::min(low, row[k]);
      high = std::max(high, row[k]);
    }
    spread.low_nm[k] = box.to_nm(k, communicator.min(low));
    spread.high_nm[k] = box.to_nm(k, communicator.max(high));
  }
  return spread;
}

class Planes {
 public:
  Planes(const system::Box& box, const Extent& spread, double range_nm)
      : axis_(longest_axis(box, spread)),
        grid_(CellGrid::between(box, spread.low_nm, spread.high_nm,
                                std::max(range_nm, spread.along(box, axis_) / most_planes))),
        count_(grid_.cells_along(axis_) > 0 ? grid_.cells_along(axis_)
                                            : grid_.cell_of(spread.high_nm)[axis_] + 1) {}

  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] std::int64_t of(const Point& x_nm) const {
    return grid_.cell_of(grid_.into_box(x_nm))[axis_];
  }
  /// Returns the plane beside one, or -1.
  [[nodiscard]] std::int64_t beside(std::int64_t plane, int step) const {
    const auto other = grid_.wrap_index(axis_, plane + step);
    return other >= 0 && other < count_ ? other : -1;
  }

 private:
  static std::size_t longest_axis(const system::Box& box, const Extent& spread) {
    std::size_t longest = 0;
    for (std::size_t k = 1; k < 3; ++k) {
      if (spread.along(box, k) > spread.along(box, longest)) longest = k;
    }
    return longest;
  }

  std::size_t axis_;
  CellGrid grid_;
  std::int64_t count_;
};

/// Returns the rank of each plane (planes).
std::vector<int> ranks_of_planes(std::span<const std::int64_t> residues_of_plane, int ranks) {
  std::int64_t all = 0, before = 0;
  for (const auto n : residues_of_plane) all += n;
  std::vector<int> rank;
  rank.reserve(residues_of_plane.size());
  for (const auto n : residues_of_plane) {
    const auto middle = before + n / 2;
    rank.push_back(static_cast<int>(
        std::min<std::int64_t>(ranks - 1, middle * ranks / std::max<std::int64_t>(all, 1))));
    before += n;
  }
  return rank;
}

struct SentResidue {
  std::int64_t id;
  system::FixedPosition position;
  std::int64_t is_inside;
};

SliceResidues own_residues(const system::Box& box, const system::State& mine) {
  SliceResidues all;
  all.id = mine.id;
  all.x_nm.reserve(mine.id.size());
  for (const auto& row : mine.position) all.x_nm.push_back(system::position_nm(box, row));
  all.is_inside.assign(mine.id.size(), 1);
  return all;
}

}  // namespace

SliceResidues gather_slice(const comm::Communicator& communicator, const system::Box& box,
                           const system::State& mine, double range_nm) {
  if (communicator.size() == 1) return own_residues(box, mine);
  const Planes planes(box, find_extent(communicator, box, mine), range_nm);
  std::vector<std::int64_t> plane_of, residues_of(static_cast<std::size_t>(planes.count()), 0);
  plane_of.reserve(mine.id.size());
  for (const auto& row : mine.position) {
    plane_of.push_back(planes.of(system::position_nm(box, row)));
    ++residues_of[static_cast<std::size_t>(plane_of.back())];
  }
  communicator.sum(std::span<std::int64_t>(residues_of));
  const auto rank_of = ranks_of_planes(residues_of, communicator.size());

  std::vector<std::vector<SentResidue>> send(static_cast<std::size_t>(communicator.size()));
  for (std::size_t k = 0; k < mine.id.size(); ++k) {
    const int home = rank_of[static_cast<std::size_t>(plane_of[k])];
    const SentResidue residue{mine.id[k], mine.position[k], 1};
    send[static_cast<std::size_t>(home)].push_back(residue);
    int sent = home;
    for (const int step : {-1, 1}) {
      const auto beside = planes.beside(plane_of[k], step);
      if (beside < 0) continue;
      const int other = rank_of[static_cast<std::size_t>(beside)];
      if (other == home || other == sent) continue;
      send[static_cast<std::size_t>(other)].push_back({residue.id, residue.position, 0});
      sent = other;
    }
  }
  SliceResidues found;
  for (const auto& part : communicator.all_to_all(send)) {
    for (const auto& residue : part) {
      found.id.push_back(static_cast<int>(residue.id));
      found.x_nm.push_back(system::position_nm(box, residue.position));
      found.is_inside.push_back(residue.is_inside != 0 ? 1 : 0);
    }
  }
  return found;
}

}  // namespace nfold::run
