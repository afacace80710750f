// Pair forces on the GPU: a team of lanes sums over the neighbours of one residue.
// SPDX-License-Identifier: BSD-3-Clause
//
// In mixed precision a force is rounded by adding 1.5 * 2^23 quanta and summed as the bits of that
// number, which costs one addition more than a sum of floats. That holds up to 2^22 quanta; a lane
// that meets more does its list again with conversions, 64-bit sums and the flag of an explosion,
// as the portable loop does. Both ways round to the nearest quantum, so they agree bit by bit.
#pragma once

#include "kernels/bond.hpp"
#include "kernels/cuda/peer_halo.hpp"
#include "kernels/cuda/team_lists.hpp"
#include "kernels/fixed_point.hpp"
#include "kernels/gathered_force.hpp"
#include "kernels/pair_rows.hpp"

namespace nfold::kernels {

inline constexpr int pair_block_log2 = 7;
inline constexpr int pair_block = 1 << pair_block_log2;  // threads

/// Bonds along chains, all alike, added to the pair forces: a residue has at most one on each side.
template <class Precision>
struct ChainBonds {
  const ChainNeighbours* neighbour;  // (owned slots) slots; null: no such bonds
  typename Precision::Real parameter[Bond::parameters];
};

/// Lists, records and output of one potential.
template <class Precision, class Pair>
struct TeamJob {
  using Real = typename Precision::Real;
  Pair pair;
  RowTable<Precision> rows;
  TeamLists list;
  Scale<Real> scale;
  ForceRow<Precision>* force;        // (owned slots)
  Real largest_force_over_distance;  // [quanta/nm] beyond it a component might leave its range
  ChainBonds<Precision> chain;
  int types;  // of rows.by_type; 0: no such table
  int* exploded;
};

#ifdef __CUDACC__

template <class Precision, class Pair>
struct PairTeam {
  using Real = typename Precision::Real;
  using Quanta = typename Precision::Quanta;
  const TeamJob<Precision, Pair>& job;
  RowTable<Precision> rows;  // the table of types may stand in shared memory
  int slot, lane_of_team;

  struct One {
    Real dx, dy, dz, f;  // force = f * d [quanta]
  };
  /// What the neighbour at `other` does; zero where it does not count.
  template <class Own>
  __device__ __forceinline__ One one(const Partners<Precision>& mine, const Own& own, int other,
                                     bool counts) const {
    Partners<Precision> p;
    rows.template read<Pair::columns>(other, p);
    One o;
    o.dx = Precision::to_nm(Precision::difference(mine.x[0], p.x[0]), job.scale.x);
    o.dy = Precision::to_nm(Precision::difference(mine.y[0], p.y[0]), job.scale.y);
    o.dz = Precision::to_nm(Precision::difference(mine.z[0], p.z[0]), job.scale.z);
    const Real r2 = squared_length(o.dx, o.dy, o.dz);
    const bool acts = counts & job.pair.in_range(r2, own, p, 0);
    const Real any = job.pair.force_over_distance(r2, own, p, 0);
    o.f = acts ? any : Real(0);
    return o;
  }

  /// As the portable loop: saturates, flags, adds up in 64 bits.
  __device__ __noinline__ void wide(std::int64_t* total) const {
    Partners<Precision> mine;
    rows.template read<Pair::columns>(slot, mine);
    const auto own = job.pair.own(mine);
    const int count = job.list.length(slot);
    const Real largest = job.largest_force_over_distance;
    total[0] = total[1] = total[2] = 0;
    bool bad = false;
    // The same share of the list as the fast form has: other lanes may have done with theirs.
    for (int k = lane_of_team; k < count; k += 1 << job.list.lanes_log2) {
      const One o = one(mine, own, job.list.entry_at(slot, k), true);
      const Real low = o.f > -largest ? o.f : -largest;
      const Real clamped = low < largest ? low : largest;
      bad |= !(clamped == o.f);
      total[0] += Precision::product(clamped, o.dx);
      total[1] += Precision::product(clamped, o.dy);
      total[2] += Precision::product(clamped, o.dz);
    }
    if (bad) *job.exploded = 1;
  }

  /// What the lists hold for this lane first: read while coordinates are still on their way.
  struct Begun {
    int count = 0;
    int4 four{};
  };
  __device__ __forceinline__ Begun begin(bool active) const {
    Begun b;
    if (!active) return b;
    b.count = job.list.length(slot);
    // Not only where there are so many: nothing then waits for the count.
    b.four = __ldcs(reinterpret_cast<const int4*>(first_entry()));
    return b;
  }
  [[nodiscard]] __device__ __forceinline__ const int* first_entry() const {
    return job.list.entry + job.list.begin(slot) + 4 * lane_of_team;
  }

