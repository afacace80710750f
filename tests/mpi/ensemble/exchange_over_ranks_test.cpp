// Replica exchange decided by several ranks, against one rank that has all energies.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/ensemble/exchange_over_ranks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "comm/communicator.hpp"

namespace nfold::ensemble {
namespace {

constexpr int states = 4, ladders = 3, replicas = states * ladders;

/// States of different salt at 300 K, so that energies at several screenings matter.
std::vector<system::ThermodynamicState> salts() {
  std::vector<system::ThermodynamicState> ladder(states, system::ThermodynamicState{300});
  for (int k = 0; k < states; ++k) {
    auto& state = ladder[static_cast<std::size_t>(k)];
    state.ionic_strength_molar = 0.05 * (k + 1);
    state.coulomb_kj_mol_nm = 1.7;
    state.kappa_per_nm = 3.3 * std::sqrt(state.ionic_strength_molar);
  }
  return ladder;
}

StateExchange make_salt_exchange() {
  return {salts(), ladders, 7, thermodynamics::ScreeningNodes(salts(), 4)};
}

/// Samples of `count` replicas from `first` on; every value is distinct.
io::SampleRow make_row(const StateExchange& exchange, int first, int count) {
  io::SampleRow row;
  const auto attempt = static_cast<double>(exchange.attempts());
  const auto nodes = exchange.screening().size();
  for (int r = first; r < first + count; ++r) {
    row.replica.push_back({10 * std::sin(attempt + r), std::cos(2 * attempt + r), 0.1 * r, 0, 0});
    for (std::size_t n = 0; n < nodes; ++n) {
      row.screened.push_back(3 * std::sin(3 * attempt + 5 * r + 0.1 * static_cast<double>(n)));
    }
  }
  return row;
}

/// Attempts the exchange on one rank that has all energies.
void attempt_alone(StateExchange& exchange) {
  const auto row = make_row(exchange, 0, replicas);
  const auto nodes = static_cast<std::ptrdiff_t>(exchange.screening().size());
  std::vector<thermodynamics::EnergyParts> energy;
  for (std::size_t r = 0; r < row.replica.size(); ++r) {
    const auto& one = row.replica[r];
    const auto screened = row.screened.begin() + static_cast<std::ptrdiff_t>(r) * nodes;
    energy.push_back(
        exchange.potentials()[static_cast<std::size_t>(exchange.state_indices()[r])].with_rest(
            {0, one.contact_kj_mol, one.umbrella_variable_nm, {screened, screened + nodes}},
            one.potential_kj_mol));
  }
  exchange.attempt(energy);
}

/// Shares by whole ladders where possible, by parts of ladders, and with all replicas on the last
/// rank.
std::vector<ReplicaShares> share_choices(int ranks) {
  std::vector<std::int64_t> whole, parts, last;
  for (int rank = 0; rank < ranks; ++rank) {
    const auto first_replica = [&](int at) {
      return at == 0 || at == ranks ? replicas * at / ranks : replicas * at / ranks + 1;
    };
    whole.push_back(std::int64_t{states} * (ladders * (rank + 1) / ranks - ladders * rank / ranks));
    parts.push_back(first_replica(rank + 1) - first_replica(rank));
    last.push_back(rank + 1 < ranks ? 0 : replicas);
  }
  return {to_shares(whole), to_shares(parts), to_shares(last)};
}

TEST(ExchangeOverRanks, MatchesOneRankWithAllEnergies) {
  const auto world = comm::Communicator::world();
  auto alone = make_salt_exchange();
  EXPECT_GT(alone.screening().size(), 1U);
  auto shared = make_salt_exchange();
  auto choices = share_choices(world.size());
  ExchangeOverRanks over_ranks(world, shared, choices.front());
  for (const auto& shares : choices) {
    over_ranks.share(shares);
    EXPECT_EQ(shared.saved(), alone.saved());
    const int first = shares.first_of(world.rank()), count = shares.count_of(world.rank());
    for (int attempt = 0; attempt < 25; ++attempt) {
      over_ranks.attempt(make_row(shared, first, count));
      attempt_alone(alone);
      for (int r = first; r < first + count; ++r) {
        EXPECT_EQ(shared.replica_state(r), alone.replica_state(r)) << r;
      }
    }
  }
  EXPECT_FALSE(shared.is_whole());
  over_ranks.make_whole();
  EXPECT_TRUE(shared.is_whole());
  EXPECT_EQ(shared.saved(), alone.saved());
  EXPECT_EQ(shared.pairs()[0].accepted, alone.pairs()[0].accepted);
  EXPECT_GT(alone.pairs()[0].accepted, 10);
  EXPECT_LT(alone.pairs()[0].accepted, alone.pairs()[0].attempts);
  EXPECT_GT(alone.round_trips(), 0);
}

}  // namespace
}  // namespace nfold::ensemble
