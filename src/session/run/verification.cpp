// Recomputation, comparison and identification of the faulty rank.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/run/verification.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/storage/checksum.hpp"
#include "core/text.hpp"

namespace nfold::run {
namespace {

/// Returns a hash that does not depend on the rank or the order of rows.
std::uint64_t hash_of(const system::State& rows) {
  constexpr std::uint64_t words = 6;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < rows.id.size(); ++i) {
    const auto place = static_cast<std::uint64_t>(rows.id[i]) * words;
    sum += storage::checksum(std::as_bytes(std::span(rows.position[i])), place);
    sum += storage::checksum(std::as_bytes(std::span(rows.velocity[i])), place + 3);
  }
  return sum;
}

/// Collective. Gathers the rows of all ranks by residue, on each rank.
system::State gather_rows(const comm::Communicator& communicator, const system::State& mine) {
  struct Row {
    std::int64_t id;
    system::FixedPosition position;
    system::Velocity velocity;
  };
  std::vector<Row> rows;
  rows.reserve(mine.id.size());
  for (std::size_t i = 0; i < mine.id.size(); ++i) {
    rows.push_back({mine.id[i], mine.position[i], mine.velocity[i]});
  }
  const auto all = communicator.all_gather(std::span<const Row>(rows));
  system::State state;
  state.position.resize(all.size());
  state.velocity.resize(all.size());
  for (const Row& row : all) {
    state.position[static_cast<std::size_t>(row.id)] = row.position;
    state.velocity[static_cast<std::size_t>(row.id)] = row.velocity;
  }
  return state;
}

/// True if every bit agrees: 0 differs from -0, and a NaN velocity equals itself.
bool same_row(const system::State& a, const system::State& b, std::size_t id) {
  const auto bits = [](const system::Velocity& velocity) {
    return std::bit_cast<std::array<std::uint64_t, 3>>(velocity);
  };
  return a.position[id] == b.position[id] && bits(a.velocity[id]) == bits(b.velocity[id]);
}

}  // namespace

domain::Ownership shifted(const domain::Ownership& owner, int by, int ranks) {
  domain::Ownership moved(owner.size());
  std::transform(owner.begin(), owner.end(), moved.begin(),
                 [&](int rank) { return (rank + by) % ranks; });
  return moved;
}

domain::Ownership alternately_shifted(const domain::Ownership& owner, int ranks) {
  std::vector<std::int64_t> seen(static_cast<std::size_t>(ranks), 0);
  domain::Ownership moved;
  moved.reserve(owner.size());
  for (const int rank : owner) {
    const bool moves = seen[static_cast<std::size_t>(rank)]++ % 2 == 0;
    moved.push_back(moves ? (rank + 1) % ranks : rank);
  }
  return moved;
}

Verification::Verification(const comm::Communicator& communicator,
                           const topology::Topology& topology, double time_step_ps,
                           std::function<system::State(engine::Engine&, std::int64_t)> compute)
    : communicator_(communicator),
      topology_(topology),
      time_step_ps_(time_step_ps),
      compute_(std::move(compute)) {}

Verification::Computation Verification::compute(engine::Engine& engine, std::int64_t steps) const {
  Computation made{engine.owner(), {}};
  try {
    made.mine = compute_(engine, steps);
  } catch (const engine::ExplosionError& explosion) {
    made.explosion = explosion.what();  // identical on all ranks
    made.mine = engine.owned_state();
  }
  made.sum = communicator_.sum(static_cast<std::int64_t>(hash_of(made.mine)));
  return made;
}

void Verification::move(engine::Engine& engine, const domain::Ownership& owner) const {
  if (communicator_.size() > 1) engine.set_owner(owner);
}

