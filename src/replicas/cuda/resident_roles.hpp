// Assignment of work to the threads of a thread block of resident replicas, by a cost model.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/cuda/resident_run.hpp"

namespace nfold::replicas {

struct ResidentRoles {
  kernels::ThreadLayout layout = kernels::ThreadLayout::uniform;
  int threads = 0;  ///< threads of a thread block, which advances one group
  kernels::ResidentRole angles{}, dihedrals{}, pairs{}, moves{};
  int rows = 1;       ///< residues per thread
  double cycles = 0;  ///< expected per step
};

/// Roles of a uniform layout: each thread has `rows` residues and does all work for them.
[[nodiscard]] inline ResidentRoles uniform_roles(int residues, int width, int rows) {
  ResidentRoles roles;
  const int slots = (residues + rows - 1) / rows;
  roles.angles = roles.dihedrals = roles.pairs = roles.moves = {0, slots};
  roles.rows = rows;
  roles.threads = (slots * width + 31) / 32 * 32;
  return roles;
}

/// Roles of a specialised layout: `rows` residues per thread and separate slots for pairs. If a
/// warp has several slots, those of terms are filled up to whole warps.
[[nodiscard]] inline ResidentRoles specialised_roles(int residues, int width, int rows,
                                                     int pair_slots) {
  ResidentRoles roles;
  roles.layout = kernels::ThreadLayout::specialised;
  roles.rows = rows;
  const int warp_slots = width < 32 ? 32 / width : 1;
  const auto whole = [&](int slots) { return (slots + warp_slots - 1) / warp_slots * warp_slots; };
  const int slots = (residues + rows - 1) / rows;
  roles.angles = {0, whole(slots)};
  roles.dihedrals = {whole(slots), whole(slots)};
  roles.moves = {2 * whole(slots), slots};
  roles.pairs = {3 * whole(slots), whole(pair_slots)};
  roles.threads = (roles.pairs.first + roles.pairs.slots) * width;
  return roles;
}

/// Roles of a uniform layout in which more threads may compute pairs than move residues.
[[nodiscard]] inline ResidentRoles sticky_uniform_roles(int residues, int width, int rows,
                                                        int pair_slots) {
  auto roles = uniform_roles(residues, width, rows);
  roles.pairs.slots = std::max(roles.moves.slots, pair_slots);
  roles.threads = (roles.pairs.slots * width + 31) / 32 * 32;
  return roles;
}

/// Instructions per thread for the terms that begin at a residue, and for the first vectors of a
/// walk along the chain; pair: for a contact or listed pair, about pairs_each per residue. Only for
/// the choice of roles.
struct ResidentCosts {
  static constexpr int angle = 150, dihedral = 160, terms = 220, walk = 80, pair = 55, noise = 160;
  static constexpr int move = 130;
  static constexpr double pairs_each = 3.6;
  /// Sticky chains: a bond, a pair, and the number of pairs per residue of a coil.
  static constexpr int bond = 60, sticky_pair = 90;
  static constexpr double sticky_pairs_each = 14;
};

/// Selects the roles with the shortest estimated step that fit into a thread block. A step takes as
/// long as its slowest thread's instructions in sequence, about 5 cycles each, or as all warps'
/// instructions together, of which a multiprocessor with w warps issues about 4 w / (w + 10) a
/// cycle (measured with 19 and 26).
class FastestRoles {
 public:
  void consider(const ResidentRoles& roles, double slowest, double instructions) {
    constexpr double latency_cycles = 5;
    const double warps = roles.threads / 32.0;
    const double issued_a_cycle = 4 * warps / (warps + 10);
    const double cycles = std::max(latency_cycles * slowest, instructions / 32 / issued_a_cycle);
    if (roles.threads > kernels::resident_threads || cycles >= cycles_) return;
    best_ = roles;
    best_.cycles = cycles_ = cycles;
  }
  [[nodiscard]] const ResidentRoles& best() const { return best_; }

