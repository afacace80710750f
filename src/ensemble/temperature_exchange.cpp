// Trades between neighbouring temperatures, and what they add up to.
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/temperature_exchange.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "dynamics/draws.hpp"
#include "dynamics/units.hpp"

namespace nfold::ensemble {
namespace {

enum CameFrom : char {
  nowhere = 0,
  the_lowest = 1,
  the_highest_after_it = 2,
  the_highest_first = 3  // and the lowest never
};

void require_ascending(const std::vector<double>& kelvin) {
  const bool ascends = !kelvin.empty() && kelvin.front() > 0 &&
                       std::adjacent_find(kelvin.begin(), kelvin.end(), [](double a, double b) {
                         return !(a < b);
                       }) == kelvin.end();
  if (!ascends) throw std::invalid_argument("a ladder's temperatures must be positive and ascend");
}

/// x with erfc(x) = y, for 0 < y < 2: Newton's method from a rough start.
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

std::vector<double> equalised_ladder(const std::vector<double>& temperatures_kelvin,
                                     const std::vector<double>& acceptance) {
  const std::size_t count = temperatures_kelvin.size();
  if (acceptance.size() + 1 != count) {
    throw std::invalid_argument("acceptances of other temperatures");
  }
  // Distance of a pair in units in which acceptance is erfc of it; a pair that never or always
  // trades is taken to be far or near, but not without bounds.
  std::vector<double> at{0};
  for (const double a : acceptance) {
    at.push_back(at.back() + inverse_erfc(std::clamp(a, 1e-4, 0.995)));
  }
  std::vector<double> kelvin{temperatures_kelvin.front()};
  std::size_t k = 0;
  for (std::size_t n = 1; n + 1 < count; ++n) {
    const double wanted = at.back() * static_cast<double>(n) / static_cast<double>(count - 1);
    while (k + 2 < count && at[k + 1] < wanted) ++k;
    const double share = (wanted - at[k]) / (at[k + 1] - at[k]);
    kelvin.push_back(temperatures_kelvin[k] *
                     std::pow(temperatures_kelvin[k + 1] / temperatures_kelvin[k], share));
  }
  if (count > 1) kelvin.push_back(temperatures_kelvin.back());
  return kelvin;
}

TemperatureExchange::TemperatureExchange(std::vector<double> temperatures_kelvin, int ladders,
                                         std::uint64_t seed)
    : temperatures_kelvin_(std::move(temperatures_kelvin)), seed_(seed) {
  require_ascending(temperatures_kelvin_);
  if (ladders < 1) throw std::invalid_argument("an exchange of no ladder");
  const int count = temperatures() * ladders;
  for (int replica = 0; replica < count; ++replica) {
    state_of_.push_back(replica % temperatures());
    holder_.push_back(replica);
  }
  pairs_.resize(temperatures_kelvin_.size() - 1);
  round_trips_.resize(state_of_.size());
  came_from_.resize(state_of_.size());
  flow_.resize(temperatures_kelvin_.size());
  history_.push_back({0, temperatures_kelvin_});
  note_ends();
}

double TemperatureExchange::temperature_of(int replica) const {
  return temperatures_kelvin_[static_cast<std::size_t>(
      state_of_[static_cast<std::size_t>(replica)])];
}

void TemperatureExchange::attempt(const std::vector<double>& potential_kj_mol) {
  if (potential_kj_mol.size() != state_of_.size()) {
    throw std::invalid_argument("energies of another number of replicas");
  }
  const auto beta = [this](int state) {
    return 1 / (dynamics::k_boltzmann * temperatures_kelvin_[static_cast<std::size_t>(state)]);
  };
  for (int ladder = 0; ladder < ladders(); ++ladder) {
    const std::size_t first = static_cast<std::size_t>(ladder) * temperatures_kelvin_.size();
    for (int low = static_cast<int>(attempts_ % 2); low + 1 < temperatures(); low += 2) {
      int& below = holder_[first + static_cast<std::size_t>(low)];
      int& above = holder_[first + static_cast<std::size_t>(low) + 1];
      const double difference =
          (beta(low + 1) - beta(low)) * (potential_kj_mol[static_cast<std::size_t>(below)] -
                                         potential_kj_mol[static_cast<std::size_t>(above)]);
      auto& pair = pairs_[static_cast<std::size_t>(low)];
      ++pair.attempts;
      if (!dynamics::accepts_exchange(
              {seed_, static_cast<std::uint32_t>(ladder), static_cast<std::uint32_t>(low),
               static_cast<std::uint64_t>(attempts_)},
              difference)) {
        continue;
      }
      ++pair.accepted;
      std::swap(below, above);
      state_of_[static_cast<std::size_t>(below)] = low;
      state_of_[static_cast<std::size_t>(above)] = low + 1;
    }
  }
  ++attempts_;
  note_ends();
  if (temperatures() == 1) return;
  for (std::size_t r = 0; r < state_of_.size(); ++r) {
    auto& here = flow_[static_cast<std::size_t>(state_of_[r])];
    if (came_from_[r] == the_lowest) ++here.from_lowest;
    if (came_from_[r] == the_highest_after_it || came_from_[r] == the_highest_first) {
      ++here.from_highest;
    }
  }
}

std::vector<double> TemperatureExchange::tuned_ladder() const {
  std::vector<double> acceptance;
  acceptance.reserve(pairs_.size());
  // As if two more had been seen, one of them accepted: few attempts are never all or nothing.
  for (const auto& pair : pairs_) {
    acceptance.push_back(static_cast<double>(pair.accepted + 1) /
                         static_cast<double>(pair.attempts + 2));
  }
  return equalised_ladder(temperatures_kelvin_, acceptance);
}

void TemperatureExchange::change_ladder(std::int64_t step,
                                        std::vector<double> temperatures_kelvin) {
  require_ascending(temperatures_kelvin);
  if (temperatures_kelvin.size() != temperatures_kelvin_.size()) {
    throw std::invalid_argument("a ladder of another number of temperatures");
  }
  temperatures_kelvin_ = std::move(temperatures_kelvin);
  history_.push_back({step, temperatures_kelvin_});
  pairs_.assign(pairs_.size(), {});
  flow_.assign(flow_.size(), {});
  round_trips_.assign(round_trips_.size(), 0);
  came_from_.assign(came_from_.size(), nowhere);
  note_ends();
}

void TemperatureExchange::note_ends() {
  const int highest = temperatures() - 1;
  if (highest == 0) return;
  for (std::size_t r = 0; r < state_of_.size(); ++r) {
    if (state_of_[r] == highest) {
      if (came_from_[r] == the_lowest) came_from_[r] = the_highest_after_it;
      if (came_from_[r] == nowhere) came_from_[r] = the_highest_first;
    } else if (state_of_[r] == 0) {
      if (came_from_[r] == the_highest_after_it) ++round_trips_[r];
      came_from_[r] = the_lowest;
    }
  }
}

std::int64_t TemperatureExchange::round_trips() const {
  std::int64_t sum = 0;
  for (const auto trips : round_trips_) sum += trips;
  return sum;
}

std::vector<std::int64_t> TemperatureExchange::saved() const {
  std::vector<std::int64_t> words{attempts_};
  for (const int state : state_of_) words.push_back(state);
  for (const auto& pair : pairs_) {
    words.push_back(pair.attempts);
    words.push_back(pair.accepted);
  }
  words.insert(words.end(), round_trips_.begin(), round_trips_.end());
  words.insert(words.end(), came_from_.begin(), came_from_.end());
  for (const auto& here : flow_) {
    words.push_back(here.from_lowest);
    words.push_back(here.from_highest);
  }
  for (const auto& ladder : history_) {
    words.push_back(ladder.step);
    for (const double kelvin : ladder.temperatures_kelvin) {
      words.push_back(std::bit_cast<std::int64_t>(kelvin));
    }
  }
  return words;
}

void TemperatureExchange::restore(const std::vector<std::int64_t>& words) {
  const std::size_t count = state_of_.size();
  const std::size_t before_history = 1 + 3 * count + 2 * pairs_.size() + 2 * flow_.size();
  const std::size_t of_a_ladder = 1 + temperatures_kelvin_.size();
  if (words.size() <= before_history || (words.size() - before_history) % of_a_ladder != 0) {
    throw std::invalid_argument("the exchange saved is of other ladders");
  }
  auto from = words.begin();
  attempts_ = *from++;
  std::vector<int> holder(count, -1);
  for (std::size_t r = 0; r < count; ++r) {
    const auto state = *from++;
    if (state < 0 || state >= temperatures()) {
      throw std::invalid_argument("the exchange saved names a state that is not there");
    }
    const std::size_t ladder = r / temperatures_kelvin_.size();
    holder[ladder * temperatures_kelvin_.size() + static_cast<std::size_t>(state)] =
        static_cast<int>(r);
    state_of_[r] = static_cast<int>(state);
  }
  if (std::find(holder.begin(), holder.end(), -1) != holder.end()) {
    throw std::invalid_argument("the exchange saved has a state twice");
  }
  holder_ = std::move(holder);
  for (auto& pair : pairs_) {
    pair.attempts = *from++;
    pair.accepted = *from++;
  }
  for (auto& trips : round_trips_) trips = *from++;
  for (auto& end : came_from_) end = static_cast<char>(*from++);
  for (auto& here : flow_) {
    here.from_lowest = *from++;
    here.from_highest = *from++;
  }
  history_.clear();
  while (from != words.end()) {
    LadderSince ladder{*from++, {}};
    for (int k = 0; k < temperatures(); ++k) {
      ladder.temperatures_kelvin.push_back(std::bit_cast<double>(*from++));
    }
    require_ascending(ladder.temperatures_kelvin);
    history_.push_back(std::move(ladder));
  }
  temperatures_kelvin_ = history_.back().temperatures_kelvin;
}

}  // namespace nfold::ensemble
