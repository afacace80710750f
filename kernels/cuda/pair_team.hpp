// GPU pair forces: a team of lanes sums over the neighbours of one residue.
// SPDX-License-Identifier: BSD-3-Clause
//
// In mixed precision a force is rounded by adding 1.5 * 2^23 quanta and summed as the bits of the
// result, which costs one addition more than a sum of floats. This is valid up to 2^22 quanta. A
// lane with a larger force repeats its list with conversions, 64-bit sums and the explosion flag,
// like the portable loop. Both ways round to the nearest quantum, so they agree bit by bit.
#pragma once

#include "kernels/arithmetic/fixed_point.hpp"
#include "kernels/arithmetic/force_rounding.hpp"
#include "kernels/cuda/peer_halo.hpp"
#include "kernels/cuda/team_lists.hpp"
#include "kernels/loops/gathered_force.hpp"
#include "kernels/loops/pair_rows.hpp"
#include "kernels/potentials/bond.hpp"

namespace nfold::kernels {

/// Identical bonds along chains, added to the pair forces. A residue has at most one on each side,
/// each with a lane of its own, so teams have two or more lanes.
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
  ForceRow<Precision>* force;  // (owned rows, or slots if row_of_slot is null)
  const int* row_of_slot;
  GhostBlocks border;
  PairForceLimits<Real> limits;
  ChainBonds<Precision> chain;
  int types;  // types in rows.by_type; 0: no such table
  int* exploded;
};

#ifdef __CUDACC__

/// Returns the larger number, NaN if either is NaN.
__device__ __forceinline__ float larger_or_nan(float a, float b) {
  float larger;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(a), "f"(b));
  return larger;
}

template <class Precision, class Pair>
struct PairTeam {
  using Real = typename Precision::Real;
  using Quanta = typename Precision::Quanta;
  const TeamJob<Precision, Pair>& job;
  RowTable<Precision> rows;  // its by_type may point to shared memory
  int slot, lane_of_team;

  struct One {
    Real dx, dy, dz, f;  // force = f * d [quanta]
  };
  /// Returns the pair force of the neighbour in slot `other`.
  template <class Own>
  __device__ __forceinline__ One one(const Partners<Precision>& mine, const Own& own,
                                     int other) const {
    Partners<Precision> p;
    rows.template read<Pair::columns>(other, p);
    One o;
    o.dx = Precision::to_nm(Precision::difference(mine.x[0], p.x[0]), job.scale.x);
    o.dy = Precision::to_nm(Precision::difference(mine.y[0], p.y[0]), job.scale.y);
    o.dz = Precision::to_nm(Precision::difference(mine.z[0], p.z[0]), job.scale.z);
    const Real r2 = squared_length(o.dx, o.dy, o.dz);
    const bool acts = job.pair.in_range(r2, own, p, 0);
    const Real any = job.pair.force_over_distance(r2, own, p, 0);
    o.f = acts ? any : Real(0);
    return o;
  }

  /// Sums like the portable loop: saturates, flags and adds in 64 bits.
  __device__ __forceinline__ void add_wide(std::int64_t* total) const {
    Partners<Precision> mine;
    rows.template read<Pair::columns>(slot, mine);
    const auto own = job.pair.own(mine);
    const int count = job.list.length(slot);
    const Real largest = job.limits.largest;
    bool bad = false;
    // Same part of the list as in add_fast: other lanes may have finished theirs.
    for (int k = lane_of_team; k < count; k += 1 << job.list.lanes_log2) {
      const One o = one(mine, own, job.list.entry_at(slot, k));
      const Real clamped = clamped_force(o.f, largest, bad);
      total[0] += Precision::product(clamped, o.dx);
      total[1] += Precision::product(clamped, o.dy);
      total[2] += Precision::product(clamped, o.dz);
    }
    if (bad) *job.exploded = 1;
  }

  /// First list data of this lane, read while coordinates are still in flight.
  struct Begun {
    int count = 0;
    int bonded = -1;  // slot of the residue bonded to this lane's; -1: none
    int place = 0;    // index of the force
    int4 four{};
  };
  __device__ __forceinline__ Begun begin(bool active) const {
    Begun b;
    if (!active) return b;
    b.count = job.list.length(slot);
    // Unconditional, so that nothing waits for the count.
    b.four = __ldcs(reinterpret_cast<const int4*>(first_entry()));
    if (job.chain.neighbour != nullptr) b.bonded = bonded();
    b.place = job.row_of_slot == nullptr ? slot : job.row_of_slot[slot];
    return b;
  }
  /// Returns the bonded slot: the residue before for the first lane of a team, the one after for
  /// the second.
  [[nodiscard]] __device__ __forceinline__ int bonded() const {
    if (lane_of_team > 1) return -1;
    const ChainNeighbours* const both = job.chain.neighbour + slot;
    return lane_of_team == 0 ? both->before : both->after;
  }
  [[nodiscard]] __device__ __forceinline__ const int* first_entry() const {
    return job.list.entry + job.list.begin(slot) + 4 * lane_of_team;
  }