 private:
  ResidentRoles best_;
  double cycles_ = 1e30;
};

/// Returns the best roles for a thread block of one width.
[[nodiscard]] inline ResidentRoles best_roles(int residues, int width) {
  using Cost = ResidentCosts;
  FastestRoles of_all;
  const auto pairs_of_one = [residues](int pair_slots) {
    return Cost::pair * std::ceil(Cost::pairs_each * residues / pair_slots);
  };
  for (int rows = 1; rows <= kernels::resident_uniform_rows; ++rows) {
    const auto roles = uniform_roles(residues, width, rows);
    const double one = Cost::walk + rows * (Cost::terms + Cost::noise + Cost::move) +
                       pairs_of_one(roles.pairs.slots);
    of_all.consider(roles, one, one * roles.threads);
  }
  const int warp_slots = width < 32 ? 32 / width : 1;
  for (int rows = 1; rows <= kernels::resident_specialised_rows; ++rows) {
    for (int pair_slots = warp_slots; pair_slots <= 4 * residues + warp_slots;
         pair_slots += warp_slots) {
      const auto roles = specialised_roles(residues, width, rows, pair_slots);
      const double terms = rows * Cost::dihedral, noise = rows * Cost::noise;
      const double pairs = 30 + pairs_of_one(pair_slots);
      // Roles that are not the slowest still slow it down a little.
      const double first = 0.8 * std::max({terms, pairs, noise}) + 0.2 * (terms + pairs + noise);
      of_all.consider(roles, first + rows * Cost::move,
                      width * (rows * (Cost::dihedral + Cost::angle + Cost::noise + Cost::move) *
                                   roles.moves.slots +
                               pairs * pair_slots));
    }
  }
  return of_all.best();
}

/// Returns the best roles for sticky chains, which always use a uniform layout.
[[nodiscard]] inline ResidentRoles best_sticky_roles(int residues, int width) {
  using Cost = ResidentCosts;
  FastestRoles of_all;
  for (int rows = 1; rows <= kernels::resident_uniform_rows; ++rows) {
    for (int more = 1; more <= 4; ++more) {
      const int slots = (residues + rows - 1) / rows;
      const auto roles = sticky_uniform_roles(residues, width, rows, more * slots);
      const double pairs =
          Cost::sticky_pair * std::ceil(Cost::sticky_pairs_each * residues / roles.pairs.slots);
      const double one = rows * (Cost::bond + Cost::noise + Cost::move);
      of_all.consider(roles, one + pairs, width * (one * slots + pairs * roles.pairs.slots));
    }
  }
  return of_all.best();
}

template <class Contact>
[[nodiscard]] ResidentRoles choose_roles(int residues, int width) {
  return kernels::ResidentModel<Contact>::is_sticky ? best_sticky_roles(residues, width)
                                                    : best_roles(residues, width);
}

/// Largest number of pairs in a replica's lists.
struct ResidentListSizes {
  int pairs, charges;
  /// Entries of one group.
  [[nodiscard]] std::int64_t entries(int width) const {
    return (std::int64_t{pairs} + charges) * width;
  }
};
/// Globules of sticky chains have about 60 residues within 2 nm of a residue, half of which it
/// keeps in its list; charges are fewer, but have a longer range.
template <class Contact>
[[nodiscard]] ResidentListSizes resident_list_sizes(
    const kernels::ResidentSystem<Contact>& system) {
  const int residues = system.residues;
  if (!kernels::ResidentModel<Contact>::is_sticky) return {20 * residues, 0};
  const auto of = [residues](std::int64_t most, int each) {
    return static_cast<int>(std::min(most, std::int64_t{residues} * each));
  };
  return {of(system.sticky_pairs, 64), of(system.charge_pairs, 64)};
}

/// Returns the kernel arguments for groups of this width; lists: (groups, entries of
/// resident_list_sizes).
template <class Contact>
[[nodiscard]] kernels::ResidentRun<Contact> resident_run(
    const kernels::ResidentSystem<Contact>& system, const kernels::ResidentReplicas& replicas,
    std::uint64_t first_step, std::int64_t steps, int width, const ResidentRoles& roles,
    std::uint32_t* lists) {
  int log_width = 0;
  while ((1 << log_width) < width) ++log_width;
  const int warp_slots = width < 32 ? 32 / width : 1;
  const int block_slots = roles.threads / width, halves = 2 * system.mask_words;
  const auto sizes = resident_list_sizes(system);
  return {system,
          replicas,
          first_step,
          steps,
          log_width,
          roles.angles,
          roles.dihedrals,
          roles.pairs,
          roles.moves,
          roles.rows,
          block_slots / halves,
          block_slots % halves,
          (system.contacts + warp_slots - 1) / warp_slots * warp_slots,
          sizes.pairs,
          sizes.charges,
          lists};
}

}  // namespace nfold::replicas
