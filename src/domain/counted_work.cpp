// Work of each residue: terms from the topology, neighbours from the occupancy of cells.
// SPDX-License-Identifier: BSD-3-Clause

#include "domain/counted_work.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "domain/position_cells.hpp"

namespace nfold::domain {
namespace {

constexpr double pairs_in_a_globule = 40;

constexpr int cells_per_range = 2;
constexpr int window = 2 * cells_per_range + 1;

/// Adds the work of terms. work: of the residues from first_id on.
void add_term_work(const topology::Topology& topology, double cost, int first_id,
                   std::vector<double>& work) {
  topology::BondedKinds::for_each([&](auto kind) {
    for (const auto& term : terms_of(topology, kind)) {
      for (const int end : term.parts().residues) {
        const auto row = static_cast<std::size_t>(end - first_id);  // huge if id < first_id
        if (row < work.size()) work[row] += cost * kind.work;
      }
    }
  });
}

/// One axis of the cells: offsets between two cells in range, and the squared distances within
/// them.
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
  /// Returns the number of offsets of distinct cells: a window, or all cells of a short periodic
  /// axis.
  [[nodiscard]] int offsets() const { return few_ ? period_ : window; }
  [[nodiscard]] int offset_of(int index) const { return few_ ? index : index - cells_per_range; }
  /// Returns the cell at an offset; -1: beyond the end of an open axis.
  [[nodiscard]] int neighbour(int cell, int index) const {
    const int other = cell + offset_of(index);
    if (!wraps_) return other;
    return other < 0 ? other + period_ : other % period_;
  }
  [[nodiscard]] bool is_few() const { return few_; }
  [[nodiscard]] int period() const { return period_; }

  /// Lattice points per cell and axis. The weight of a sample is the frequency of a difference
  /// between a point of one cell and a point of another.
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

/// Returns the probability that two points in cells at these offsets are within range.
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

/// Returns a grid from the low corner of all ranks' positions. Collective.
system::CellGrid shared_grid(const comm::Communicator& communicator, const system::Box& box,
                             std::span<const system::FixedPosition> positions, double width_nm) {
  auto [low, high] = system::find_corners(positions);
  // Ranks without positions contribute nothing; without any positions the corners stay as they
  // were.
  const bool is_any = communicator.any(!positions.empty());
  for (std::size_t k = 0; is_any && k < 3; ++k) {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    low[k] = communicator.min(positions.empty() ? most : low[k]);
    high[k] = communicator.max(positions.empty() ? -most : high[k]);
  }
  return system::CellGrid::between(box, to_nm(box, low), to_nm(box, high), width_nm);
}

/// Occupied cells in columns along z, and the sums over their neighbourhoods. Each rank has its own
/// positions, and the cells of a slab across x with those near it, since the cells of all ranks
/// would be too many.
class CellColumns {
 public:
  CellColumns(const comm::Communicator& communicator, const system::Box& box,
              std::span<const system::FixedPosition> positions, double range_nm)
      : communicator_(communicator),
        grid_(shared_grid(communicator, box, positions, range_nm / cells_per_range)),
        axes_{axis(0, range_nm), axis(1, range_nm), axis(2, range_nm)},
        range_nm_(range_nm) {
    const auto cells = cells_of_slab(cells_of(positions));
    for (const auto& [key, count] : cells) add_cell(system::CellGrid::key_to_cell(key), count);
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      columns_[c].end = c + 1 < columns_.size() ? columns_[c + 1].first : z_.size();
    }
  }

  [[nodiscard]] std::vector<double> neighbours() {
    sum_.assign(z_.size(), 0);
    const auto first = std::ranges::lower_bound(columns_, slab_first_, {}, &Column::x);
    const auto end = std::ranges::lower_bound(columns_, slab_end_, {}, &Column::x);
    std::array<double, window> chances{};
    for (int i = 0; i < axes_[0].offsets(); ++i) {
      for (int j = 0; j < axes_[1].offsets(); ++j) {
        for (int k = 0; k < axes_[2].offsets(); ++k) {
          chances[static_cast<std::size_t>(k)] = chance(axes_, {i, j, k}, range_nm_);
        }
        std::size_t cursor = 0;
        for (auto column = first; column != end; ++column) {
          const auto* other =
              find(axes_[0].neighbour(column->x, i), axes_[1].neighbour(column->y, j), cursor);
          if (other != nullptr) add_column(*column, *other, chances);
        }
      }
    }
    const auto sum_of_own = sums_of_own_cells();
    const double itself =
        chance(axes_,
               {axes_[0].is_few() ? 0 : cells_per_range, axes_[1].is_few() ? 0 : cells_per_range,
                axes_[2].is_few() ? 0 : cells_per_range},
               range_nm_);
    std::vector<double> result;
    result.reserve(cell_of_.size());
    for (const auto cell : cell_of_) result.push_back(std::max(sum_of_own[cell] - itself, 0.0));
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
    [[nodiscard]] int x() const {
      return static_cast<int>(key >> (2 * system::CellGrid::key_bits));
    }
  };
  /// Returns the cells of this rank's positions, ascending, each once.
  [[nodiscard]] std::vector<CountedCell> cells_of(
      std::span<const system::FixedPosition> positions) {
    const auto sorted = sort_by_cell(grid_, positions);
    std::vector<CountedCell> cells;
    cell_of_.resize(positions.size());
    for (std::size_t c = 0; c < sorted.keys.size(); ++c) {
      const auto first = sorted.first[c], end = sorted.first[c + 1];
      cells.push_back({sorted.keys[c], static_cast<std::int64_t>(end - first)});
      for (auto k = first; k < end; ++k) cell_of_[sorted.rows[k]] = static_cast<std::uint32_t>(c);
    }
    return cells;
  }

