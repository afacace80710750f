// Exchange of replicas between ranks, comparison and identification of the faulty rank.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/ensemble/verification.hpp"

#include <fmt/core.h>

#include <cstddef>
#include <set>
#include <span>
#include <utility>

#include "core/storage/checksum.hpp"
#include "core/text.hpp"
#include "engine/engine.hpp"
#include "session/ensemble/compute_replicas.hpp"

namespace nfold::ensemble {
namespace {

std::int64_t hash_of(const system::State& states, std::size_t first, std::size_t count) {
  const auto positions = std::span(states.position).subspan(first, count);
  const auto velocities = std::span(states.velocity).subspan(first, count);
  return static_cast<std::int64_t>(storage::checksum(std::as_bytes(positions)) +
                                   storage::checksum(std::as_bytes(velocities), 3 * count));
}

/// Returns placeholder states, for a rank that could not compute them.
system::State no_states(const system::State& like) {
  system::State none = like;
  for (auto& row : none.position) row = {};
  for (auto& row : none.velocity) row = {};
  return none;
}

}  // namespace

/// Sends the states to the rank `by` further and returns those of the rank `by` before this one.
system::State ReplicaVerification::pass_states(const system::State& states, int by) const {
  const int ranks = communicator_.size();
  const auto to = static_cast<std::size_t>((communicator_.rank() + by + ranks) % ranks);
  const auto from = static_cast<std::size_t>((communicator_.rank() - by + ranks) % ranks);
  const auto hand_on = [&](const auto& rows) {
    std::vector<std::decay_t<decltype(rows)>> send(static_cast<std::size_t>(ranks));
    send[to] = rows;
    return communicator_.all_to_all(send)[from];
  };
  system::State handed;
  handed.step = states.step;
  handed.position = hand_on(states.position);
  handed.velocity = hand_on(states.velocity);
  return handed;
}

ReplicaVerification::Hashes ReplicaVerification::all_hashes(const system::State& states) const {
  const auto residues = static_cast<std::size_t>(residues_);
  std::vector<std::int64_t> mine;
  for (std::size_t first = 0; first < states.position.size(); first += residues) {
    mine.push_back(hash_of(states, first, residues));
  }
  return communicator_.all_gather(std::span<const std::int64_t>(mine));
}

ReplicaVerification::Recomputation ReplicaVerification::compute_elsewhere(
    const system::State& before, std::int64_t steps, int by) const {
  const int ranks = communicator_.size();
  const auto taken = pass_states(before, by);
  system::State computed;
  try {
    auto set = make_((communicator_.rank() - by + ranks) % ranks, taken);
    computed = compute_replicas(set, steps);
  } catch (const engine::ExplosionError&) {
    computed = no_states(taken);
  }
  Recomputation again{pass_states(computed, -by), {}};
  again.hashes = all_hashes(again.states);
  return again;
}

common::SilentError ReplicaVerification::compare(const Hashes& first, const Hashes& second,
                                                 const Hashes& third,
                                                 std::int64_t own_replicas) const {
  const int ranks = communicator_.size();
  // (replicas) rank of each
  const std::vector<int> own(static_cast<std::size_t>(own_replicas), communicator_.rank());
  const auto owner = communicator_.all_gather(std::span<const int>(own));
  common::SilentError error;
  error.has_majority = true;
  std::set<int> wrong_ranks;
  std::vector<std::size_t> differing;
  for (std::size_t k = 0; k < first.size(); ++k) {
    if (first[k] == second[k]) continue;
    differing.push_back(k);
    if (third[k] == second[k]) {
      wrong_ranks.insert(owner[k]);
    } else if (third[k] == first[k]) {
      wrong_ranks.insert((owner[k] + 1) % ranks);
    } else {
      error.has_majority = false;
    }
  }
  // Undecided: two ranks that blame each other, of which one errs repeatedly and may be either.
  error.has_majority = error.has_majority && wrong_ranks.size() == 1;
  error.details =
      fmt::format("{} {}, the first number {}", core::pluralise(differing.size(), "replica"),
                  differing.size() == 1 ? "differs" : "differ", differing.front());
  if (wrong_ranks.size() == 1) {
    error.suspect = common::broadcast_suspect(communicator_, *wrong_ranks.begin());
  }
  return error;
}

std::optional<common::SilentError> ReplicaVerification::advance(
    std::optional<replicas::ReplicaSet>& set, std::int64_t steps) {
  const int ranks = communicator_.size();
  const auto before = set->states();
  system::State mine;
  std::optional<engine::ExplosionError> explosion;
  try {
    mine = compute_replicas(*set, steps);
  } catch (const engine::ExplosionError& error) {
    explosion = error;
  }
  const bool any_explodes = communicator_.any(explosion.has_value());
  if (explosion) throw *explosion;
  if (any_explodes) return std::nullopt;
  Hashes first;
  Recomputation second;
  const auto second_agrees = [&] {
    first = all_hashes(mine);
    second = compute_elsewhere(before, steps, 1 % ranks);
    return first == second.hashes;
  };
  const auto decide = [&] {
    const auto third = compute_elsewhere(before, steps, ranks > 2 ? 2 : 0);
    const auto count = static_cast<std::int64_t>(mine.position.size()) / residues_;
    auto error = compare(first, second.hashes, third.hashes, count);
    // Takes all of this rank's replicas from the third computation: each agrees with one of the
    // others.
    if (error.has_majority) set.emplace(make_(communicator_.rank(), third.states));
    return error;
  };
  return recompute(before.step, steps, second_agrees, decide);
}

}  // namespace nfold::ensemble
