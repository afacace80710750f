// Work by residue: terms from the topology, neighbours from the occupancy of cells.
// SPDX-License-Identifier: BSD-3-Clause

#include "domain/counted_work.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "domain/position_cells.hpp"

namespace nfold::domain {
namespace {

constexpr double pairs_in_a_globule = 40;

constexpr int cells_per_range = 2;
constexpr int window = 2 * cells_per_range + 1;

/// work: of the residues from first_id on.
void add_terms(const topology::Topology& topology, double cost, int first_id,
               std::vector<double>& work) {
  topology::BondedKinds::for_each([&](auto kind) {
    for (const auto& term : terms_of(topology, kind)) {
      for (const int end : term.parts().residues) {
        const auto row = static_cast<std::size_t>(end - first_id);  // large for those before
        if (row < work.size()) work[row] += cost * kind.work;
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

/// From the low corner of all ranks' positions on.
system::CellGrid shared_grid(const comm::Communicator& communicator, const system::Box& box,
                             std::span<const system::FixedPosition> positions, double width_nm) {
  auto [low, high] = system::corners_of(positions);
  // Who has none says nothing; where no one has any, the corners are as they were.
  const bool is_any = communicator.any(!positions.empty());
  for (std::size_t k = 0; is_any && k < 3; ++k) {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    low[k] = communicator.min(positions.empty() ? most : low[k]);
    high[k] = communicator.max(positions.empty() ? -most : high[k]);
  }
  return system::CellGrid::between(box, to_nm(box, low), to_nm(box, high), width_nm);
}

/// Occupied cells in columns along z, and the sums over their surroundings. Each rank has positions
/// of its own; cells are those of all.
class CellColumns {
 public:
  CellColumns(const comm::Communicator& communicator, const system::Box& box,
              std::span<const system::FixedPosition> positions, double range_nm)
      : communicator_(communicator),
        grid_(shared_grid(communicator, box, positions, range_nm / cells_per_range)),
        axes_{axis(0, range_nm), axis(1, range_nm), axis(2, range_nm)},
        range_nm_(range_nm) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> order;
    order.reserve(positions.size());
    for (const auto& x : positions) {
      order.emplace_back(key_of(grid_, x), static_cast<std::uint32_t>(order.size()));
    }
    std::sort(order.begin(), order.end());
    const auto cells = cells_of_all(order);
    cell_of_.resize(positions.size());
    std::size_t next = 0;
    for (const auto& [key, count] : cells) {
      add_cell(system::CellGrid::cell_of_key(key), count);
      for (; next < order.size() && order[next].first == key; ++next) {
        cell_of_[order[next].second] = static_cast<std::uint32_t>(z_.size() - 1);
      }
    }
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      columns_[c].end = c + 1 < columns_.size() ? columns_[c + 1].first : z_.size();
    }
  }

  [[nodiscard]] std::vector<double> neighbours() {
    sum_.assign(z_.size(), 0);
    // Each rank sums for columns of its own.
    const auto ranks = static_cast<std::size_t>(communicator_.size());
    const auto rank = static_cast<std::size_t>(communicator_.rank());
    const std::span mine = std::span(columns_).subspan(
        columns_.size() * rank / ranks,
        columns_.size() * (rank + 1) / ranks - columns_.size() * rank / ranks);
    std::array<double, window> chances{};
    for (int i = 0; i < axes_[0].offsets(); ++i) {
      for (int j = 0; j < axes_[1].offsets(); ++j) {
        for (int k = 0; k < axes_[2].offsets(); ++k) {
          chances[static_cast<std::size_t>(k)] = chance(axes_, {i, j, k}, range_nm_);
        }
        std::size_t cursor = 0;
        for (const auto& column : mine) {
          const auto* other =
              find(axes_[0].neighbour(column.x, i), axes_[1].neighbour(column.y, j), cursor);
          if (other != nullptr) add_column(column, *other, chances);
        }
      }
    }
    if (ranks > 1) {
      const std::size_t first = mine.empty() ? 0 : mine.front().first;
      const std::size_t end = mine.empty() ? 0 : mine.back().end;
      sum_ = communicator_.all_gather(std::span<const double>(sum_).subspan(first, end - first));
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

  struct CountedCell {
    std::uint64_t key;
    std::int64_t count;
  };
  /// Of all ranks, ascending, each once. order: this rank's keys, ascending.
  [[nodiscard]] std::vector<CountedCell> cells_of_all(
      const std::vector<std::pair<std::uint64_t, std::uint32_t>>& order) const {
    std::vector<CountedCell> cells;
    for (const auto& one : order) {
      if (cells.empty() || cells.back().key != one.first) cells.push_back({one.first, 0});
      ++cells.back().count;
    }
    if (communicator_.size() == 1) return cells;
    auto all = communicator_.all_gather(std::span<const CountedCell>(cells));
    std::sort(all.begin(), all.end(),
              [](const CountedCell& a, const CountedCell& b) { return a.key < b.key; });
    std::size_t distinct = 0;
    for (const auto& cell : all) {
      if (distinct > 0 && all[distinct - 1].key == cell.key) {
        all[distinct - 1].count += cell.count;
      } else {
        all[distinct++] = cell;
      }
    }
    all.resize(distinct);
    return all;
  }

  void add_cell(const system::CellGrid::Cell& cell, std::int64_t count) {
    const auto x = static_cast<int>(cell[0]), y = static_cast<int>(cell[1]);
    if (columns_.empty() || columns_.back().x != x || columns_.back().y != y) {
      columns_.push_back({x, y, z_.size(), 0});
    }
    z_.push_back(static_cast<int>(cell[2]));
    count_.push_back(static_cast<double>(count));
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

  const comm::Communicator& communicator_;
  system::CellGrid grid_;
  std::array<Axis, 3> axes_;
  double range_nm_;
  std::vector<Column> columns_;         // ascending by x, then y
  std::vector<int> z_;                  // (cells) ascending within a column
  std::vector<double> count_, sum_;     // (cells) residues in it; around it
  std::vector<std::uint32_t> cell_of_;  // (residues of this rank)
};

/// Collective.
std::vector<double> expected_neighbours(const comm::Communicator& communicator,
                                        const system::Box& box,
                                        std::span<const system::FixedPosition> positions,
                                        double range_nm) {
  return CellColumns(communicator, box, positions, range_nm).neighbours();
}

}  // namespace

std::vector<double> expected_neighbours(const system::Box& box,
                                        std::span<const system::FixedPosition> positions,
                                        double range_nm) {
  return expected_neighbours(comm::Communicator(), box, positions, range_nm);
}

std::vector<double> counted_work(const topology::Topology& topology) {
  constexpr WorkCosts costs;
  std::vector<double> work(topology.residues.size(),
                           costs.residue + costs.pair * pairs_in_a_globule);
  add_terms(topology, costs.term, 0, work);
  return work;
}

std::vector<double> counted_work(const topology::Topology& topology,
                                 std::span<const system::FixedPosition> positions, double skin_nm,
                                 const WorkCosts& costs) {
  if (positions.size() != topology.residues.size()) {
    throw std::invalid_argument("work of " + std::to_string(topology.residues.size()) +
                                " residues from positions of " + std::to_string(positions.size()));
  }
  return counted_work(comm::Communicator(), topology, 0, positions, skin_nm, costs);
}

std::vector<double> counted_work(const comm::Communicator& communicator,
                                 const topology::Topology& topology, int first_id,
                                 std::span<const system::FixedPosition> positions, double skin_nm,
                                 const WorkCosts& costs) {
  std::vector<double> work(positions.size(), costs.residue);
  add_terms(topology, costs.term, first_id, work);
  {
    const auto pairs = expected_neighbours(communicator, topology.box, positions,
                                           topology.short_range.cutoff_nm + skin_nm);
    for (std::size_t row = 0; row < work.size(); ++row) work[row] += costs.pair * pairs[row];
  }
  if (!topology.electrostatics.acts()) return work;
  std::vector<std::uint32_t> charged;
  std::vector<system::FixedPosition> charged_positions;
  for (std::size_t row = 0; row < work.size(); ++row) {
    if (topology.residues[static_cast<std::size_t>(first_id) + row].charge_e == 0) continue;
    charged.push_back(static_cast<std::uint32_t>(row));
    charged_positions.push_back(positions[row]);
  }
  const auto charged_pairs = expected_neighbours(communicator, topology.box, charged_positions,
                                                 topology.electrostatics.cutoff_nm + skin_nm);
  for (std::size_t k = 0; k < charged.size(); ++k) {
    work[charged[k]] += costs.charged_pair * charged_pairs[k];
  }
  return work;
}

}  // namespace nfold::domain
