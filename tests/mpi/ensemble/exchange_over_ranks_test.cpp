// Exchanges decided by several ranks, beside the same decided by one that knows all energies.
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/exchange_over_ranks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "comm/communicator.hpp"

namespace nfold::ensemble {
namespace {

constexpr int states = 4, ladders = 3, replicas = states * ladders;

/// Salts at 300 K, so that energies at several screenings count.
std::vector<replicas::ThermodynamicState> salts() {
  std::vector<replicas::ThermodynamicState> ladder(states, replicas::ThermodynamicState{300});
  for (int k = 0; k < states; ++k) {
    auto& state = ladder[static_cast<std::size_t>(k)];
    state.ionic_strength_molar = 0.05 * (k + 1);
    state.coulomb_kj_mol_nm = 1.7;
    state.kappa_per_nm = 3.3 * std::sqrt(state.ionic_strength_molar);
  }
  return ladder;
}

StateExchange exchange_of_salts() {
  return {salts(), ladders, 7, thermodynamics::ScreeningNodes(salts(), 4)};
}

/// So many replicas from `first` on, whose numbers are like no others'.
io::SampleRow row_of(const StateExchange& exchange, int first, int count) {
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

/// By one that has all energies.
void attempt_alone(StateExchange& exchange) {
  const auto row = row_of(exchange, 0, replicas);
  const auto nodes = static_cast<std::ptrdiff_t>(exchange.screening().size());
  std::vector<thermodynamics::EnergyParts> energy;
  for (std::size_t r = 0; r < row.replica.size(); ++r) {
    const auto& one = row.replica[r];
    const auto screened = row.screened.begin() + static_cast<std::ptrdiff_t>(r) * nodes;
    energy.push_back(
        exchange.potentials()[static_cast<std::size_t>(exchange.state_of()[r])].with_rest(
            {0, one.contact_kj_mol, one.umbrella_variable_nm, {screened, screened + nodes}},
            one.potential_kj_mol));
  }
  exchange.attempt(energy);
}

/// Whole ladders as far as that goes, then parts of ladders, then all replicas with the last rank.
std::vector<ReplicaShares> ways_to_share(int ranks) {
  std::vector<std::int64_t> whole, parts, last;
  for (int rank = 0; rank < ranks; ++rank) {
    const auto border = [&](int at) {
      return at == 0 || at == ranks ? replicas * at / ranks : replicas * at / ranks + 1;
    };
    whole.push_back(std::int64_t{states} * (ladders * (rank + 1) / ranks - ladders * rank / ranks));
    parts.push_back(border(rank + 1) - border(rank));
    last.push_back(rank + 1 < ranks ? 0 : replicas);
  }
  return {shares_of_counts(whole), shares_of_counts(parts), shares_of_counts(last)};
}

TEST(ExchangeOverRanks, IsThatOfOneWhoKnowsAll) {
  const auto world = comm::Communicator::world();
  auto alone = exchange_of_salts();
  EXPECT_GT(alone.screening().size(), 1U);
  auto shared = exchange_of_salts();
  auto ways = ways_to_share(world.size());
  ExchangeOverRanks trades(world, shared, ways.front());
  for (const auto& shares : ways) {
    trades.share(shares);
    EXPECT_EQ(shared.saved(), alone.saved());
    const int first = shares.first_of(world.rank()), count = shares.count_of(world.rank());
    for (int attempt = 0; attempt < 25; ++attempt) {
      trades.attempt(row_of(shared, first, count));
      attempt_alone(alone);
      for (int r = first; r < first + count; ++r) {
        EXPECT_EQ(shared.thermodynamic_of(r), alone.thermodynamic_of(r)) << r;
      }
    }
  }
  EXPECT_FALSE(shared.is_whole());
  trades.make_whole();
  EXPECT_TRUE(shared.is_whole());
  EXPECT_EQ(shared.saved(), alone.saved());
  EXPECT_EQ(shared.pairs()[0].accepted, alone.pairs()[0].accepted);
  EXPECT_GT(alone.pairs()[0].accepted, 10);
  EXPECT_LT(alone.pairs()[0].accepted, alone.pairs()[0].attempts);
  EXPECT_GT(alone.round_trips(), 0);
}

}  // namespace
}  // namespace nfold::ensemble
