// GPU neighbour search: a warp lists the neighbours of a few rows close in space.
// SPDX-License-Identifier: BSD-3-Clause
//
// The warp goes through the cells near its rows, one lane per cell, then through their members, one
// lane per member. Members near the bounding box of the rows are buffered in shared memory as
// candidates. Once there are 32, each lane compares one with all rows. A ballot gives the
// neighbours and their indices in the list.
#pragma once

#include "kernels/cuda/spatial_order.hpp"
#include "kernels/cuda/team_lists.hpp"
#include "kernels/loops/exclusions.hpp"

namespace nfold::kernels {

inline constexpr int list_search_warps = 4;  // warps per block
/// Minimum of resident blocks per multiprocessor: saves 7 % of the time at 10^6 residues against
/// the compiler's choice.
inline constexpr int list_blocks_resident = 8;
/// Margin for rounding in comparisons of distances [nm].
inline constexpr float list_margin_nm = 1e-4F;

struct ListJob {
  SpatialGrid grid;
  const PackedRow<Mixed>* coarse;  // (members) by slot
  const int* row_of_slot;          // see SortedMembers
  const int* first;                // (keys + 1)
  int before;                      // members sorted before these
  const int* slot_of_row;
  Exclusions excluded;  // indexed by row; ids are global
  bool spans_are_full;  // Exclusions::Span::is_full of all rows
  float distance_nm;
  TeamLists list;
  int* wanted;                   // largest count of a list that exceeded its capacity
  const ChainNeighbours* chain;  // (owned rows), or null
  ChainNeighbours* chain_slot;   // (selected) chain neighbours as slots, output
  const int* first_copy;         // (owned rows) -1: no ghost can be near the row; null: unknown
  unsigned* border;     // GhostBlocks, zero initially; output: blocks with a ghost in a list
  int block_rows_log2;  // owned slots per block of the pair loop
};

#ifdef __CUDACC__

/// Search of one warp. listed_rows: rows per warp; with_ghosts: false if there are none.
template <int listed_rows, bool with_ghosts>
struct ListSearch {
  /// One row: ids from least to least + width may be excluded; `list` is the start of its list.
  struct alignas(16) Target {
    int least;
    unsigned width;
    int* list;
  };
  // Range of cells to search along an axis: count from first on, wrapping.
  struct Range {
    int first, count;
    bool all;
    float low;   // lower edge of the first cell relative to the origin [nm]
    float edge;  // [nm]
  };
  /// 32 cells, one per lane.
  struct Cells {
    int first[32];  // index of its first member among all members
    int slot[32];   // slot of that member
  };
  struct Shared {
    float4 candidate[64];     // candidates; the fourth column is the id
    int entry[64];            // list entry of a candidate
    float4 row[listed_rows];  // fourth column: squared reach, negative for no row
    Target target[listed_rows];
    int local_row[listed_rows];
    Cells cells[with_ghosts ? 2 : 1];  // owned members, ghosts
    Range range[3];
  };

  static __device__ int smallest(int x) { return __reduce_min_sync(0xffffffffU, x); }
  static __device__ int largest(int x) { return __reduce_max_sync(0xffffffffU, x); }

