// First passages from samples, Kaplan-Meier curve, exponential fits and their tests.
// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/thermodynamics/first_passage.hpp"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <numeric>
#include <random>
#include <stdexcept>

#include "device/node_threads.hpp"

namespace nfold::thermodynamics {
namespace {

constexpr std::int64_t fewest_events_to_test = 5;
// Draws for the probability of a distance: 199, fewer for very many replicas.
constexpr std::size_t most_draws = 199, fewest_draws = 39, most_times_drawn = 4'000'000;
constexpr double passage_infinity = std::numeric_limits<double>::infinity();
constexpr double lower_tail = 0.025, upper_tail = 0.975;

double shortest_passage(const PassageTimes& times) {
  double shortest = passage_infinity;
  for (std::size_t r = 0; r < times.replicas(); ++r) {
    if (times.passed[r] != 0) shortest = std::min(shortest, times.time_ps[r]);
  }
  return shortest;
}

/// Returns the middle of the sampling interval before a passage; 0 for a passage in the first
/// sample.
double passage_middle_ps(const PassageTimes& times, double time_ps) {
  return std::max(0.0, time_ps - times.interval_ps / 2);
}

/// Fits lag, time at risk and mean, without confidence interval.
ExponentialFit most_likely(const PassageTimes& times, Lag lag) {
  ExponentialFit fit;
  fit.lag = lag;
  fit.events = times.events();
  if (lag == Lag::fitted && fit.events > 0)
    fit.lag_ps = passage_middle_ps(times, shortest_passage(times));
  for (std::size_t r = 0; r < times.replicas(); ++r) {
    const double until =
        times.passed[r] != 0 ? passage_middle_ps(times, times.time_ps[r]) : times.time_ps[r];
    fit.time_at_risk_ps += std::max(0.0, until - fit.lag_ps);
  }
  const std::int64_t free = fit.events - (lag == Lag::fitted ? 1 : 0);
  fit.mean_ps = free > 0 ? fit.time_at_risk_ps / static_cast<double>(free) : passage_infinity;
  return fit;
}

void add_interval(ExponentialFit& fit, bool all_passed) {
  const double free = 2 * static_cast<double>(fit.events - (fit.lag == Lag::fitted ? 1 : 0));
  const double more = all_passed ? 0 : 2;
  const auto mean_ps = [&](double tail, double degrees) {
    return 2 * fit.time_at_risk_ps / quantile(boost::math::chi_squared(degrees), tail);
  };
  fit.high_ps = free > 0 ? mean_ps(lower_tail, free) : passage_infinity;
  fit.low_ps = free + more > 0 ? mean_ps(upper_tail, free + more) : 0;
}

double expected_survival(const ExponentialFit& fit, double time_ps) {
  return time_ps <= fit.lag_ps ? 1 : std::exp(-(time_ps - fit.lag_ps) / fit.mean_ps);
}

double kolmogorov_distance(const PassageTimes& times, const ExponentialFit& fit) {
  const auto curve = kaplan_meier(times);
  double distance = 0, before = 1;
  for (std::size_t n = 0; n < curve.time_ps.size(); ++n) {
    // The survival before a step is known at the sample before.
    const double sample_before = std::max(0.0, curve.time_ps[n] - times.interval_ps);
    distance = std::max({distance, std::abs(before - expected_survival(fit, sample_before)),
                         std::abs(curve.survival[n] - expected_survival(fit, curve.time_ps[n]))});
    before = curve.survival[n];
  }
  if (before > 0) {
    distance = std::max(distance, std::abs(before - expected_survival(fit, times.end_ps)));
  }
  return distance;
}

/// Draws times from the fit, observed as long and as often as `like`, with one random number per
/// replica.
PassageTimes draw_passage_times(const ExponentialFit& fit, const PassageTimes& like,
                                std::mt19937_64& random) {
  PassageTimes times = like;
  for (std::size_t r = 0; r < times.replicas(); ++r) {
    const double share = static_cast<double>(random() >> 11U) * 0x1p-53;
    double time = fit.lag_ps - fit.mean_ps * std::log1p(-share);
    if (times.interval_ps > 0) time = std::ceil(time / times.interval_ps) * times.interval_ps;
    times.passed[r] = time <= times.end_ps ? 1 : 0;
    times.time_ps[r] = std::min(time, times.end_ps);
  }
  return times;
}

}  // namespace

std::int64_t PassageTimes::events() const {
  return std::ranges::count_if(passed, [](char has_passed) { return has_passed != 0; });
}

PassageTimes first_passages(const NativeFractionSamples& samples, std::size_t first,
                            std::size_t stride, Passing passing, double threshold) {
  const std::size_t count = samples.time_ps.size();
  if (count == 0 || stride == 0 || samples.native_fraction.size() % count != 0) {
    throw std::invalid_argument("passages without samples, or samples of unequal size");
  }
  const std::size_t replicas = samples.native_fraction.size() / count;
  PassageTimes found;
  found.end_ps = samples.time_ps.back();
  found.interval_ps = count > 1 ? samples.time_ps[1] - samples.time_ps[0] : 0;
  for (std::size_t r = first; r < replicas; r += stride) {
    std::size_t n = 0;
    const auto is_there = [&](double q) {
      return passing == Passing::folding ? q >= threshold : q <= threshold;
    };
    while (n < count && !is_there(samples.native_fraction[n * replicas + r])) ++n;
    found.passed.push_back(n < count ? 1 : 0);
    found.time_ps.push_back(n < count ? samples.time_ps[n] : found.end_ps);
  }
  return found;
}

SurvivalCurve kaplan_meier(const PassageTimes& times) {
  std::vector<std::size_t> order(times.replicas());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Replicas that pass at a time count as at risk together with those censored then.
  std::sort(order.begin(), order.end(), [&times](std::size_t a, std::size_t b) {
    if (times.time_ps[a] != times.time_ps[b]) return times.time_ps[a] < times.time_ps[b];
    return times.passed[a] > times.passed[b];
  });
  SurvivalCurve curve;
  double share = 1, greenwood = 0;
  for (std::size_t n = 0; n < order.size();) {
    const double time = times.time_ps[order[n]];
    const auto at_risk = static_cast<double>(order.size() - n);
    double events = 0;
    for (; n < order.size() && times.time_ps[order[n]] == time; ++n) {
      events += times.passed[order[n]] != 0 ? 1 : 0;
    }
    if (events == 0) continue;
    share *= (at_risk - events) / at_risk;
    if (events < at_risk) greenwood += events / (at_risk * (at_risk - events));
    curve.time_ps.push_back(time);
    curve.survival.push_back(share);
    curve.error.push_back(share * std::sqrt(greenwood));
  }
  return curve;
}

Survival survival_at(const SurvivalCurve& curve, double time_ps) {
  const auto behind = std::upper_bound(curve.time_ps.begin(), curve.time_ps.end(), time_ps);
  if (behind == curve.time_ps.begin()) return {};
  const auto n = static_cast<std::size_t>(behind - curve.time_ps.begin()) - 1;
  return {curve.survival[n], curve.error[n]};
}

double median_ps(const SurvivalCurve& curve) {
  for (std::size_t n = 0; n < curve.time_ps.size(); ++n) {
    if (curve.survival[n] <= 0.5 + 1e-9) return curve.time_ps[n];
  }
  return ExponentialFit::unknown;
}

ExponentialFit fit_exponential(const PassageTimes& times, Lag lag) {
  if (times.replicas() == 0) throw std::invalid_argument("a fit to the times of no replica");
  auto fit = most_likely(times, lag);
  add_interval(fit, fit.events == static_cast<std::int64_t>(times.replicas()));
  fit.distance = kolmogorov_distance(times, fit);
  return fit;
}

void test_fit(ExponentialFit& fit, const PassageTimes& times, std::uint64_t seed) {
  if (fit.events < fewest_events_to_test || !(fit.mean_ps > 0)) return;
  std::mt19937_64 random(seed);
  const std::size_t draws =
      std::clamp(most_times_drawn / times.replicas(), fewest_draws, most_draws);
  std::vector<std::mt19937_64> random_of;  // each continues where the one before it ends
  random_of.reserve(draws);
  for (std::size_t draw = 0; draw < draws; ++draw) {
    random_of.push_back(random);
    random.discard(times.replicas());
  }
  std::vector<char> is_as_far(draws);
  device::for_each_on_node_threads(draws, [&](std::size_t draw) {
    const auto other = draw_passage_times(fit, times, random_of[draw]);
    is_as_far[draw] =
        kolmogorov_distance(other, most_likely(other, fit.lag)) >= fit.distance ? 1 : 0;
  });
  const auto as_far = 1 + std::accumulate(is_as_far.begin(), is_as_far.end(), 0);  // 1: itself
  fit.probability = static_cast<double>(as_far) / static_cast<double>(draws + 1);
}

}  // namespace nfold::thermodynamics
