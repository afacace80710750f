// Work by residue: terms from the topology, neighbours from the occupancy of cells.
// SPDX-License-Identifier: BSD-3-Clause

#include "domain/counted_work.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <utility>

#include "domain/position_cells.hpp"

namespace nfold::domain {
namespace {

constexpr double pairs_in_a_globule = 40;

constexpr int cells_per_range = 2;
constexpr int window = 2 * cells_per_range + 1;

void add_terms(const topology::Topology& topology, double cost, std::vector<double>& work) {
  topology::BondedKinds::for_each([&](auto kind) {
    for (const auto& term : terms_of(topology, kind)) {
      for (const int end : term.parts().residues) {
        work[static_cast<std::size_t>(end)] += cost * kind.work;
      }
    }
  });
}

/// One axis of the cells: how far apart two of them can be, and the squared distances within.
class Axis {
 public:
  Axis(const system::Box& box, std::size_t axis, int period, double range_nm)
      : period_(period), wraps_(period > 0), few_(wraps_ && period < window) {
    const double edge_nm = wraps_ ? box.length_nm[axis] / period : range_nm / cells_per_range;
    for (int index = 0; index < offsets(); ++index) {
      for (int s = 1 - samples; s < samples; ++s) {
        const double apart = offset_of(index) + static_cast<double>(s) / samples;
        const double nearest_nm = box.nearest_nm(axis, apart * edge_nm);
        squared_nm2_[static_cast<std::size_t>(index)].push_back(nearest_nm * nearest_nm);
      }
    }
  }
  /// Differences that stand for distinct cells: a window, or all cells of a short periodic axis.
  [[nodiscard]] int offsets() const { return few_ ? period_ : window; }
  [[nodiscard]] int offset_of(int index) const { return few_ ? index : index - cells_per_range; }
  /// Cell at an offset; -1: beyond the end of an open axis.
  [[nodiscard]] int neighbour(int cell, int index) const {
    const int other = cell + offset_of(index);
    if (!wraps_) return other;
    return other < 0 ? other + period_ : other % period_;
  }
  [[nodiscard]] bool is_few() const { return few_; }
  [[nodiscard]] int period() const { return period_; }

  /// Two points of one cell each, on a lattice of this many places: their differences, and how
  /// often each one comes.
  static constexpr int samples = 4;
  static double weight(int sample) {
    const int s = sample + 1 - samples;
    return static_cast<double>(samples - (s < 0 ? -s : s)) / (samples * samples);
  }
  [[nodiscard]] const std::vector<double>& squared_nm2(int index) const {
    return squared_nm2_[static_cast<std::size_t>(index)];
  }

 private:
  int period_;
  bool wraps_, few_;
  std::array<std::vector<double>, window> squared_nm2_;
};

/// Chance that two points in cells at these offsets are within range.
double chance(const std::array<Axis, 3>& axes, const std::array<int, 3>& index, double range_nm) {
  const auto &x = axes[0].squared_nm2(index[0]), &y = axes[1].squared_nm2(index[1]),
             &z = axes[2].squared_nm2(index[2]);
  double sum = 0;
  constexpr int differences = 2 * Axis::samples - 1;
  for (int a = 0; a < differences; ++a) {
    for (int b = 0; b < differences; ++b) {
      for (int c = 0; c < differences; ++c) {
        const double r2 = x[static_cast<std::size_t>(a)] + y[static_cast<std::size_t>(b)] +
                          z[static_cast<std::size_t>(c)];
        if (r2 < range_nm * range_nm) sum += Axis::weight(a) * Axis::weight(b) * Axis::weight(c);
      }
    }
  }
  return sum;
}

/// Occupied cells in columns along z, and the sums over their surroundings.
class CellColumns {
 public:
  CellColumns(const system::Box& box, std::span<const system::FixedPosition> positions,
              double range_nm)
      : grid_(grid_of(box, positions, range_nm / cells_per_range)),
        axes_{axis(0, range_nm), axis(1, range_nm), axis(2, range_nm)},
        range_nm_(range_nm) {
    std::vector<std::pair<std::uint64_t, std::size_t>> order;
    order.reserve(positions.size());
    for (const auto& x : positions) order.emplace_back(key_of(grid_, x), order.size());
    std::sort(order.begin(), order.end());
    cell_of_.resize(positions.size());
    std::uint64_t last_key = 0;
    for (const auto& [key, residue] : order) {
      if (z_.empty() || key != last_key) add_cell(system::CellGrid::cell_of_key(key));
      last_key = key;
      count_.back() += 1;
      cell_of_[residue] = z_.size() - 1;
    }
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      columns_[c].end = c + 1 < columns_.size() ? columns_[c + 1].first : z_.size();
    }
  }

  [[nodiscard]] std::vector<double> neighbours() {
    sum_.assign(z_.size(), 0);
    std::array<double, window> chances{};
    for (int i = 0; i < axes_[0].offsets(); ++i) {
      for (int j = 0; j < axes_[1].offsets(); ++j) {
        for (int k = 0; k < axes_[2].offsets(); ++k) {
          chances[static_cast<std::size_t>(k)] = chance(axes_, {i, j, k}, range_nm_);
        }
        std::size_t cursor = 0;
        for (const auto& column : columns_) {
          const auto* other =
              find(axes_[0].neighbour(column.x, i), axes_[1].neighbour(column.y, j), cursor);
          if (other != nullptr) add_column(column, *other, chances);
        }
      }
    }
    const double itself =
        chance(axes_,
               {axes_[0].is_few() ? 0 : cells_per_range, axes_[1].is_few() ? 0 : cells_per_range,
                axes_[2].is_few() ? 0 : cells_per_range},
               range_nm_);
    std::vector<double> result;
    result.reserve(cell_of_.size());
    for (const auto cell : cell_of_) result.push_back(std::max(sum_[cell] - itself, 0.0));
    return result;
  }