  /// Computes the range of cells around low .. high, the rows' coordinates relative to origin.
  static __device__ Range range(const SpatialGrid& grid, int axis, int origin, int low, int high,
                                float reach_nm) {
    const int bits = grid.coarse_bits(axis);
    const auto reach = static_cast<std::int64_t>(ceilf(reach_nm / grid.nm[axis]));
    const std::int64_t from = low - reach, to = high + reach;
    Range r{};
    if (grid.periodic[axis]) {
      const std::int64_t edge = std::int64_t{1} << (32 - bits);
      r.edge = static_cast<float>(edge) * grid.nm[axis];
      if (bits == 0 || to - from >= (std::int64_t{1} << 32) - edge) {
        r.count = 1 << bits;
        r.all = true;
        return r;
      }
      const auto place = static_cast<std::uint32_t>(origin) + static_cast<std::uint32_t>(from);
      const std::int64_t within = static_cast<std::int64_t>(place & (edge - 1));
      r.first = static_cast<int>(place >> (32 - bits));
      r.count = static_cast<int>((within + to - from) >> (32 - bits)) + 1;
      r.low = static_cast<float>(from - within) * grid.nm[axis];
      return r;
    }
    const SpatialGrid::OccupiedRange s = grid.occupied[axis];
    const std::int64_t base =
        static_cast<std::int64_t>(static_cast<std::int32_t>(static_cast<std::uint32_t>(origin) -
                                                            static_cast<std::uint32_t>(s.origin))) -
        s.least;
    r.first = bits == 0 ? 0 : grid.cell_of_offset(axis, base + from) >> grid.coarse_log2;
    r.count =
        (bits == 0 ? 0 : grid.cell_of_offset(axis, base + to) >> grid.coarse_log2) - r.first + 1;
    const float width = static_cast<float>(static_cast<std::int64_t>(s.most) - s.least + 1);
    r.edge = width / static_cast<float>(1 << bits) * grid.nm[axis];
    r.low = static_cast<float>(r.first) * r.edge - static_cast<float>(base) * grid.nm[axis];
    return r;
  }
  /// Returns the least distance along an axis between the rows (low .. high) and cell i of a range.
  static __device__ float gap(const Range& r, int i, float low, float high) {
    if (r.all) return 0;
    const float a = r.low + static_cast<float>(i) * r.edge;
    return fmaxf(0.0F, fmaxf(a - high, low - (a + r.edge)));
  }

  const ListJob& job;
  Shared& shared;
  int lane, first_slot, rows;
  PackedRow<Mixed> origin;
  bool exact;  // the box is so small that nearest images differ between rows
  float reach_squared;
  int found[listed_rows] = {};  // identical on all lanes
  int waiting = 0;
  bool met_ghost = false;  // this lane

  /// Compares the candidates with all rows; each lane below `candidates` has one, at
  /// shared.candidate[lane]. Branch-free: the search spends half its time here.
  template <bool is_exact, bool spans_are_full>
  __device__ __forceinline__ void compare(int candidates) {
    const float4 c = shared.candidate[lane];
    const int id = __float_as_int(c.w), entry = shared.entry[lane];
    const unsigned below = (1U << lane) - 1;
    const bool counts = lane < candidates;
    const int capacity = job.list.capacity;
#pragma unroll
    for (int r = 0; r < listed_rows; ++r) {
      const float4 q = shared.row[r];
      float dx = q.x - c.x, dy = q.y - c.y, dz = q.z - c.z;
      if constexpr (is_exact) {
        dx = static_cast<float>(__float_as_int(q.x) - __float_as_int(c.x)) * job.grid.nm[0];
        dy = static_cast<float>(__float_as_int(q.y) - __float_as_int(c.y)) * job.grid.nm[1];
        dz = static_cast<float>(__float_as_int(q.z) - __float_as_int(c.z)) * job.grid.nm[2];
      }
      const Target target = shared.target[r];
      const bool may_be_refused = static_cast<unsigned>(id - target.least) <= target.width;
      bool hit = counts & (fmaf(dx, dx, fmaf(dy, dy, dz * dz)) < q.w);
      if constexpr (spans_are_full) {
        hit = hit & !may_be_refused;
      } else if (hit & may_be_refused) {
        const int row = shared.local_row[r];
        hit = !job.excluded.span[row].is_full && id != job.excluded.id[row] &&
              !job.excluded.holds(row, id);
      }
      const unsigned hits = __ballot_sync(0xffffffffU, hit);
      const int k = found[r] + __popc(hits & below);
      if (hit & (k < capacity)) target.list[job.list.step(k)] = entry;
      found[r] += __popc(hits);
    }
  }
  __device__ __forceinline__ void compare_waiting(int candidates) {
    if (exact) {
      compare<true, false>(candidates);
    } else if (job.spans_are_full) {
      compare<false, true>(candidates);
    } else {
      compare<false, false>(candidates);
    }
  }

