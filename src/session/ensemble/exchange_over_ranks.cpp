// Ladders by rank, messages of energies, and the gathering of results.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/ensemble/exchange_over_ranks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace nfold::ensemble {
namespace {

/// Number of energies before the screened ones: potential, contacts, umbrella variable.
constexpr std::size_t parts_of_all = 3;

int first_ladder_from(int replica, int states) { return (replica + states - 1) / states; }

}  // namespace

LadderShare ladder_share(const ReplicaShares& shares, int rank, int states) {
  const int first = shares.first_of(rank), last = first + shares.count_of(rank);
  const LadderRange counted{first_ladder_from(first, states), first_ladder_from(last, states)};
  return {{last > first ? first / states : counted.first, counted.last}, counted};
}

ExchangeOverRanks::ExchangeOverRanks(const comm::Communicator& communicator,
                                     StateExchange& exchange, const ReplicaShares& shares)
    : communicator_(communicator), exchange_(exchange), whole_at_(exchange.attempts()) {
  share(shares);
}

void ExchangeOverRanks::share(const ReplicaShares& shares) {
  make_whole();
  shares_ = shares;
  own_ = ladder_share(shares, communicator_.rank(), exchange_.states());
  ladders_span_ranks_ = std::any_of(shares.first.begin(), shares.first.end(),
                                    [this](int first) { return first % exchange_.states() != 0; });
}

ExchangeOverRanks::Replicas ExchangeOverRanks::needed_by(int rank) const {
  const int states = exchange_.states();
  const auto decided = ladder_share(shares_, rank, states).decided;
  return {decided.first * states, decided.last * states};
}

/// Returns (replicas of the ladders decided here, parts) from (own replicas, parts).
std::vector<double> ExchangeOverRanks::gather_ladder_energies(std::vector<double> mine) const {
  if (!ladders_span_ranks_) return mine;
  const int rank = communicator_.rank();
  const int first = shares_.first_of(rank), count = shares_.count_of(rank);
  const std::size_t parts = count > 0 ? mine.size() / static_cast<std::size_t>(count) : 0;
  const auto place_of = [&](int replica) {
    const int own = std::clamp(replica - first, 0, count);
    return mine.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(own) * parts);
  };
  std::vector<std::vector<double>> send;
  send.reserve(static_cast<std::size_t>(communicator_.size()));
  for (int to = 0; to < communicator_.size(); ++to) {
    const auto needed = needed_by(to);
    send.emplace_back(place_of(needed.first), place_of(needed.last));
  }
  // Ranks have replicas in ascending order, so received parts are concatenated in rank order.
  std::vector<double> all;
  for (const auto& part : communicator_.all_to_all(send)) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

void ExchangeOverRanks::attempt(const io::SampleRow& mine) {
  const std::size_t nodes = exchange_.screening().size();
  std::vector<double> rows;
  rows.reserve(mine.replica.size() * (parts_of_all + nodes));
  auto screened = mine.screened.begin();
  for (const auto& one : mine.replica) {
    rows.insert(rows.end(), {one.potential_kj_mol, one.contact_kj_mol, one.umbrella_variable_nm});
    rows.insert(rows.end(), screened, screened + static_cast<std::ptrdiff_t>(nodes));
    screened += static_cast<std::ptrdiff_t>(nodes);
  }
  rows = gather_ladder_energies(std::move(rows));

  std::vector<thermodynamics::EnergyParts> energy;
  energy.reserve(rows.size() / (parts_of_all + nodes));
  auto state =
      exchange_.state_indices().begin() + std::ptrdiff_t{own_.decided.first} * exchange_.states();
  for (std::size_t at = 0; at < rows.size(); at += parts_of_all + nodes) {
    const auto row = std::span<const double>(rows).subspan(at, parts_of_all + nodes);
    const auto others = row.subspan(parts_of_all);
    const auto& potential = exchange_.potentials()[static_cast<std::size_t>(*state++)];
    energy.push_back(
        potential.with_rest({0, row[1], row[2], {others.begin(), others.end()}}, row[0]));
  }
  exchange_.attempt(energy, own_);
}

void ExchangeOverRanks::make_whole() {
  if (exchange_.attempts() == whole_at_) return;
  auto changes = exchange_.changes();
  changes.walks = communicator_.all_gather(std::span<const ReplicaWalk>(changes.walks));
  communicator_.sum(std::span<std::int64_t>(changes.counts));
  exchange_.apply_changes(changes);
  whole_at_ = exchange_.attempts();
}

}  // namespace nfold::ensemble