  /// False if a term was beyond what this form can sum.
  __device__ __forceinline__ bool fast(const Begun& begun, std::int32_t* total) const {
    constexpr Real magic = Precision::magic;
    // No component reaches 2^22 quanta as long as F/r stays below this.
    const Real largest = job.largest_force_over_distance * Real(0x1p-4);
    Partners<Precision> mine;
    rows.template read<Pair::columns>(slot, mine);
    const auto own = job.pair.own(mine);
    const int count = begun.count;
    const int team = 1 << job.list.lanes_log2;
    const int* entry = first_entry();
    std::uint32_t x = 0, y = 0, z = 0, terms = 0;  // sums may wrap on the way
    bool beyond = false;
    const auto add = [&](int other, bool counts) {
      const One o = one(mine, own, other, counts);
      beyond = beyond | !(fabsf(o.f) <= largest);
      x += static_cast<std::uint32_t>(bits_of(fused(o.f, o.dx, magic)));
      y += static_cast<std::uint32_t>(bits_of(fused(o.f, o.dy, magic)));
      z += static_cast<std::uint32_t>(bits_of(fused(o.f, o.dz, magic)));
    };
    // The next four entries are on their way while these are worked on; what is read beyond the
    // list's end is not looked at.
    int4 next = begun.four;
    int first = 0;  // of the chunk
    for (; first + 4 * team <= count; first += 4 * team) {
      const int4 four = next;
      entry += 128;
      if (first + 4 * team < count) next = __ldcs(reinterpret_cast<const int4*>(entry));
      add(four.x, true);
      add(four.y, true);
      add(four.z, true);
      add(four.w, true);
      terms += 4;
    }
    for (int k = first + lane_of_team; k < count; k += team) {
      add(next.x, true);
      next = {next.y, next.z, next.w, next.w};
      ++terms;
    }
    const std::uint32_t offset = terms * static_cast<std::uint32_t>(bits_of(magic));
    total[0] = static_cast<std::int32_t>(x - offset);
    total[1] = static_cast<std::int32_t>(y - offset);
    total[2] = static_cast<std::int32_t>(z - offset);
    return !beyond;
  }

  /// The bond to one side, as kernels::TermForceLoop has it.
  __device__ __forceinline__ void add_bond(Quanta* total, int side) const {
    const ChainNeighbours both = job.chain.neighbour[slot];
    const int other = side == 0 ? both.before : both.after;
    if (other < 0) return;
    const PackedRow<Precision> a = rows.row[side == 0 ? other : slot];
    const PackedRow<Precision> b = rows.row[side == 0 ? slot : other];
    const Real d[3] = {Precision::to_nm(Precision::difference(b.x, a.x), job.scale.x),
                       Precision::to_nm(Precision::difference(b.y, a.y), job.scale.y),
                       Precision::to_nm(Precision::difference(b.z, a.z), job.scale.z)};
    Real f[3 * Bond::ends];
    Bond::forces(d, job.chain.parameter, f);
    bool bad = false;
    for (int axis = 0; axis < 3; ++axis) {
      const Quanta q = Precision::quanta(f[axis]);
      bad |= !Precision::in_range(f[axis]);
      total[axis] += side == 0 ? -q : q;
    }
    if (bad) *job.exploded = 1;
  }

  /// All lanes of the warp call this.
  __device__ __forceinline__ void run(bool active, const Begun& begun) const {
    std::int64_t total[3] = {0, 0, 0};
    std::int32_t sum[3] = {0, 0, 0};
    Quanta bond[3] = {0, 0, 0};
    if (active && job.chain.neighbour != nullptr) {
      for (int side = lane_of_team; side < 2; side += 1 << job.list.lanes_log2) {
        add_bond(bond, side);
      }
    }
    bool needs_width = sizeof(Quanta) == 8;
    if constexpr (sizeof(Quanta) == 4) {
      if (active) needs_width = !fast(begun, sum);
    }
    // A bond is below 2^26 quanta, the fast sums below 2^31 by far.
    if (__any_sync(0xffffffffU, needs_width)) {
      if (active && needs_width) {
        wide(total);
      } else {
        for (int axis = 0; axis < 3; ++axis) total[axis] = sum[axis];
      }
      for (int axis = 0; axis < 3; ++axis) total[axis] += bond[axis];
      reduce(total);
    } else {
      for (int axis = 0; axis < 3; ++axis) sum[axis] += static_cast<std::int32_t>(bond[axis]);
      reduce(sum);
      for (int axis = 0; axis < 3; ++axis) total[axis] = sum[axis];
    }
    if (!active || lane_of_team != 0) return;
    ForceRow<Precision> force{};
    force.x = within(total[0]);
    force.y = within(total[1]);
    force.z = within(total[2]);
    job.force[slot] = force;
  }