std::optional<common::SilentError> Verification::advance(engine::Engine& engine,
                                                         std::int64_t steps) {
  const int ranks = communicator_.size();
  const auto start = engine.owned_state();
  const auto first = compute(engine, steps);
  const auto next = shifted(*first.owner, 1, ranks);
  const auto other =
      ranks == 2 ? alternately_shifted(*first.owner, ranks) : shifted(*first.owner, 2, ranks);
  const auto computed_by = [&](const domain::Ownership& owner, std::int64_t count) {
    move(engine, *first.owner);
    engine.restore_state(start);
    move(engine, owner);
    return compute(engine, count);
  };
  Computation second, third;
  const auto second_agrees = [&] {
    second = computed_by(next, steps);
    const bool agrees = first.sum == second.sum && first.mine.step == second.mine.step &&
                        first.explosion.empty() == second.explosion.empty();
    if (agrees) move(engine, *first.owner);
    return agrees;
  };
  const auto decide = [&] {
    third = computed_by(other, steps);
    auto error = compare_computations({&first, &second, &third});
    if (!error.has_majority && !error.suspect) {
      // A rank that errs each time errs in so few steps too, and then only its own residue is
      // wrong.
      const auto few = std::min<std::int64_t>(steps, 2);
      const auto a = computed_by(*first.owner, few), b = computed_by(next, few),
                 c = computed_by(other, few);
      error.suspect = compare_computations({&a, &b, &c}).suspect;
    }
    if (!error.has_majority) {
      move(engine, *first.owner);
      engine.restore_state(start);
    }
    return error;
  };
  auto error = recompute(start.step, steps, second_agrees, decide);
  const std::string explosion = !error                ? first.explosion
                                : error->has_majority ? third.explosion
                                                      : "";
  if (!explosion.empty()) throw engine::ExplosionError(explosion);
  return error;
}

/// Collective. A residue on which two computations agree makes its rank in the third one suspect;
/// among such residues the one that is farthest off counts, since its neighbours got the error
/// later.
common::SilentError Verification::compare_computations(
    const std::array<const Computation*, 3>& all) const {
  const auto agree = [&](std::size_t a, std::size_t b) {
    return all[a]->sum == all[b]->sum && all[a]->mine.step == all[b]->mine.step;
  };
  common::SilentError error;
  error.has_majority = agree(0, 2) || agree(1, 2);
  std::array<system::State, 3> state;
  for (std::size_t k = 0; k < 3; ++k) {
    state[k] = gather_rows(communicator_, all[k]->mine);
    if (all[k]->explosion.empty()) continue;
    error.details = fmt::format("one computation exploded after step {}", all[k]->mine.step);
    return error;  // states of other steps cannot be compared
  }
  const auto distance_nm = [&](const system::State& a, const system::State& b, std::size_t id) {
    double sum = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto counts =
          static_cast<std::int64_t>(static_cast<std::uint64_t>(a.position[id][axis]) -
                                    static_cast<std::uint64_t>(b.position[id][axis]));
      const double moved = topology_.box.to_nm(axis, counts);
      const double faster = time_step_ps_ * (a.velocity[id][axis] - b.velocity[id][axis]);
      sum += moved * moved + faster * faster;
    }
    return std::isfinite(sum) ? std::sqrt(sum) : std::numeric_limits<double>::max();
  };
  std::int64_t differing = 0;
  std::size_t worst_id = 0;
  double worst_nm = -1;
  int rank = -1;
  for (std::size_t id = 0; id < state[0].position.size(); ++id) {
    const bool same01 = same_row(state[0], state[1], id), same02 = same_row(state[0], state[2], id),
               same12 = same_row(state[1], state[2], id);
    if (same01 && same02) continue;
    ++differing;
    if (!same01 && !same02 && !same12) continue;
    const std::size_t odd = same12 ? 0 : same02 ? 1 : 2;
    const double off_nm = distance_nm(state[odd], state[odd == 0 ? 1 : 0], id);
    if (off_nm <= worst_nm) continue;
    worst_nm = off_nm;
    worst_id = id;
    rank = (*all[odd]->owner)[id];
  }
  if (rank < 0) {
    error.details = fmt::format("{} residues differ in all three", differing);
    return error;
  }
  error.suspect = common::broadcast_suspect(communicator_, rank);
  error.details =
      fmt::format("{} {}, most number {}, by {:.2g} nm", core::pluralise(differing, "residue"),
                  differing == 1 ? "differs" : "differ", worst_id, worst_nm);
  return error;
}

}  // namespace nfold::run
