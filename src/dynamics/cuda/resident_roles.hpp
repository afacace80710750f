// Which threads of a block of resident replicas do what, by a model of what that costs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "kernels/cuda/resident_run.hpp"

namespace nfold::dynamics {

struct ResidentRoles {
  int threads = 0;  ///< of a block, which has a group
  kernels::ResidentRole terms{}, pairs{}, moves{};
  int parts = 1;  ///< slots that share the pairs of the same residues
  int pair_slots = 0;
  bool draws_late = true;  ///< each thread does some of all
  double cycles = 0;       ///< of a step, expected
};

/// Instructions of a thread for a residue in each role, and for the first vectors of a walk along
/// the chain: counted on an H200 (Nsight Compute), for the choice of roles only.
struct ResidentCosts {
  static constexpr int terms = 250, walk = 120, pairs = 300, noise = 160, move = 190;
};

/// Who does what in a block of one width: of all ways that find threads the one that promises the
/// shortest step. A step takes as long as its slowest thread's instructions after each other, about
/// 5 cycles each, or as all warps' together, of which a multiprocessor with w warps issues about
/// 4 w / (w + 10) a cycle (measured with 19 and 26).
[[nodiscard]] inline ResidentRoles best_roles(int residues, int width) {
  using Cost = ResidentCosts;
  constexpr double latency_cycles = 5;
  ResidentRoles best;
  double best_cycles = 1e30;
  const auto slots = [residues](int rows) { return (residues + rows - 1) / rows; };
  // Warps of one role each, where a warp has several slots.
  const int warp_slots = width < 32 ? 32 / width : 1;
  const auto whole = [&](int count) { return (count + warp_slots - 1) / warp_slots * warp_slots; };
  const auto consider = [&](const ResidentRoles& roles, double slowest, double instructions) {
    const double warps = roles.threads / 32.0;
    const double issued_a_cycle = 4 * warps / (warps + 10);
    const double cycles = std::max(latency_cycles * slowest, instructions / 32 / issued_a_cycle);
    if (roles.threads > kernels::resident_threads || cycles >= best_cycles) return;
    best = roles;
    best.cycles = best_cycles = cycles;
  };
  for (int rows = 1; rows <= kernels::resident_rows; ++rows) {
    ResidentRoles roles;
    roles.terms = roles.moves = roles.pairs = {0, rows};
    roles.pair_slots = slots(rows);
    roles.threads = (slots(rows) * width + 31) / 32 * 32;
    const double one = Cost::walk + rows * (Cost::terms + Cost::pairs + Cost::noise + Cost::move);
    consider(roles, one, one * roles.threads);
  }
  for (int term_rows = 1; term_rows <= kernels::resident_rows; ++term_rows) {
    for (int move_rows = 1; move_rows <= kernels::resident_rows; ++move_rows) {
      for (int pair_rows = 1; pair_rows <= kernels::resident_rows; ++pair_rows) {
        for (const int parts : {1, 2, 4, 8}) {
          ResidentRoles roles;
          roles.terms = {0, term_rows};
          roles.moves = {whole(slots(term_rows)), move_rows};
          roles.pairs = {roles.moves.first + whole(slots(move_rows)), pair_rows};
          roles.parts = parts;
          roles.pair_slots = parts * slots(pair_rows);
          roles.threads = (roles.pairs.first + whole(roles.pair_slots)) * width;
          roles.draws_late = false;
          const double terms = Cost::walk + term_rows * Cost::terms;
          const int pairs_each = pair_rows * Cost::pairs / parts;
          const double pairs = 60 + pairs_each;
          const double noise = move_rows * Cost::noise;
          // Roles that are not the slowest hinder it a little all the same.
          const double first =
              0.8 * std::max({terms, pairs, noise}) + 0.2 * (terms + pairs + noise);
          consider(roles, first + move_rows * Cost::move,
                   width * (terms * slots(term_rows) + pairs * roles.pair_slots +
                            move_rows * (Cost::noise + Cost::move) * slots(move_rows)));
        }
      }
    }
  }
  return best;
}

/// What a launch of groups of this width is given; lists: (groups, resident_rows, resident_quads,
/// threads).
template <class Contact>
[[nodiscard]] kernels::ResidentRun<Contact> resident_run(
    const kernels::ResidentSystem<Contact>& system, const kernels::ResidentReplicas& replicas,
    std::uint64_t first_step, std::int64_t steps, int width, const ResidentRoles& roles,
    uint2* lists) {
  const auto logarithm = [](int of) {
    int n = 0;
    while ((1 << n) < of) ++n;
    return n;
  };
  return {system,
          replicas,
          first_step,
          steps,
          logarithm(width),
          roles.terms,
          roles.pairs,
          roles.moves,
          logarithm(roles.parts),
          roles.pair_slots,
          lists};
}

}  // namespace nfold::dynamics