  __device__ __forceinline__ void take(bool near, float x, float y, float z, int entry, int id) {
    const unsigned all = __ballot_sync(0xffffffffU, near);
    if (near) {
      const int at = waiting + __popc(all & ((1U << lane) - 1));
      shared.candidate[at] = make_float4(x, y, z, __int_as_float(id));
      if constexpr (with_ghosts) met_ghost = met_ghost | (entry >= job.list.selected);
      shared.entry[at] = entry;
    }
    waiting += __popc(all);
    __syncwarp();
    if (waiting < 32) return;
    compare_waiting(32);
    waiting -= 32;
    __syncwarp();
    if (lane < waiting) {
      shared.candidate[lane] = shared.candidate[lane + 32];
      shared.entry[lane] = shared.entry[lane + 32];
    }
    __syncwarp();
  }

  /// Numbers the members of 32 cells, one per lane. Returns their total.
  __device__ __forceinline__ int number_members(int kind, int members, int from) const {
    int end = members;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      const int other = __shfl_up_sync(0xffffffffU, end, step);
      if (lane >= step) end += other;
    }
    shared.cells[kind].first[lane] = end - members;
    shared.cells[kind].slot[lane] = from;
    return __shfl_sync(0xffffffffU, end, 31);
  }

  /// Takes the members of the numbered cells that are near the rows' bounding box, first owned
  /// ones, then ghosts.
  __device__ __forceinline__ void take_members(int owned, int ghosts, const float* low_nm,
                                               const float* high_nm) {
    const SpatialGrid& grid = job.grid;
    const int total = owned + ghosts;
    __syncwarp();
    for (int begin = 0; begin < total; begin += 32) {
      const int at = begin + lane;
      bool near = false;
      float fx = 0, fy = 0, fz = 0;
      int entry = 0, id = 0;
      if (at < total) {
        const bool is_ghost = with_ghosts && at >= owned;
        const Cells& cells = shared.cells[is_ghost ? 1 : 0];
        const int number = is_ghost ? at - owned : at;
        int cell = 0;
#pragma unroll
        for (int step = 16; step > 0; step /= 2) {
          if (cells.first[cell + step] <= number) cell += step;
        }
        const int slot = cells.slot[cell] + number - cells.first[cell];
        entry = slot;
        if (is_ghost) entry = job.row_of_slot[slot];
        const PackedRow<Mixed> other = job.coarse[slot];
        const int ox = other.x - origin.x, oy = other.y - origin.y, oz = other.z - origin.z;
        id = other.tag;
        if (exact) {
          near = true;
          fx = __int_as_float(ox);
          fy = __int_as_float(oy);
          fz = __int_as_float(oz);
        } else {
          fx = static_cast<float>(ox) * grid.nm[0];
          fy = static_cast<float>(oy) * grid.nm[1];
          fz = static_cast<float>(oz) * grid.nm[2];
          const float gx = fmaxf(0.0F, fmaxf(fx - high_nm[0], low_nm[0] - fx));
          const float gy = fmaxf(0.0F, fmaxf(fy - high_nm[1], low_nm[1] - fy));
          const float gz = fmaxf(0.0F, fmaxf(fz - high_nm[2], low_nm[2] - fz));
          near = fmaf(gx, gx, fmaf(gy, gy, gz * gz)) < reach_squared;
        }
      }
      take(near, fx, fy, fz, entry, id);
    }
    __syncwarp();
  }

  /// Returns how many rows from first_slot to last_slot are near the first. The curve jumps over
  /// empty space and other ranks' parts; one search for both ends of a jump would go through
  /// everything between.
  static __device__ int count_near_rows(const ListJob& job, int lane, int first_slot,
                                        int last_slot) {
    const int count = last_slot - first_slot;
    const PackedRow<Mixed> own = job.coarse[first_slot + min(lane, count - 1)];
    const auto far = [&](int axis, int x) {
      const int difference = x - __shfl_sync(0xffffffffU, x, 0);
      return fabsf(static_cast<float>(difference) * job.grid.nm[axis]) > job.distance_nm;
    };
    const bool leaps = far(0, own.x) | far(1, own.y) | far(2, own.z);
    const unsigned votes = __ballot_sync(0xffffffffU, leaps);
    return votes == 0 ? count : min(count, __ffs(static_cast<int>(votes)) - 1);
  }