  /// Returns the first x of each rank's slab and the end of the last, so that slabs hold about as
  /// many cells. Collective.
  [[nodiscard]] std::vector<int> slabs(const std::vector<CountedCell>& own) const {
    const int last = own.empty() ? 0 : own.back().x();
    std::vector<std::int64_t> cells(static_cast<std::size_t>(communicator_.max(last)) + 1, 0);
    for (const auto& cell : own) ++cells[static_cast<std::size_t>(cell.x())];
    communicator_.sum(cells);
    const std::int64_t all = std::accumulate(cells.begin(), cells.end(), std::int64_t{0});
    std::vector<int> first{0};
    std::int64_t before = 0;
    for (std::size_t x = 0; x < cells.size(); ++x) {
      const auto begun = static_cast<std::int64_t>(first.size());
      if (begun < communicator_.size() && before * communicator_.size() >= begun * all) {
        first.push_back(static_cast<int>(x));
      }
      before += cells[x];
    }
    first.resize(static_cast<std::size_t>(communicator_.size()) + 1,
                 static_cast<int>(cells.size()));
    return first;
  }

  /// Returns the cells of all ranks in this rank's slab or near it, ascending, each once.
  /// Collective.
  [[nodiscard]] std::vector<CountedCell> cells_of_slab(std::vector<CountedCell> own) {
    const auto first = slabs(own);
    const auto rank = static_cast<std::size_t>(communicator_.rank());
    slab_first_ = first[rank];
    slab_end_ = first[rank + 1];
    if (communicator_.size() == 1) return own;
    std::vector<CountedCell> leaving;
    std::vector<std::int64_t> counts;
    std::vector<char> is_near(static_cast<std::size_t>(first.back()));
    for (std::size_t r = 0; r + 1 < first.size(); ++r) {
      std::ranges::fill(is_near, char{0});
      for (int x = first[r]; x < first[r + 1]; ++x) {
        for (int index = 0; index < axes_[0].offsets(); ++index) {
          const int near = axes_[0].neighbour(x, index);
          if (near >= 0 && near < first.back()) is_near[static_cast<std::size_t>(near)] = 1;
        }
      }
      const std::size_t before = leaving.size();
      for (const auto& cell : own) {
        if (is_near[static_cast<std::size_t>(cell.x())] != 0) leaving.push_back(cell);
      }
      counts.push_back(static_cast<std::int64_t>(leaving.size() - before));
    }
    own = std::vector<CountedCell>();
    auto came = communicator_.exchange(std::span<const CountedCell>(leaving), counts);
    leaving = std::vector<CountedCell>();
    record_requests(came);
    return merged(std::move(came.values));
  }

  /// Records the cells of the slab that each rank has, whose sums are later returned to it.
  void record_requests(const comm::Communicator::ByRank<CountedCell>& came) {
    auto cell = came.values.begin();
    for (const auto count : came.counts) {
      const std::size_t before = requested_cells_.size();
      for (const auto end = cell + count; cell != end; ++cell) {
        if (cell->x() >= slab_first_ && cell->x() < slab_end_)
          requested_cells_.push_back(cell->key);
      }
      requested_counts_.push_back(static_cast<std::int64_t>(requested_cells_.size() - before));
    }
  }

  [[nodiscard]] static std::vector<CountedCell> merged(std::vector<CountedCell> cells) {
    std::ranges::sort(cells, {}, &CountedCell::key);
    std::size_t distinct = 0;
    for (const auto& cell : cells) {
      if (distinct > 0 && cells[distinct - 1].key == cell.key) {
        cells[distinct - 1].count += cell.count;
      } else {
        cells[distinct++] = cell;
      }
    }
    cells.resize(distinct);
    return cells;
  }

  /// Returns the sums of this rank's own cells, ascending. Slabs ascend with the ranks, so that
  /// sums received in rank order ascend too. Collective.
  [[nodiscard]] std::vector<double> sums_of_own_cells() {
    if (communicator_.size() == 1) return std::move(sum_);
    std::vector<double> answers;
    answers.reserve(requested_cells_.size());
    auto next = requested_cells_.begin();
    for (const auto count : requested_counts_) {
      auto column = columns_.begin();
      for (const auto end = next + count; next != end; ++next) {
        const auto cell = system::CellGrid::key_to_cell(*next);
        const auto x = static_cast<int>(cell[0]), y = static_cast<int>(cell[1]);
        while (column->x != x || column->y != y) ++column;
        const auto from = z_.begin() + static_cast<std::ptrdiff_t>(column->first);
        const auto to = z_.begin() + static_cast<std::ptrdiff_t>(column->end);
        const auto place = std::lower_bound(from, to, static_cast<int>(cell[2])) - z_.begin();
        answers.push_back(sum_[static_cast<std::size_t>(place)]);
      }
    }
    return communicator_.exchange(std::span<const double>(answers), requested_counts_).values;
  }

