// How resident replicas are laid over the processor, and the launch that advances them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dynamics/device_array.hpp"
#include "dynamics/launch.hpp"
#include "dynamics/resident_tables.hpp"
#ifdef KOKKOS_ENABLE_CUDA
#include "kernels/cuda/resident_steps.hpp"
#else
#include "kernels/resident_lanes.hpp"
#endif

namespace nfold::dynamics {

/// Thickness of the shell of a list, if the input leaves it open: on an H200 and on a CPU lists are
/// made anew every 15 to 30 steps with it, and are a third longer than what acts.
inline constexpr double resident_skin_nm = on_host ? 0.2 : 0.12;

struct ResidentShape {
  int width = 0;  ///< replicas of a group
  int groups = 0;
#ifdef KOKKOS_ENABLE_CUDA
  int threads = 0;  ///< of a block, which has a group
  kernels::ResidentRole terms{}, pairs{}, moves{};
  int parts = 1;  ///< slots that share the pairs of the same residues
  int pair_slots = 0;
  bool draws_late = true;  ///< each thread does some of all
  double cycles = 0;       ///< of a step, expected
#endif
};

#ifdef KOKKOS_ENABLE_CUDA

/// Instructions of a thread for a residue in each role, and for the first vectors of a walk along
/// the chain: counted on an H200 (Nsight Compute), for the choice of a shape only.
struct ResidentCosts {
  static constexpr int terms = 250, walk = 120, pairs = 300, noise = 160, move = 190;
};

/// Who does what in a block of one width: of all ways that find threads the one that promises the
/// shortest step. A step takes as long as its slowest thread's instructions after each other, about
/// 5 cycles each, or as all warps' together, of which a multiprocessor with w warps issues about
/// 4 w / (w + 10) a cycle (measured with 19 and 26).
[[nodiscard]] inline ResidentShape best_roles(int residues, int width) {
  using Cost = ResidentCosts;
  constexpr double latency_cycles = 5;
  ResidentShape best;
  double best_cycles = 1e30;
  const auto slots = [residues](int rows) { return (residues + rows - 1) / rows; };
  // Warps of one role each, where a warp has several slots.
  const int warp_slots = width < 32 ? 32 / width : 1;
  const auto whole = [&](int count) { return (count + warp_slots - 1) / warp_slots * warp_slots; };
  const auto consider = [&](const ResidentShape& shape, double slowest, double instructions) {
    const double warps = shape.threads / 32.0;
    const double issued_a_cycle = 4 * warps / (warps + 10);
    const double cycles = std::max(latency_cycles * slowest, instructions / 32 / issued_a_cycle);
    if (shape.threads > kernels::resident_threads || cycles >= best_cycles) return;
    best = shape;
    best.cycles = best_cycles = cycles;
  };
  for (int rows = 1; rows <= kernels::resident_rows; ++rows) {
    ResidentShape shape;
    shape.terms = shape.moves = shape.pairs = {0, rows};
    shape.pair_slots = slots(rows);
    shape.threads = (slots(rows) * width + 31) / 32 * 32;
    const double one = Cost::walk + rows * (Cost::terms + Cost::pairs + Cost::noise + Cost::move);
    consider(shape, one, one * shape.threads);
  }
  for (int term_rows = 1; term_rows <= kernels::resident_rows; ++term_rows) {
    for (int move_rows = 1; move_rows <= kernels::resident_rows; ++move_rows) {
      for (int pair_rows = 1; pair_rows <= kernels::resident_rows; ++pair_rows) {
        for (const int parts : {1, 2, 4, 8}) {
          ResidentShape shape;
          shape.terms = {0, term_rows};
          shape.moves = {whole(slots(term_rows)), move_rows};
          shape.pairs = {shape.moves.first + whole(slots(move_rows)), pair_rows};
          shape.parts = parts;
          shape.pair_slots = parts * slots(pair_rows);
          shape.threads = (shape.pairs.first + whole(shape.pair_slots)) * width;
          shape.draws_late = false;
          const double terms = Cost::walk + term_rows * Cost::terms;
          const double pairs = 60 + pair_rows * Cost::pairs / parts;
          const double noise = move_rows * Cost::noise;
          // Roles that are not the slowest hinder it a little all the same.
          const double first =
              0.8 * std::max({terms, pairs, noise}) + 0.2 * (terms + pairs + noise);
          consider(shape, first + move_rows * Cost::move,
                   width * (terms * slots(term_rows) + pairs * shape.pair_slots +
                            move_rows * (Cost::noise + Cost::move) * slots(move_rows)));
        }
      }
    }
  }
  return best;
}

/// Of the widths that a block can hold the one whose rounds of groups over the multiprocessors
/// promise the shortest step; lanes of a warp that are replicas never part.
[[nodiscard]] inline ResidentShape resident_shape(int residues, int replicas, int group_size) {
  const int multiprocessors = Space().cuda_device_prop().multiProcessorCount;
  int width = group_size > 0 ? group_size : 1;
  if (group_size == 0) {
    double shortest = 1e30;
    for (int of = 1; of <= 32 && residues * of <= kernels::resident_held; of *= 2) {
      const ResidentShape shape = best_roles(residues, of);
      const int groups = (replicas + of - 1) / of;
      const int rounds = (groups + multiprocessors - 1) / multiprocessors;
      const double cycles = rounds * shape.cycles;
      if (shape.threads == 0 || cycles >= shortest) continue;
      shortest = cycles;
      width = of;
    }
  }
  if (residues * width > kernels::resident_held) {
    throw std::invalid_argument(
        fmt::format("a block cannot hold {} replicas of {} residues", width, residues));
  }
  ResidentShape shape = best_roles(residues, width);
  shape.width = width;
  shape.groups = (replicas + width - 1) / width;
  return shape;
}

template <class Contact>
class ResidentLauncher {
 public:
  ResidentLauncher(const ResidentTables<Contact>& tables, const ResidentShape& shape)
      : tables_(tables), shape_(shape) {
    lists_.reserve(static_cast<std::int64_t>(shape.groups) * kernels::resident_rows *
                   kernels::resident_quads * shape.threads);
    check_cuda(cudaFuncSetAttribute(kernel(), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    kernels::resident_shared_bytes),
               "shared memory of resident replicas");
  }
  void advance(const kernels::ResidentReplicas& replicas, std::uint64_t first_step,
               std::int64_t steps) const {
    const auto logarithm = [](int of) {
      int n = 0;
      while ((1 << n) < of) ++n;
      return n;
    };
    auto* const start = kernel();
    start<<<static_cast<unsigned>(shape_.groups), static_cast<unsigned>(shape_.threads),
            static_cast<std::size_t>(kernels::resident_shared_bytes), device_stream()>>>(
        {tables_.system(), replicas, first_step, steps, logarithm(shape_.width), shape_.terms,
         shape_.pairs, shape_.moves, logarithm(shape_.parts), shape_.pair_slots, lists_.data()});
    check_cuda(cudaGetLastError(), "the launch of resident replicas");
  }
  [[nodiscard]] std::int64_t bytes() const { return lists_.bytes(); }