  /// Passes the pairs of this lane's part of the list on, two at a time where possible.
  template <class TakeOne, class TakeTwo>
  __device__ __forceinline__ void for_entries(const Begun& begun, const TakeOne& take_one,
                                              const TakeTwo& take_two) const {
    Partners<Precision> mine;
    rows.template read<Pair::columns>(slot, mine);
    const auto own = job.pair.own(mine);
    const int team = 1 << job.list.lanes_log2;
    const int* entry = first_entry();
    // The next four entries are loaded while these are processed; entries beyond the end of the
    // list are not used.
    int4 next = begun.four;
    int left = begun.count;
    for (; left >= 4 * team; left -= 4 * team) {
      const int4 four = next;
      entry += 128;
      if (left > 4 * team) next = __ldcs(reinterpret_cast<const int4*>(entry));
      take_two(one(mine, own, four.x), one(mine, own, four.y));
      take_two(one(mine, own, four.z), one(mine, own, four.w));
    }
    for (int k = lane_of_team; k < left; k += team) {
      take_one(one(mine, own, next.x));
      next = {next.y, next.z, next.w, next.w};
    }
  }

  /// Adds to the total. Returns false if a force was too large for this method.
  __device__ __forceinline__ bool add_fast(const Begun& begun, std::int32_t* total) const {
    constexpr Real magic = Precision::magic;
    auto x = static_cast<std::uint32_t>(total[0]), y = static_cast<std::uint32_t>(total[1]),
         z = static_cast<std::uint32_t>(total[2]);  // may wrap in between
    Real largest = 0;
    const auto rounded = [](Real f, Real d) {
      return static_cast<std::uint32_t>(to_bits(fused(f, d, magic)));
    };
    const auto take_one = [&](const One& a) {
      largest = larger_or_nan(largest, fabsf(a.f));
      x += rounded(a.f, a.dx);
      y += rounded(a.f, a.dy);
      z += rounded(a.f, a.dz);
    };
    const auto take_two = [&](const One& a, const One& b) {
      largest = larger_or_nan(larger_or_nan(largest, fabsf(a.f)), fabsf(b.f));
      // One instruction adds three numbers.
      x = x + rounded(a.f, a.dx) + rounded(b.f, b.dx);
      y = y + rounded(a.f, a.dy) + rounded(b.f, b.dy);
      z = z + rounded(a.f, a.dz) + rounded(b.f, b.dz);
    };
    for_entries(begun, take_one, take_two);
    const int team = 1 << job.list.lanes_log2;
    const auto terms =
        static_cast<std::uint32_t>((begun.count + team - 1 - lane_of_team) >> job.list.lanes_log2);
    const std::uint32_t offset = terms * static_cast<std::uint32_t>(to_bits(magic));
    total[0] = static_cast<std::int32_t>(x - offset);
    total[1] = static_cast<std::int32_t>(y - offset);
    total[2] = static_cast<std::int32_t>(z - offset);
    return largest <= job.limits.small;
  }

  /// Sums floats, without bit reproducibility, for timing only; the rest of the work is the same.
  template <class Ready>
  __device__ __forceinline__ void run_with_float_sums(bool active, const Begun& begun,
                                                      const Ready& table_is_ready) const {
    Real sum[3] = {0, 0, 0};
    Quanta bond[3] = {0, 0, 0};
    add_bond(bond, begun.bonded);
    table_is_ready();
    if (active) {
      for (int axis = 0; axis < 3; ++axis) sum[axis] = static_cast<Real>(bond[axis]);
      const auto take_one = [&](const One& a) {
        sum[0] = fused(a.f, a.dx, sum[0]);
        sum[1] = fused(a.f, a.dy, sum[1]);
        sum[2] = fused(a.f, a.dz, sum[2]);
      };
      for_entries(begun, take_one, [&](const One& a, const One& b) {
        take_one(a);
        take_one(b);
      });
    }
    reduce(sum);
    if (!active || lane_of_team != 0) return;
    const Quanta rounded[3] = {Precision::quanta(sum[0]), Precision::quanta(sum[1]),
                               Precision::quanta(sum[2])};
    store(rounded, begun.place);
  }