  __device__ __forceinline__ void run() {
    const SpatialGrid grid = job.grid;
    const int own_slot = first_slot + min(lane % listed_rows, rows - 1);
    const PackedRow<Mixed> own = job.coarse[own_slot];
    origin = {__shfl_sync(0xffffffffU, own.x, 0), __shfl_sync(0xffffffffU, own.y, 0),
              __shfl_sync(0xffffffffU, own.z, 0), 0};
    const int x = own.x - origin.x, y = own.y - origin.y, z = own.z - origin.z;
    const int low[3] = {smallest(x), smallest(y), smallest(z)};
    const int high[3] = {largest(x), largest(y), largest(z)};
    const float reach_nm = job.distance_nm + list_margin_nm;
    reach_squared = reach_nm * reach_nm;
    Range* const range_of = shared.range;  // identical on all lanes
    float low_nm[3], high_nm[3];
    exact = false;
    const int origin_of[3] = {origin.x, origin.y, origin.z};
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      // A cell's edge is accurate to a millionth of the occupied range.
      const Range found_range =
          range(grid, axis, origin_of[axis], low[axis], high[axis], reach_nm + 1e-2F);
      if (lane == 0) range_of[axis] = found_range;
      low_nm[axis] = static_cast<float>(low[axis]) * grid.nm[axis];
      high_nm[axis] = static_cast<float>(high[axis]) * grid.nm[axis];
      const float half = 0.99F * 0x1p31F * grid.nm[axis];
      exact |= high_nm[axis] - low_nm[axis] + reach_nm > half;
    }
    bool may_meet_ghosts = with_ghosts && grid.ghosts_apart && job.first_copy == nullptr;
    if (lane < listed_rows) {
      const int row = job.row_of_slot[own_slot];
      if (with_ghosts && grid.ghosts_apart && job.first_copy != nullptr) {
        may_meet_ghosts = job.first_copy[row] >= 0;
      }
      const float own_reach = lane < rows ? reach_squared : -1.0F;
      shared.row[lane] =
          exact
              ? make_float4(__int_as_float(x), __int_as_float(y), __int_as_float(z), own_reach)
              : make_float4(static_cast<float>(x) * grid.nm[0], static_cast<float>(y) * grid.nm[1],
                            static_cast<float>(z) * grid.nm[2], own_reach);
      const Exclusions::Span span = job.excluded.span[row];
      shared.target[lane] = {span.least, static_cast<unsigned>(span.most - span.least),
                             job.list.entry + job.list.begin(own_slot)};
      shared.local_row[lane] = row;
      if (job.chain != nullptr && lane < rows) {
        const ChainNeighbours chain = job.chain[row];
        const ChainNeighbours slots{chain.before < 0 ? -1 : job.slot_of_row[chain.before],
                                    chain.after < 0 ? -1 : job.slot_of_row[chain.after]};
        job.chain_slot[own_slot] = slots;
        if constexpr (with_ghosts) {
          met_ghost = max(slots.before, slots.after) >= job.list.selected;
        }
      }
    }
    __syncwarp();