 private:
  struct Column {
    int x, y;
    std::size_t first, end;  // cells
  };

  [[nodiscard]] Axis axis(std::size_t k, double range_nm) const {
    return {grid_.box(), k, static_cast<int>(grid_.cells_along(k)), range_nm};
  }

  void add_cell(const system::CellGrid::Cell& cell) {
    const auto x = static_cast<int>(cell[0]), y = static_cast<int>(cell[1]);
    if (columns_.empty() || columns_.back().x != x || columns_.back().y != y) {
      columns_.push_back({x, y, z_.size(), 0});
    }
    z_.push_back(static_cast<int>(cell[2]));
    count_.push_back(0);
  }

  /// Column at (x, y), else null. Asked in nearly ascending order: on from `cursor`, which is where
  /// the last one was sought.
  [[nodiscard]] const Column* find(int x, int y, std::size_t& cursor) const {
    const auto is_before = [](const Column& c, const std::pair<int, int>& xy) {
      return std::pair(c.x, c.y) < xy;
    };
    const std::pair xy(x, y);
    if (cursor > 0 && !is_before(columns_[cursor - 1], xy)) {
      cursor = static_cast<std::size_t>(
          std::lower_bound(columns_.begin(), columns_.end(), xy, is_before) - columns_.begin());
    }
    while (cursor < columns_.size() && is_before(columns_[cursor], xy)) ++cursor;
    const bool is_found =
        cursor < columns_.size() && columns_[cursor].x == x && columns_[cursor].y == y;
    return is_found ? &columns_[cursor] : nullptr;
  }

  void add_column(const Column& column, const Column& other,
                  const std::array<double, window>& chances) {
    const int period = axes_[2].period();
    std::size_t low = other.first;
    for (std::size_t a = column.first; a < column.end; ++a) {
      double sum = 0;
      const auto add = [&](std::size_t b, int index) {
        sum += count_[b] * chances[static_cast<std::size_t>(index)];
      };
      if (axes_[2].is_few()) {
        for (auto b = other.first; b < other.end; ++b) add(b, (z_[b] - z_[a] + period) % period);
        sum_[a] += sum;
        continue;
      }
      while (low < other.end && z_[low] < z_[a] - cells_per_range) ++low;
      for (auto b = low; b < other.end && z_[b] <= z_[a] + cells_per_range; ++b) {
        add(b, z_[b] - z_[a] + cells_per_range);
      }
      if (period > 0) {  // what is near across the border stands at the column's other end
        for (auto b = other.first; b < other.end && z_[b] + period - z_[a] <= cells_per_range;
             ++b) {
          add(b, z_[b] + period - z_[a] + cells_per_range);
        }
        for (auto b = other.end; b > other.first && z_[a] + period - z_[b - 1] <= cells_per_range;
             --b) {
          add(b - 1, z_[b - 1] - period - z_[a] + cells_per_range);
        }
      }
      sum_[a] += sum;
    }
  }

  system::CellGrid grid_;
  std::array<Axis, 3> axes_;
  double range_nm_;
  std::vector<Column> columns_;       // ascending by x, then y
  std::vector<int> z_;                // (cells) ascending within a column
  std::vector<double> count_, sum_;   // (cells) residues in it; around it
  std::vector<std::size_t> cell_of_;  // (residues)
};

}  // namespace

std::vector<double> expected_neighbours(const system::Box& box,
                                        std::span<const system::FixedPosition> positions,
                                        double range_nm) {
  return CellColumns(box, positions, range_nm).neighbours();
}

std::vector<double> counted_work(const topology::Topology& topology) {
  constexpr WorkCosts costs;
  std::vector<double> work(topology.residues.size(),
                           costs.residue + costs.pair * pairs_in_a_globule);
  add_terms(topology, costs.term, work);
  return work;
}

std::vector<double> counted_work(const topology::Topology& topology,
                                 std::span<const system::FixedPosition> positions, double skin_nm,
                                 const WorkCosts& costs) {
  if (positions.size() != topology.residues.size()) {
    throw std::invalid_argument("work of " + std::to_string(topology.residues.size()) +
                                " residues from positions of " + std::to_string(positions.size()));
  }
  std::vector<double> work(positions.size(), costs.residue);
  add_terms(topology, costs.term, work);
  const auto pairs =
      expected_neighbours(topology.box, positions, topology.short_range.cutoff_nm + skin_nm);
  for (std::size_t id = 0; id < work.size(); ++id) work[id] += costs.pair * pairs[id];
  if (!topology.electrostatics.acts()) return work;
  std::vector<std::size_t> charged;
  std::vector<system::FixedPosition> charged_positions;
  for (std::size_t id = 0; id < work.size(); ++id) {
    if (topology.residues[id].charge_e == 0) continue;
    charged.push_back(id);
    charged_positions.push_back(positions[id]);
  }
  const auto charged_pairs = expected_neighbours(topology.box, charged_positions,
                                                 topology.electrostatics.cutoff_nm + skin_nm);
  for (std::size_t k = 0; k < charged.size(); ++k) {
    work[charged[k]] += costs.charged_pair * charged_pairs[k];
  }
  return work;
}

}  // namespace nfold::domain