  /// Adds this lane's bond, rounded like in kernels::TermForceLoop.
  __device__ __forceinline__ void add_bond(Quanta* total, int other) const {
    if (other < 0) return;
    const bool is_before = lane_of_team == 0;
    const PackedRow<Precision> a = rows.row[is_before ? other : slot];
    const PackedRow<Precision> b = rows.row[is_before ? slot : other];
    const Real d[3] = {Precision::to_nm(Precision::difference(b.x, a.x), job.scale.x),
                       Precision::to_nm(Precision::difference(b.y, a.y), job.scale.y),
                       Precision::to_nm(Precision::difference(b.z, a.z), job.scale.z)};
    Real f[3 * Bond::ends];
    Bond::forces(d, job.chain.parameter, f);
    bool bad = false;
    for (int axis = 0; axis < 3; ++axis) {
      const Quanta q = flagged_quanta<Precision>(f[axis], bad);
      total[axis] += is_before ? -q : q;
    }
    if (bad) *job.exploded = 1;
  }

  /// Computes one row per team. All lanes of the warp call this; table_is_ready() waits for
  /// rows.by_type.
  template <class Ready>
  __device__ __forceinline__ void run(bool active, const Begun& begun,
                                      const Ready& table_is_ready) const {
    if constexpr (sizeof(Quanta) == 8) {
      table_is_ready();
      run_wide(active, active, nullptr, begun.place);
    } else {
      std::int32_t sum[3] = {0, 0, 0};
      bool is_beyond = false;
      add_bond(sum, begun.bonded);
      table_is_ready();
      if (active) is_beyond = !add_fast(begun, sum);  // far below 2^31; a bond is below 2^26
      if (__any_sync(0xffffffffU, is_beyond)) {
        run_wide_out_of_line(job, rows, slot, lane_of_team, active, is_beyond, sum[0], sum[1],
                             sum[2], begun.place);
        return;
      }
      reduce(sum);
      if (active && lane_of_team == 0) store(sum, begun.place);
    }
  }

 private:
  /// Calls run_wide() out of line, with arguments in registers, so that the fast method needs no
  /// stack.
  static __device__ __noinline__ void run_wide_out_of_line(const TeamJob<Precision, Pair>& job,
                                                           RowTable<Precision> rows, int slot,
                                                           int lane_of_team, bool active,
                                                           bool is_beyond, int x, int y, int z,
                                                           int place) {
    const std::int32_t sum[3] = {x, y, z};
    PairTeam{job, rows, slot, lane_of_team}.run_wide(active, is_beyond, sum, place);
  }
  /// Repeats the sum in lanes that are beyond the fast method; the others pass its sum.
  __device__ __forceinline__ void run_wide(bool active, bool is_beyond, const std::int32_t* sum,
                                           int place) const {
    std::int64_t total[3] = {0, 0, 0};
    if (active && is_beyond) {
      Quanta bond[3] = {0, 0, 0};
      if (job.chain.neighbour != nullptr) add_bond(bond, bonded());
      for (int axis = 0; axis < 3; ++axis) total[axis] = bond[axis];
      add_wide(total);
    } else if (active) {
      for (int axis = 0; axis < 3; ++axis) total[axis] = sum[axis];
    }
    reduce(total);
    if (active && lane_of_team == 0) store(total, place);
  }
  template <class Sum>
  __device__ __forceinline__ void reduce(Sum* sum) const {
    for (int step = (1 << job.list.lanes_log2) / 2; step > 0; step /= 2) {
      for (int axis = 0; axis < 3; ++axis) {
        sum[axis] += __shfl_xor_sync(0xffffffffU, sum[axis], step);
      }
    }
  }
  template <class Sum>
  __device__ __forceinline__ void store(const Sum* sum, int place) const {
    ForceRow<Precision> force{};
    force.x = within(sum[0]);
    force.y = within(sum[1]);
    force.z = within(sum[2]);
    job.force[place] = force;
  }
  /// Clamps a total to its type; a total beyond it is out of range for any step, so the step
  /// explodes.
  template <class Sum>
  __device__ __forceinline__ Quanta within(Sum total) const {
    if constexpr (sizeof(Quanta) < sizeof(Sum)) {
      constexpr std::int64_t limit = 0x7fffffff;
      if (total > limit || total < -limit) {
        *job.exploded = 1;
        return static_cast<Quanta>(total > 0 ? limit : -limit);
      }
    }
    return static_cast<Quanta>(total);
  }
};

/// Variant of a force launch.
enum class ForceForm {
  whole,      // all blocks
  part,       // blocks without ghosts, or the others if ForceJobs::runs_ghost_blocks
  waiting,    // all blocks; those with ghosts wait for the ghosts: lists_are_settled is required
  float_sums  // all blocks, for timing only
};