  void add_cell(const system::CellGrid::Cell& cell, std::int64_t count) {
    const auto x = static_cast<int>(cell[0]), y = static_cast<int>(cell[1]);
    if (columns_.empty() || columns_.back().x != x || columns_.back().y != y) {
      columns_.push_back({x, y, z_.size(), 0});
    }
    z_.push_back(static_cast<int>(cell[2]));
    count_.push_back(static_cast<double>(count));
  }

  /// Returns the column at (x, y), or null. Calls come in nearly ascending order: the search goes
  /// on from `cursor`, the position of the last one.
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
      if (period > 0) {  // cells near across the periodic border are at the column's other end
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
  std::vector<Column> columns_;        // ascending by x, then y
  std::vector<int> z_;                 // (cells) ascending within a column
  std::vector<double> count_, sum_;    // (cells) residues in the cell; in its neighbourhood
  int slab_first_ = 0, slab_end_ = 0;  // range of x
  std::vector<std::uint64_t>
      requested_cells_;  // cells of the slab, for each rank that has residues there
  std::vector<std::int64_t> requested_counts_;  // (ranks)
  std::vector<std::uint32_t> cell_of_;          // (residues of this rank) index of the own cell
};

/// Collective version.
std::vector<double> expected_neighbours(const comm::Communicator& communicator,
                                        const system::Box& box,
                                        std::span<const system::FixedPosition> positions,
                                        double range_nm) {
  return CellColumns(communicator, box, positions, range_nm).neighbours();
}

}  // namespace

std::vector<double> sampled_neighbours(const comm::Communicator& communicator,
                                       const system::Box& box, std::int64_t first_id,
                                       std::span<const system::FixedPosition> positions,
                                       double range_nm, std::int64_t sampled_per_rank) {
  const auto all = communicator.sum(static_cast<std::int64_t>(positions.size()));
  const std::int64_t at_most = sampled_per_rank * communicator.size();
  const std::int64_t stride = (all + at_most - 1) / at_most;
  if (stride <= 1) return expected_neighbours(communicator, box, positions, range_nm);
  const auto is_looked_at = [&](std::size_t row) {
    return row == 0 || (first_id + static_cast<std::int64_t>(row)) % stride == 0;
  };
  std::vector<system::FixedPosition> some;
  for (std::size_t row = 0; row < positions.size(); ++row) {
    if (is_looked_at(row)) some.push_back(positions[row]);
  }
  const auto near = expected_neighbours(communicator, box, some, range_nm);
  const auto each = static_cast<double>(stride);
  std::vector<double> result;
  result.reserve(positions.size());
  auto of_row = near.begin();
  for (std::size_t row = 0; row < positions.size(); ++row) {
    if (row > 0 && is_looked_at(row)) ++of_row;
    result.push_back(each * *of_row + each - 1);
  }
  return result;
}

std::vector<double> expected_neighbours(const system::Box& box,
                                        std::span<const system::FixedPosition> positions,
                                        double range_nm) {
  return expected_neighbours(comm::Communicator(), box, positions, range_nm);
}

std::vector<double> counted_work(const topology::Topology& topology) {
  constexpr WorkCosts costs;
  std::vector<double> work(topology.residues.size(),
                           costs.residue + costs.pair * pairs_in_a_globule);
  add_term_work(topology, costs.term, 0, work);
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
  add_term_work(topology, costs.term, first_id, work);
  if (costs.pair > 0) {
    const auto pairs = sampled_neighbours(communicator, topology.box, first_id, positions,
                                          topology.short_range.cutoff_nm + skin_nm);
    for (std::size_t row = 0; row < work.size(); ++row) work[row] += costs.pair * pairs[row];
  }
  if (!topology.electrostatics.acts() || costs.charged_pair <= 0) return work;
  std::vector<std::uint32_t> charged;
  std::vector<system::FixedPosition> charged_positions;
  for (std::size_t row = 0; row < work.size(); ++row) {
    if (topology.residues[static_cast<std::size_t>(first_id) + row].charge_e == 0) continue;
    charged.push_back(static_cast<std::uint32_t>(row));
    charged_positions.push_back(positions[row]);
  }
  const auto charged_pairs = sampled_neighbours(communicator, topology.box, 0, charged_positions,
                                                topology.electrostatics.cutoff_nm + skin_nm);
  for (std::size_t k = 0; k < charged.size(); ++k) {
    work[charged[k]] += costs.charged_pair * charged_pairs[k];
  }
  return work;
}

}  // namespace nfold::domain