    const int nx = range_of[0].count, ny = range_of[1].count, nz = range_of[2].count;
    const int cells = nx * ny * nz;
    const bool searches_ghosts = with_ghosts && __any_sync(0xffffffffU, may_meet_ghosts);
    const float prune = (reach_nm + 1e-2F) * (reach_nm + 1e-2F);
    // This lane's cell and the increments to the one 32 further, which save a division.
    int ix = lane % nx, iy = lane / nx % ny, iz = lane / (nx * ny);
    const int step_x = 32 % nx, step_y = 32 / nx % ny, step_z = 32 / (nx * ny);
    for (int base = 0; base < cells; base += 32) {
      int members = 0, from = 0, ghosts = 0, ghosts_from = 0;
      if (base + lane < cells) {
        const float gx = gap(range_of[0], ix, low_nm[0], high_nm[0]);
        const float gy = gap(range_of[1], iy, low_nm[1], high_nm[1]);
        const float gz = gap(range_of[2], iz, low_nm[2], high_nm[2]);
        if (gx * gx + gy * gy + gz * gz < prune) {
          const int cx = (range_of[0].first + ix) & ((1 << grid.coarse_bits(0)) - 1);
          const int cy = (range_of[1].first + iy) & ((1 << grid.coarse_bits(1)) - 1);
          const int cz = (range_of[2].first + iz) & ((1 << grid.coarse_bits(2)) - 1);
          const int place = grid.coarse_curve_index(cx, cy, cz);
          const int* const first = job.first + grid.first_key_of_coarse(place);
          from = first[0];
          members = first[grid.coarse_keys()] - from;
          from -= job.before;
          if (searches_ghosts) {
            const int* const of_ghosts = job.first + grid.ghost_key_of_coarse(place);
            ghosts_from = of_ghosts[0];
            ghosts = of_ghosts[1] - ghosts_from;
            ghosts_from -= job.before;
          }
        }
      }
      ix += step_x;
      iy += step_y;
      iz += step_z;
      if (ix >= nx) {
        ix -= nx;
        ++iy;
      }
      if (iy >= ny) {
        iy -= ny;
        ++iz;
      }
      const int owned_members = number_members(0, members, from);
      int ghost_members = 0;
      if (with_ghosts && __any_sync(0xffffffffU, ghosts > 0)) {
        ghost_members = number_members(1, ghosts, ghosts_from);
      }
      take_members(owned_members, ghost_members, low_nm, high_nm);
    }
    if (waiting > 0) compare_waiting(waiting);

    int own_found = 0;
#pragma unroll
    for (int r = 0; r < listed_rows; ++r) own_found = lane == r ? found[r] : own_found;
    if (lane < rows) {
      job.list.count[own_slot] = own_found;
      if (own_found > job.list.capacity) atomicMax(job.wanted, own_found);
    }
    if constexpr (with_ghosts) {
      if (__any_sync(0xffffffffU, met_ghost) && lane == 0) {
        GhostBlocks{job.border}.add(first_slot >> job.block_rows_log2);
      }
    }
  }
};

/// Lists the rows of one block. `job` is a parameter, so that its members are kernel constants.
template <class Search, int listed_rows>
__device__ __forceinline__ void list_block(const ListJob& job, typename Search::Shared& shared,
                                           int block) {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int first_slot = (block * list_search_warps + warp) * listed_rows;
  const int last_slot = min(first_slot + listed_rows, job.list.selected);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (int slot = first_slot; slot < last_slot;) {
    const int rows = Search::count_near_rows(job, lane, slot, last_slot);
    Search search{job, shared, lane, slot, rows};
    search.run();
    slot += rows;
    __syncwarp();
  }
}

/// Builds both lists in one launch: blocks of the first, then of the second.
template <int listed_rows, bool with_ghosts>
__global__ void __launch_bounds__(32 * list_search_warps, list_blocks_resident)
    list_neighbours(const __grid_constant__ ListJob first, const __grid_constant__ ListJob second,
                    int first_blocks) {
  using Search = ListSearch<listed_rows, with_ghosts>;
  __shared__ typename Search::Shared shared[list_search_warps];
  auto& own = shared[threadIdx.x / 32];
  const int block = static_cast<int>(blockIdx.x);
  wait_for_previous_kernel();
  if (block < first_blocks) {
    list_block<Search, listed_rows>(first, own, block);
  } else {
    list_block<Search, listed_rows>(second, own, block - first_blocks);
  }
}

#endif

}  // namespace nfold::kernels
