// Trades between neighbouring temperatures, and what they add up to.
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/temperature_exchange.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "dynamics/draws.hpp"
#include "dynamics/units.hpp"

namespace nfold::ensemble {
namespace {

enum CameFrom : char { nowhere = 0, the_lowest = 1, the_highest_after_it = 2 };

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
  const bool ascends =
      !temperatures_kelvin_.empty() && temperatures_kelvin_.front() > 0 &&
      std::adjacent_find(temperatures_kelvin_.begin(), temperatures_kelvin_.end(),
                         [](double a, double b) { return !(a < b); }) == temperatures_kelvin_.end();
  if (!ascends || ladders < 1) {
    throw std::invalid_argument("a ladder's temperatures must be positive and ascend");
  }
  const int count = temperatures() * ladders;
  for (int replica = 0; replica < count; ++replica) {
    state_of_.push_back(replica % temperatures());
    holder_.push_back(replica);
  }
  pairs_.resize(temperatures_kelvin_.size() - 1);
  round_trips_.resize(state_of_.size());
  came_from_.resize(state_of_.size());
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
}

void TemperatureExchange::note_ends() {
  const int highest = temperatures() - 1;
  if (highest == 0) return;
  for (std::size_t r = 0; r < state_of_.size(); ++r) {
    if (state_of_[r] == highest && came_from_[r] == the_lowest) {
      came_from_[r] = the_highest_after_it;
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
  return words;
}

void TemperatureExchange::restore(const std::vector<std::int64_t>& words) {
  const std::size_t count = state_of_.size();
  if (words.size() != 1 + 3 * count + 2 * pairs_.size()) {
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
}

}  // namespace nfold::ensemble