/// All forces in one launch: blocks of teams for each list, then terms.
template <class Precision, class Pair, class Charge, class Terms>
struct ForceJobs {
  TeamJob<Precision, Pair> pairs;
  TeamJob<Precision, Charge> charges;
  Terms terms;
  int pair_blocks, charge_blocks, term_items;
  HaloFlags flags;
  bool lists_are_settled;  // the kernel before does not rebuild the lists
  bool runs_ghost_blocks;

  [[nodiscard]] int blocks() const {
    return pair_blocks + charge_blocks + (term_items + pair_block - 1) / pair_block;
  }
};

/// Runs the teams of a block. wait: waits for the coordinates; table_is_ready: see PairTeam.
template <bool float_sums, class Precision, class Pair, class Wait, class Ready>
__device__ __forceinline__ void run_team(const TeamJob<Precision, Pair>& job,
                                         const RowTable<Precision>& rows, int block,
                                         bool lists_are_settled, const Wait& wait,
                                         const Ready& table_is_ready) {
  const int thread = block * pair_block + static_cast<int>(threadIdx.x);
  const int slot = thread >> job.list.lanes_log2;
  const int lane_of_team = thread & ((1 << job.list.lanes_log2) - 1);
  const PairTeam<Precision, Pair> team{job, rows, slot, lane_of_team};
  const bool active = slot < job.list.selected;
  if (!lists_are_settled) wait();
  const auto begun = team.begin(active);
  if (lists_are_settled) wait();
  if constexpr (float_sums) {
    team.run_with_float_sums(active, begun, table_is_ready);
  } else {
    team.run(active, begun, table_is_ready);
  }
}

/// Minimum of resident blocks per multiprocessor: fewer registers, 1 to 3 % faster.
template <class Precision>
inline constexpr int pair_blocks_resident = sizeof(typename Precision::Real) == 4 ? 10 : 1;

/// Computes all forces. Blocks run in spatial order, even those that wait for ghosts: a table that
/// put these last made each block read its number first (7 % of the forces of 1 M residues per
/// GPU), while only the first few blocks start before the ghosts arrive.
template <ForceForm form, bool with_terms, class Jobs, class Precision>
__global__ void __launch_bounds__(pair_block, pair_blocks_resident<Precision>)
    all_forces(const __grid_constant__ Jobs jobs) {
  using Mixing = TypeMixing<typename Precision::Real>;
  __shared__ Mixing by_type[types_at_most];
  // Charged rows, few with long lists, come first: the last blocks should be short.
  const int block = static_cast<int>(blockIdx.x);
  const auto has_ghosts_here = [&] {
    const int of_pairs = block - jobs.charge_blocks;
    if (of_pairs >= jobs.pair_blocks) return jobs.runs_ghost_blocks;
    return of_pairs < 0 ? jobs.charges.border.holds(block) : jobs.pairs.border.holds(of_pairs);
  };
  bool has_ghosts = false;
  if constexpr (form == ForceForm::waiting) has_ghosts = has_ghosts_here();
  const auto wait = [&] {
    wait_for_previous_kernel();
    if constexpr (form == ForceForm::waiting) {
      if (blockIdx.x == 0) raise_flags(jobs.flags);
      if (has_ghosts) wait_for_flags(jobs.flags);
    }
  };
  if constexpr (form == ForceForm::part) {
    wait();  // even without work: the next kernel relies on it
    if (has_ghosts_here() != jobs.runs_ghost_blocks) return;
  }
  constexpr bool float_sums = form == ForceForm::float_sums;
  if (block < jobs.charge_blocks) {
    run_team<float_sums>(jobs.charges, jobs.charges.rows, block, jobs.lists_are_settled, wait,
                         [] {});
  } else if (block < jobs.charge_blocks + jobs.pair_blocks) {
    // Not unrolled: computing the trip count would take longer.
#pragma unroll 1
    for (int t = static_cast<int>(threadIdx.x); t < jobs.pairs.types; t += pair_block) {
      by_type[t] = jobs.pairs.rows.by_type[t];
    }
    run_team<float_sums>(jobs.pairs, RowTable<Precision>{jobs.pairs.rows.row, by_type},
                         block - jobs.charge_blocks, jobs.lists_are_settled, wait,
                         [] { __syncthreads(); });
  } else if constexpr (with_terms) {
    wait();
    const int item = (block - jobs.pair_blocks - jobs.charge_blocks) * pair_block +
                     static_cast<int>(threadIdx.x);
    if (item < jobs.term_items) jobs.terms(item);
  }
}

#endif

}  // namespace nfold::kernels