 private:
  template <class Sum>
  __device__ __forceinline__ void reduce(Sum* sum) const {
    for (int step = (1 << job.list.lanes_log2) / 2; step > 0; step /= 2) {
      for (int axis = 0; axis < 3; ++axis) {
        sum[axis] += __shfl_xor_sync(0xffffffffU, sum[axis], step);
      }
    }
  }
  /// A total that its type cannot hold is beyond what any step takes, so the step explodes.
  __device__ __forceinline__ Quanta within(std::int64_t total) const {
    if constexpr (sizeof(Quanta) == 4) {
      constexpr std::int64_t limit = 0x7fffffff;
      if (total > limit || total < -limit) {
        *job.exploded = 1;
        return static_cast<Quanta>(total > 0 ? limit : -limit);
      }
    }
    return static_cast<Quanta>(total);
  }
};

/// Forces of all kinds in one launch: blocks of teams for each list, then terms.
template <class Precision, class Pair, class Charge, class Terms>
struct ForceJobs {
  TeamJob<Precision, Pair> pairs;
  TeamJob<Precision, Charge> charges;
  Terms terms;
  int pair_blocks, charge_blocks, term_items;
  const char *pair_is_border, *charge_is_border;  // (blocks) 1: has to wait for ghosts
  HaloFlags flags;
  bool lists_are_settled;  // the kernel before makes none

  [[nodiscard]] int blocks() const {
    return pair_blocks + charge_blocks + (term_items + pair_block - 1) / pair_block;
  }
};

/// wait: for the coordinates.
template <class Precision, class Pair, class Wait>
__device__ __forceinline__ void run_team(const TeamJob<Precision, Pair>& job,
                                         const RowTable<Precision>& rows, int block,
                                         bool lists_are_settled, const Wait& wait) {
  const int thread = block * pair_block + static_cast<int>(threadIdx.x);
  const int slot = thread >> job.list.lanes_log2;
  const int lane_of_team = thread & ((1 << job.list.lanes_log2) - 1);
  const PairTeam<Precision, Pair> team{job, rows, slot, lane_of_team};
  const bool active = slot < job.list.selected;
  if (!lists_are_settled) wait();
  const auto begun = team.begin(active);
  if (lists_are_settled) wait();
  team.run(active, begun);
}

/// Blocks that shall find room on a multiprocessor: a few registers fewer, 1 to 3 % more speed.
template <class Precision>
inline constexpr int pair_blocks_resident = sizeof(typename Precision::Real) == 4 ? 10 : 1;

/// with_halo: blocks with ghosts wait for these; the lists must be settled then. All blocks run in
/// spatial order nevertheless: a table that put those with ghosts last cost each block the time of
/// reading its number (7 % of the forces of 1 M residues a GPU), while only the first few blocks
/// come before the ghosts.
template <bool with_terms, bool with_halo, class Jobs, class Precision>
__global__ void __launch_bounds__(pair_block, pair_blocks_resident<Precision>)
    all_forces(const __grid_constant__ Jobs jobs) {
  using Mixing = TypeMixing<typename Precision::Real>;
  __shared__ Mixing by_type[types_at_most];
  // The long lists of the few charged rows first: what ends last should be short.
  const int block = static_cast<int>(blockIdx.x);
  bool has_ghosts = false;
  if constexpr (with_halo) {
    const char* const is_border = block < jobs.charge_blocks
                                      ? jobs.charge_is_border + block
                                      : jobs.pair_is_border + (block - jobs.charge_blocks);
    has_ghosts = *is_border != 0;
  }
  const auto wait = [&] {
    wait_for_previous_kernel();
    if constexpr (with_halo) {
      if (blockIdx.x == 0) raise_flags(jobs.flags);
      if (has_ghosts) wait_for_flags(jobs.flags);
    }
  };
  if (block < jobs.charge_blocks) {
    run_team(jobs.charges, jobs.charges.rows, block, jobs.lists_are_settled, wait);
  } else if (block < jobs.charge_blocks + jobs.pair_blocks) {
    for (int t = static_cast<int>(threadIdx.x); t < jobs.pairs.types; t += pair_block) {
      by_type[t] = jobs.pairs.rows.by_type[t];
    }
    __syncthreads();
    run_team(jobs.pairs, RowTable<Precision>{jobs.pairs.rows.row, by_type},
             block - jobs.charge_blocks, jobs.lists_are_settled, wait);
  } else if constexpr (with_terms) {
    wait();
    const int item = (block - jobs.pair_blocks - jobs.charge_blocks) * pair_block +
                     static_cast<int>(threadIdx.x);
    if (item < jobs.term_items) jobs.terms(item);
  }
}

#endif

}  // namespace nfold::kernels