 private:
  using Kernel = void(kernels::ResidentRun<Contact>);
  [[nodiscard]] Kernel* kernel() const {
    return shape_.draws_late ? kernels::advance_resident<true, Contact>
                             : kernels::advance_resident<false, Contact>;
  }

  const ResidentTables<Contact>& tables_;
  ResidentShape shape_;
  DeviceArray<uint2> lists_{"resident.lists"};
};

#else

/// A group a vector register's width, or a few.
[[nodiscard]] inline ResidentShape resident_shape(int /*residues*/, int replicas, int group_size) {
  constexpr int width = kernels::resident_lanes;
  if (group_size > 0 && group_size != width) {
    throw std::invalid_argument(
        fmt::format("on a CPU {} replicas are a group, not {}", width, group_size));
  }
  return {width, (replicas + width - 1) / width};
}

/// Work item: one thread, which takes every so manieth group.
template <class Contact>
struct ResidentGroupsLoop {
  kernels::ResidentSystem<Contact> system;
  kernels::ResidentReplicas replicas;
  std::uint64_t first_step;
  std::int64_t steps;
  std::int32_t* columns;  // (threads, 3 columns)
  int* pairs;             // (threads, residues, 1 + partners_at_most)
  int threads;
  void operator()(int thread) const {
    const std::int64_t column =
        static_cast<std::int64_t>(system.residues) * 3 * kernels::resident_lanes;
    constexpr int at_most = kernels::ResidentSystem<Contact>::partners_at_most;
    std::int32_t* const own = columns + 3 * column * thread;
    int* const own_pairs =
        pairs + static_cast<std::int64_t>(system.residues) * (1 + at_most) * thread;
    const kernels::ResidentScratch scratch{own, own + column, own + 2 * column, own_pairs,
                                           own_pairs + system.residues};
    for (int group = thread; group < replicas.groups; group += threads) {
      kernels::ResidentGroup<Contact>(system, replicas, scratch, group).advance(first_step, steps);
    }
  }
};

template <class Contact>
class ResidentLauncher {
 public:
  ResidentLauncher(const ResidentTables<Contact>& tables, const ResidentShape& shape)
      : tables_(tables), threads_(std::min(Space().concurrency(), shape.groups)) {
    const std::int64_t residues = tables.system().residues;
    columns_.reserve(threads_ * residues * 9 * kernels::resident_lanes);
    pairs_.reserve(threads_ * residues * (1 + kernels::ResidentSystem<Contact>::partners_at_most));
  }
  void advance(const kernels::ResidentReplicas& replicas, std::uint64_t first_step,
               std::int64_t steps) {
    launch("resident replicas", threads_,
           ResidentGroupsLoop<Contact>{tables_.system(), replicas, first_step, steps,
                                       columns_.data(), pairs_.data(), threads_});
  }
  [[nodiscard]] std::int64_t bytes() const { return columns_.bytes() + pairs_.bytes(); }

 private:
  const ResidentTables<Contact>& tables_;
  int threads_;
  DeviceArray<std::int32_t> columns_{"resident.columns"};
  DeviceArray<int> pairs_{"resident.pairs"};
};

#endif

}  // namespace nfold::dynamics
