// Exchanges between neighbouring states, and their statistics.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/ensemble/state_exchange.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "replicas/exchange_decision.hpp"

namespace nfold::ensemble {
namespace {

enum LastEnd : char {
  nowhere = 0,
  first_end = 1,
  last_end_after_first = 2,
  last_end_only = 3  // the first was never visited
};

/// Numbers of a state that a checkpoint keeps: all.
constexpr std::array saved_members{&system::ThermodynamicState::temperature_kelvin,
                                   &system::ThermodynamicState::contact_strength,
                                   &system::ThermodynamicState::umbrella_centre_nm,
                                   &system::ThermodynamicState::umbrella_k_kj_mol_nm2,
                                   &system::ThermodynamicState::ionic_strength_molar,
                                   &system::ThermodynamicState::coulomb_kj_mol_nm,
                                   &system::ThermodynamicState::kappa_per_nm};
static_assert(sizeof(system::ThermodynamicState) == saved_members.size() * sizeof(double));

/// Calls visit(count) for each count of pairs or of flows; const or not.
template <class Pairs, class Visit>
void each_pair_count(Pairs& pairs, const Visit& visit) {
  for (auto& pair : pairs) {
    visit(pair.attempts);
    visit(pair.accepted);
  }
}
template <class Flows, class Visit>
void each_flow_count(Flows& flows, const Visit& visit) {
  for (auto& here : flows) {
    visit(here.from_first);
    visit(here.from_last);
  }
}

/// Returns x with erfc(x) = y, for 0 < y < 2, by Newton's method from a rough start.
double inverse_erfc(double y) {
  double x = 0;
  for (int k = 0; k < 60; ++k) {
    const double slope = -2 / std::sqrt(M_PI) * std::exp(-x * x);
    const double step = (std::erfc(x) - y) / slope;
    x -= std::clamp(step, -0.5, 0.5);
  }
  return x;
}

}  // namespace

std::vector<double> geometric_ladder(double lowest_kelvin, double highest_kelvin, int count) {
  if (!(lowest_kelvin > 0) || !(highest_kelvin >= lowest_kelvin) || count < 1 ||
      (count > 1 && highest_kelvin == lowest_kelvin)) {
    throw std::invalid_argument("a ladder of " + std::to_string(count) + " temperatures from " +
                                std::to_string(lowest_kelvin) + " to " +
                                std::to_string(highest_kelvin) + " kelvin");
  }
  std::vector<double> kelvin(static_cast<std::size_t>(count), lowest_kelvin);
  const double ratio = highest_kelvin / lowest_kelvin;
  for (std::size_t k = 1; k < kelvin.size(); ++k) {
    kelvin[k] = lowest_kelvin *
                std::pow(ratio, static_cast<double>(k) / static_cast<double>(kelvin.size() - 1));
  }
  if (count > 1) kelvin.back() = highest_kelvin;
  return kelvin;
}

std::vector<system::ThermodynamicState> equalised_ladder(
    const std::vector<system::ThermodynamicState>& ladder, const std::vector<double>& acceptance) {
  const std::size_t count = ladder.size();
  if (acceptance.size() + 1 != count) throw std::invalid_argument("acceptances of other states");
  // Distances in units in which acceptance is erfc of the distance; bounded for pairs that never or
  // always exchange.
  std::vector<double> at{0};
  for (const double a : acceptance) {
    at.push_back(at.back() + inverse_erfc(std::clamp(a, 1e-4, 0.995)));
  }
  std::vector<system::ThermodynamicState> tuned{ladder.front()};
  std::size_t k = 0;
  for (std::size_t n = 1; n + 1 < count; ++n) {
    const double wanted = at.back() * static_cast<double>(n) / static_cast<double>(count - 1);
    while (k + 2 < count && at[k + 1] < wanted) ++k;
    const double share = (wanted - at[k]) / (at[k + 1] - at[k]);
    const auto& here = ladder[k];
    const auto& next = ladder[k + 1];
    const auto by_ratio = [&](double system::ThermodynamicState::*member) {
      return here.*member == next.*member
                 ? here.*member
                 : here.*member * std::pow(next.*member / here.*member, share);
    };
    // Umbrella centres and ionic strengths may be 0, so they vary in equal steps.
    const auto by_steps = [&](double system::ThermodynamicState::*member) {
      return here.*member + share * (next.*member - here.*member);
    };
    auto state = here;
    state.temperature_kelvin = by_ratio(&system::ThermodynamicState::temperature_kelvin);
    state.contact_strength = by_ratio(&system::ThermodynamicState::contact_strength);
    state.umbrella_centre_nm = by_steps(&system::ThermodynamicState::umbrella_centre_nm);
    state.ionic_strength_molar = by_steps(&system::ThermodynamicState::ionic_strength_molar);
    tuned.push_back(state);
  }
  if (count > 1) tuned.push_back(ladder.back());
  return tuned;
}

StateExchange::StateExchange(std::vector<system::ThermodynamicState> ladder, int ladders,
                             std::uint64_t seed, thermodynamics::ScreeningNodes nodes)
    : ladder_(thermodynamics::LadderPath(std::move(ladder)).states()),
      seed_(seed),
      nodes_(std::move(nodes)) {
  if (ladders < 1) throw std::invalid_argument("an exchange of no ladder");
  const int count = states() * ladders;
  for (int replica = 0; replica < count; ++replica) {
    state_indices_.push_back(replica % states());
    holder_.push_back(replica);
  }
  pairs_.resize(ladder_.size() - 1);
  round_trips_.resize(state_indices_.size());
  last_end_.resize(state_indices_.size());
  flow_.resize(ladder_.size());
  history_.push_back({0, ladder_});
  make_potentials();
  note_ends(all());
  become_whole();
}

void StateExchange::make_potentials() {
  potentials_.clear();
  potentials_.reserve(ladder_.size());
  for (const auto& state : ladder_) potentials_.emplace_back(state, nodes_);
}

void StateExchange::become_whole() {
  is_whole_ = true;
  share_ = {all(), all()};
  counts_before_ = counts();
}

std::vector<std::int64_t> StateExchange::counts() const {
  std::vector<std::int64_t> counts;
  counts.reserve(2 * (pairs_.size() + flow_.size()));
  const auto keep = [&counts](std::int64_t count) { counts.push_back(count); };
  each_pair_count(pairs_, keep);
  each_flow_count(flow_, keep);
  return counts;
}

void StateExchange::require_whole(const char* what) const {
  if (!is_whole_) throw std::logic_error(std::string(what) + " of ladders that are not known");
}

const system::ThermodynamicState& StateExchange::replica_state(int replica) const {
  const int ladder = replica / states();
  if (ladder < share_.decided.first || ladder >= share_.decided.last) {
    throw std::logic_error("the state of a replica whose ladder is not known");
  }
  return ladder_[static_cast<std::size_t>(state_indices_[static_cast<std::size_t>(replica)])];
}

void StateExchange::attempt(const std::vector<thermodynamics::EnergyParts>& energy) {
  require_whole("an exchange");
  attempt(energy, {all(), all()});
  become_whole();
}

void StateExchange::attempt(const std::vector<thermodynamics::EnergyParts>& energy,
                            const LadderShare& share) {
  const auto& [decided, counted] = share;
  if (!(share == share_)) require_whole("an exchange");
  if (energy.size() != first_replica(decided.last) - first_replica(decided.first)) {
    throw std::invalid_argument("energies of another number of replicas");
  }
  for (int ladder = decided.first; ladder < decided.last; ++ladder) {
    const auto* const first = energy.data() + first_replica(ladder - decided.first);
    decide(ladder, first, ladder >= counted.first && ladder < counted.last);
  }
  ++attempts_;
  note_ends(decided);
  count_flow(counted);
  share_ = share;
  is_whole_ = false;
}

/// energy: (states) of the ladder's replicas.
void StateExchange::decide(int ladder, const thermodynamics::EnergyParts* energy, bool counts) {
  const std::size_t first = first_replica(ladder);
  for (int low = static_cast<int>(attempts_ % 2); low + 1 < states(); low += 2) {
    int& below = holder_[first + static_cast<std::size_t>(low)];
    int& above = holder_[first + static_cast<std::size_t>(low) + 1];
    // Difference of the reduced potential after the exchange.
    const auto gain = [&](int replica, int from, int to) {
      const auto& parts = energy[static_cast<std::size_t>(replica) - first];
      return potentials_[static_cast<std::size_t>(to)].reduced(parts) -
             potentials_[static_cast<std::size_t>(from)].reduced(parts);
    };
    const double difference = gain(below, low, low + 1) + gain(above, low + 1, low);
    auto& pair = pairs_[static_cast<std::size_t>(low)];
    if (counts) ++pair.attempts;
    if (!replicas::accepts_exchange(
            {seed_, static_cast<std::uint32_t>(ladder), static_cast<std::uint32_t>(low),
             static_cast<std::uint64_t>(attempts_)},
            difference)) {
      continue;
    }
    if (counts) ++pair.accepted;
    std::swap(below, above);
    state_indices_[static_cast<std::size_t>(below)] = low;
    state_indices_[static_cast<std::size_t>(above)] = low + 1;
  }
}

void StateExchange::count_flow(LadderRange ladders) {
  if (states() == 1) return;
  for (std::size_t r = first_replica(ladders.first); r < first_replica(ladders.last); ++r) {
    auto& here = flow_[static_cast<std::size_t>(state_indices_[r])];
    if (last_end_[r] == first_end) ++here.from_first;
    if (last_end_[r] == last_end_after_first || last_end_[r] == last_end_only) {
      ++here.from_last;
    }
  }
}

ExchangeChanges StateExchange::changes() const {
  ExchangeChanges changes;
  const auto& [first, last] = share_.counted;
  for (std::size_t r = first_replica(first); r < first_replica(last); ++r) {
    changes.walks.push_back({state_indices_[r], last_end_[r], round_trips_[r]});
  }
  changes.counts = counts();
  for (std::size_t k = 0; k < changes.counts.size(); ++k) changes.counts[k] -= counts_before_[k];
  return changes;
}

void StateExchange::apply_changes(const ExchangeChanges& of_all) {
  if (of_all.walks.size() != state_indices_.size() ||
      of_all.counts.size() != counts_before_.size()) {
    throw std::invalid_argument("news of another number of replicas or states");
  }
  for (std::size_t r = 0; r < state_indices_.size(); ++r) {
    const auto& walk = of_all.walks[r];
    state_indices_[r] = walk.state;
    last_end_[r] = static_cast<char>(walk.last_end);
    round_trips_[r] = walk.round_trips;
    const std::size_t first = r / ladder_.size() * ladder_.size();
    holder_[first + static_cast<std::size_t>(walk.state)] = static_cast<int>(r);
  }
  std::size_t at = 0;
  const auto take_next = [&](std::int64_t& count) {
    count = counts_before_[at] + of_all.counts[at];
    ++at;
  };
  each_pair_count(pairs_, take_next);
  each_flow_count(flow_, take_next);
  become_whole();
}

std::vector<system::ThermodynamicState> StateExchange::tuned_ladder() const {
  std::vector<double> acceptance;
  acceptance.reserve(pairs_.size());
  // Two attempts, one of them accepted, are added to each pair: few attempts then never give 0 or
  // 1.
  for (const auto& pair : pairs_) {
    acceptance.push_back(static_cast<double>(pair.accepted + 1) /
                         static_cast<double>(pair.attempts + 2));
  }
  return equalised_ladder(ladder_, acceptance);
}

void StateExchange::change_ladder(std::int64_t step,
                                  std::vector<system::ThermodynamicState> ladder) {
  if (ladder.size() != ladder_.size()) {
    throw std::invalid_argument("a ladder of another number of states");
  }
  require_whole("a change");
  ladder_ = thermodynamics::LadderPath(std::move(ladder)).states();
  make_potentials();
  history_.push_back({step, ladder_});
  pairs_.assign(pairs_.size(), {});
  flow_.assign(flow_.size(), {});
  round_trips_.assign(round_trips_.size(), 0);
  last_end_.assign(last_end_.size(), nowhere);
  note_ends(all());
  become_whole();
}

void StateExchange::note_ends(LadderRange ladders) {
  const int last = states() - 1;
  if (last == 0) return;
  for (std::size_t r = first_replica(ladders.first); r < first_replica(ladders.last); ++r) {
    if (state_indices_[r] == last) {
      if (last_end_[r] == first_end) last_end_[r] = last_end_after_first;
      if (last_end_[r] == nowhere) last_end_[r] = last_end_only;
    } else if (state_indices_[r] == 0) {
      if (last_end_[r] == last_end_after_first) ++round_trips_[r];
      last_end_[r] = first_end;
    }
  }
}

std::int64_t StateExchange::round_trips() const {
  std::int64_t sum = 0;
  for (const auto trips : round_trips_) sum += trips;
  return sum;
}

std::vector<std::int64_t> StateExchange::saved() const {
  require_whole("a checkpoint");
  std::vector<std::int64_t> words{attempts_};
  for (const int state : state_indices_) words.push_back(state);
  const auto keep = [&words](std::int64_t count) { words.push_back(count); };
  each_pair_count(pairs_, keep);
  words.insert(words.end(), round_trips_.begin(), round_trips_.end());
  words.insert(words.end(), last_end_.begin(), last_end_.end());
  each_flow_count(flow_, keep);
  for (const auto& ladder : history_) {
    words.push_back(ladder.step);
    for (const auto& state : ladder.states) {
      for (const auto member : saved_members) {
        words.push_back(std::bit_cast<std::int64_t>(state.*member));
      }
    }
  }
  return words;
}

void StateExchange::restore(const std::vector<std::int64_t>& words) {
  const std::size_t count = state_indices_.size();
  const std::size_t before_history = 1 + 3 * count + 2 * pairs_.size() + 2 * flow_.size();
  const std::size_t of_a_ladder = 1 + saved_members.size() * ladder_.size();
  if (words.size() <= before_history || (words.size() - before_history) % of_a_ladder != 0) {
    throw std::invalid_argument("the exchange saved is of other ladders");
  }
  auto from = words.begin();
  attempts_ = *from++;
  std::vector<int> holder(count, -1);
  for (std::size_t r = 0; r < count; ++r) {
    const auto state = *from++;
    if (state < 0 || state >= states()) {
      throw std::invalid_argument("the exchange saved names a state that is not there");
    }
    const std::size_t ladder = r / ladder_.size();
    holder[ladder * ladder_.size() + static_cast<std::size_t>(state)] = static_cast<int>(r);
    state_indices_[r] = static_cast<int>(state);
  }
  if (std::find(holder.begin(), holder.end(), -1) != holder.end()) {
    throw std::invalid_argument("the exchange saved has a state twice");
  }
  holder_ = std::move(holder);
  const auto take_next = [&from](std::int64_t& number) { number = *from++; };
  each_pair_count(pairs_, take_next);
  for (auto& trips : round_trips_) trips = *from++;
  for (auto& end : last_end_) end = static_cast<char>(*from++);
  each_flow_count(flow_, take_next);
  history_.clear();
  while (from != words.end()) {
    LadderEpoch ladder{*from++, {}};
    for (int k = 0; k < states(); ++k) {
      system::ThermodynamicState state;
      for (const auto member : saved_members) state.*member = std::bit_cast<double>(*from++);
      ladder.states.push_back(state);
    }
    if (!thermodynamics::LadderPath::is_path(ladder.states)) {
      throw std::invalid_argument("the exchange saved has a ladder that is none");
    }
    history_.push_back(std::move(ladder));
  }
  ladder_ = history_.back().states;
  make_potentials();
  become_whole();
}

}  // namespace nfold::ensemble
