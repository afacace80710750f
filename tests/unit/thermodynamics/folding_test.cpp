// Folding thermodynamics of two-state models with known results.
// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/thermodynamics/folding.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <stdexcept>
#include <utility>

#include "analysis/thermodynamics/chosen_samples.hpp"
#include "session/ensemble/state_exchange.hpp"
#include "system/units.hpp"

namespace nfold::thermodynamics {
namespace {

/// Test case 9 of physics.md: 200 kJ/mol between two states of equal weight at 340 K.
FoldingSamples two_states(int ladders, int times, double lowest_kelvin = 334,
                          double highest_kelvin = 346) {
  constexpr double heat = 200, middle = 340;
  FoldingSamples samples;
  for (const double kelvin : ensemble::geometric_ladder(lowest_kelvin, highest_kelvin, 7))
    samples.states.push_back({kelvin});
  samples.replicas = std::int64_t{7} * ladders;
  samples.contacts = 200;
  samples.residues = 1;
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::normal_distribution<double> normal;
  for (int time = 0; time < times; ++time) {
    for (int r = 0; r < 7 * ladders; ++r) {
      const double kelvin = samples.states[static_cast<std::size_t>(r % 7)].temperature_kelvin;
      const double weight = std::exp(heat / system::k_boltzmann *
                                     (1 / middle - 1 / kelvin));  // weight of the unfolded state
      const bool unfolded = uniform(random) < weight / (1 + weight);
      samples.potential_kj_mol.push_back(unfolded ? heat : 0);
      const double q = unfolded ? 0.3 + 0.08 * normal(random) : 0.8 + 0.06 * normal(random);
      samples.formed_contacts.push_back(static_cast<std::int32_t>(200 * std::clamp(q, 0.0, 1.0)));
      samples.state.push_back(r % 7);
    }
  }
  return samples;
}

/// 70 replicas at 900 times: 63,000 samples, a multiple of the number of replicas.
TEST(Reweighting, TakesAllSamplesWithinTheMemoryLimit) {
  const auto samples = two_states(10, 900);
  EXPECT_EQ(time_stride(samples), 1U);
  EXPECT_EQ(thinned(samples).energy.size(), samples.size());
  EXPECT_EQ(bootstrap_sets(samples, 3).at(0).energy.size(), samples.size());
}

TEST(Reweighting, ThinsEvenlyBeyondTheMemoryLimit) {
  const auto samples = two_states(10, 900);
  std::size_t memory = memory_limit_bytes;
  while (time_stride(samples, memory) == 1) memory /= 2;
  // Half of what all of them need, or more than that.
  EXPECT_EQ(time_stride(samples, memory), 2U);
  EXPECT_GE(time_stride(samples, memory / 8), 8U);
  EXPECT_EQ(time_stride(samples, 1), 900U);
}

TEST(Resampling, ThreadCountChangesNoResult) {
  const auto samples = two_states(20, 60);
  const auto start = make_reweighting(samples, thinned(samples)).free_energies();
  const auto last_values = [](const auto& other, const auto& drawn) {
    return std::pair(other.free_energies().back(), drawn.q.back());
  };
  const auto alone = for_bootstrap_sets(samples, 5, start, last_values, 1);
  EXPECT_EQ(alone.size(), static_cast<std::size_t>(bootstrap_set_count));
  EXPECT_EQ(for_bootstrap_sets(samples, 5, start, last_values, 3), alone);
  EXPECT_EQ(for_bootstrap_sets(samples, 5, start, last_values, 100), alone);
}

TEST(Resampling, RethrowsExceptionsOfThreads) {
  const auto samples = two_states(20, 60);
  const auto start = make_reweighting(samples, thinned(samples)).free_energies();
  const auto throws = [](const auto&, const auto& drawn) {
    if (drawn.energy.size() > 1) throw std::runtime_error("of a thread");
    return 0;
  };
  EXPECT_THROW((void)for_bootstrap_sets(samples, 5, start, throws, 2), std::runtime_error);
}

TEST(Folding, MatchesTheTwoStateCase) {
  const auto found = folding_thermodynamics(two_states(20, 300), 1);
  EXPECT_TRUE(found.maximum_is_inside());
  EXPECT_GT(found.peak.over_lower_end.value, 10 * found.peak.over_lower_end.error);
  EXPECT_GT(found.peak.over_lower_end.error, 0);
  EXPECT_GT(found.folding_coordinate.error, 0);
  EXPECT_LT(found.folding_coordinate.error, 0.1);
  EXPECT_NEAR(found.folding_coordinate.value, 339.72865165,
              4 * found.folding_coordinate.error + 0.02);
  const double kinetic = 1.5 * system::k_boltzmann;
  EXPECT_NEAR(found.heat_capacity_kj_mol_kelvin[60], 10.404182962174 + kinetic, 0.15);
  const double capacity_error = found.heat_capacity_error_kj_mol_kelvin[60];
  EXPECT_GT(capacity_error, 0);
  EXPECT_NEAR(found.heat_capacity_kj_mol_kelvin[60], 10.404182962174 + kinetic, 4 * capacity_error);
  // Between coarse points errors lie on a line.
  const auto& errors = found.heat_capacity_error_kj_mol_kelvin;
  EXPECT_NEAR(errors[61], (2 * errors[60] + errors[63]) / 3, 1e-12);
  EXPECT_NEAR(found.mean_native_fraction[60], 0.55, 4 * found.native_fraction_error[60]);
  ASSERT_EQ(found.at_folding_kj_mol.size(), 50U);
  ASSERT_EQ(found.at_folding_error_kj_mol.size(), found.at_folding_kj_mol.size());
  for (std::size_t bin = 0; bin < found.at_folding_kj_mol.size(); ++bin) {
    EXPECT_GE(found.at_folding_error_kj_mol[bin], 0) << bin;  // no NaN
    if (std::isinf(found.at_folding_kj_mol[bin])) {
      EXPECT_TRUE(std::isinf(found.at_folding_error_kj_mol[bin])) << bin;
    }
  }
  EXPECT_EQ(found.grid[60], system::ThermodynamicState{340});
  EXPECT_EQ(found.folding_state.contact_strength, 1);
  EXPECT_NEAR(found.mean_energy_kj_mol[60], 100, 4);
  EXPECT_NEAR(found.mean_native_fraction[60], 0.55, 0.02);
  EXPECT_TRUE(found.unseen.is_empty());
  EXPECT_GT(found.barrier_kt.value, 2);
  // Free energies of two states: -ln(1 + weight of unfolded), up to a constant.
  const auto f = [](double kelvin) {
    return -std::log(1 + std::exp(200 / system::k_boltzmann * (1.0 / 340 - 1 / kelvin)));
  };
  EXPECT_NEAR(found.reduced_free_energy.back(), f(346) - f(334), 0.03);
}

/// At 120 K: folded, contacts of -60 kJ/mol at strength 1, or one of exp(45) unfolded ones; with
/// energies that do not depend on the strength. The ladder falls from strength 1 to 0.5.
struct Strengths {
  static constexpr double kelvin = 120, contacts_kj_mol = -60, log_unfolded = 45;
  static double folded_share(double strength) {
    const double x = -strength * contacts_kj_mol / (system::k_boltzmann * kelvin) - log_unfolded;
    return 1 / (1 + std::exp(-x));
  }
  /// Strength of the highest variance of the energy, by exhaustive search.
  static double midpoint() {
    double best = 0, at = 0;
    for (double s = 0.5; s <= 1; s += 1e-5) {
      const double p = folded_share(s), variance = s * s * p * (1 - p);
      if (variance > best) best = variance, at = s;
    }
    return at;
  }
  static FoldingSamples samples(int ladders, int times) {
    FoldingSamples samples;
    for (int k = 0; k < 12; ++k) samples.states.push_back({kelvin, 1 - 0.5 * k / 11});
    samples.replicas = std::int64_t{12} * ladders;
    samples.contacts = 100;
    samples.residues = 1;
    std::mt19937_64 random(9);
    std::normal_distribution<double> normal;
    for (int n = 0; n < times * ladders; ++n) {
      for (int k = 0; k < 12; ++k) {
        const double strength = samples.states[static_cast<std::size_t>(k)].contact_strength;
        const bool folded = std::bernoulli_distribution(folded_share(strength))(random);
        const double contacts = folded ? contacts_kj_mol : 0;
        samples.contact_kj_mol.push_back(contacts);
        samples.potential_kj_mol.push_back(30 + 1e-3 * normal(random) + strength * contacts);
        samples.formed_contacts.push_back(folded ? 80 : 20);
        samples.state.push_back(k);
      }
    }
    return samples;
  }
};

TEST(Folding, FindsFoldingContactStrength) {
  const auto samples = Strengths::samples(10, 300);
  const auto found = folding_thermodynamics(samples, 1);
  EXPECT_TRUE(found.maximum_is_inside());
  const auto& strength = found.folding_coordinate;
  EXPECT_GT(strength.error, 0);
  EXPECT_LT(strength.error, 0.01);
  EXPECT_NEAR(strength.value, Strengths::midpoint(), 4 * strength.error + 1e-3);
  EXPECT_EQ(found.folding_state.temperature_kelvin, 120);
  // Mean energies and Q along the ladder, and free energies of its states.
  for (const std::size_t k : {20U, 60U, 100U}) {
    const double s = found.grid[k].contact_strength, p = Strengths::folded_share(s);
    EXPECT_NEAR(found.mean_native_fraction[k], 0.2 + 0.6 * p, 0.01) << s;
    EXPECT_NEAR(found.mean_energy_kj_mol[k], 30 + s * p * Strengths::contacts_kj_mol, 0.6) << s;
  }
  EXPECT_NEAR(found.reduced_free_energy.back(),
              std::log((1 - Strengths::folded_share(0.5)) / (1 - Strengths::folded_share(1))), 0.1);
}

/// Samples have Q of 0.2 or 0.8, without or with samples between.
TEST(Folding, ErrorsOfOneStateHaveOnePoint) {
  auto samples = two_states(20, 30);
  samples.states.resize(1);
  samples.state.assign(samples.size(), 0);
  const auto found = folding_thermodynamics(samples, 1);
  ASSERT_EQ(found.grid.size(), 1U);
  ASSERT_EQ(found.heat_capacity_error_kj_mol_kelvin.size(), 1U);
  EXPECT_GT(found.heat_capacity_error_kj_mol_kelvin[0], 0);
  ASSERT_EQ(found.native_fraction_error.size(), 1U);
  EXPECT_GT(found.native_fraction_error[0], 0);
}

TEST(Folding, HasNoBarrierAcrossAGapOfQ) {
  auto samples = Strengths::samples(10, 300);
  const auto found = folding_thermodynamics(samples, 1);
  EXPECT_FALSE(found.unseen.is_empty());
  EXPECT_NEAR(found.unseen.from, 0.4, 0.03);
  EXPECT_NEAR(found.unseen.to, 0.6, 0.03);
  EXPECT_TRUE(std::isnan(found.barrier_kt.value));
  for (std::size_t n = 0; n < samples.size(); n += 5) {
    samples.formed_contacts[n] = static_cast<std::int32_t>(20 + n / 5 % 61);
  }
  const auto seen = folding_thermodynamics(samples, 1);
  EXPECT_TRUE(seen.unseen.is_empty());
  EXPECT_GT(seen.barrier_kt.value, 0);
  // Every second bin can be filled by 25 contacts.
  samples.contacts = 25;
  for (auto& formed : samples.formed_contacts) formed /= 4;
  EXPECT_TRUE(folding_thermodynamics(samples, 1).unseen.is_empty());
}

TEST(Folding, DetectsMaximumOutside) {
  auto samples = two_states(10, 50);
  for (auto& energy : samples.potential_kj_mol) energy *= 1e-3;  // no transition left
  EXPECT_FALSE(folding_thermodynamics(samples, 1).maximum_is_inside());
}

/// The maximum of the exact model is at 339.73 K. A ladder that begins 0.2 K below it, with few
/// samples, has its own maximum inside, but cannot tell it from one at the end or beyond.
TEST(Folding, MaximumNearAnEndIsABound) {
  const auto low = folding_thermodynamics(two_states(4, 60, 339.55, 351), 1);
  ASSERT_GT(low.folding_coordinate.value, 339.55) << "else this test shows nothing";
  EXPECT_EQ(low.peak_position, PeakPosition::at_lower_end)
      << low.folding_coordinate.value << ": " << low.peak.over_lower_end.value << " +- "
      << low.peak.over_lower_end.error << ", " << low.peak.share_at_lower_end;
  EXPECT_FALSE(low.maximum_is_inside());
  const auto high = folding_thermodynamics(two_states(4, 60, 328, 339.9), 1);
  ASSERT_LT(high.folding_coordinate.value, 339.9) << "else this test shows nothing";
  EXPECT_EQ(high.peak_position, PeakPosition::at_upper_end)
      << high.folding_coordinate.value << ": " << high.peak.over_upper_end.value << " +- "
      << high.peak.over_upper_end.error << ", " << high.peak.share_at_upper_end;
  // Few samples suffice for a clear maximum.
  EXPECT_TRUE(folding_thermodynamics(two_states(4, 60), 1).maximum_is_inside());
}

TEST(Folding, ComparesMaximumWithBothEnds) {
  const Estimate clear{5, 1}, within{1.5, 1}, unknown{5, std::nan("")};
  const auto position = [](const Estimate& lower, const Estimate& upper, double at_lower = 0,
                           double at_upper = 0) {
    return Peak{lower, upper, at_lower, at_upper}.position();
  };
  EXPECT_EQ(position(clear, clear), PeakPosition::inside);
  EXPECT_EQ(position(within, clear), PeakPosition::at_lower_end);
  EXPECT_EQ(position(clear, within), PeakPosition::at_upper_end);
  EXPECT_EQ(position(within, within), PeakPosition::nowhere);
  EXPECT_EQ(position(clear, clear, 0.2), PeakPosition::at_lower_end);
  EXPECT_EQ(position(clear, clear, 0, 0.2), PeakPosition::at_upper_end);
  EXPECT_EQ(position(unknown, unknown), PeakPosition::nowhere);
}

/// One replica of 10 contacts between 2 (unfolded) and 8 (native): thirds at 4 and 6.
TEST(Folding, CountsTransitionsBetweenBasins) {
  FoldingSamples samples;
  samples.states = {{300}};
  samples.replicas = 1;
  samples.contacts = 10;
  samples.formed_contacts = {5, 8, 5, 7, 4, 5, 3, 6, 5, 2};
  samples.state.assign(10, 0);
  const auto found = count_transitions(samples, 0.2, 0.8);
  EXPECT_EQ(found.foldings, 1);
  EXPECT_EQ(found.unfoldings, 2);
  EXPECT_FALSE(found.are_enough());
  EXPECT_EQ(count_transitions(samples, 0.8, 0.8).foldings, 0) << "no change along the ladder";
}

/// Energies have a maximum of the heat capacity, but no replica changes its contacts.
TEST(Folding, HasNoFoldingTemperatureWithoutTransitions) {
  auto samples = two_states(20, 300);
  const auto folds = folding_thermodynamics(samples, 1);
  EXPECT_EQ(folds.peak_position, PeakPosition::inside);
  EXPECT_TRUE(folds.transitions.are_enough());
  for (std::size_t n = 0; n < samples.size(); ++n) {
    samples.formed_contacts[n] = samples.state[n] < 4 ? 160 : 60;
  }
  const auto found = folding_thermodynamics(samples, 1);
  EXPECT_EQ(found.transitions.foldings, 0);
  EXPECT_EQ(found.transitions.unfoldings, 0);
  EXPECT_EQ(found.peak_position, PeakPosition::too_few_transitions);
  EXPECT_FALSE(found.maximum_is_inside());
}

TEST(Folding, ComparesBothStarts) {
  auto samples = two_states(4, 400);
  EXPECT_TRUE(compare_starts(samples).agree()) << compare_starts(samples).largest_difference;
  // Odd ladders that never fold at the lowest temperature.
  for (std::size_t n = 0; n < samples.size(); ++n) {
    if (n % 28 / 7 % 2 == 1 && samples.state[n] == 0) samples.formed_contacts[n] = 20;
  }
  const auto starts = compare_starts(samples);
  EXPECT_FALSE(starts.agree());
  EXPECT_EQ(starts.at_state, 0U);
  EXPECT_GT(starts.largest_difference, 0.5);
}

TEST(Folding, RefusesInvalidSamples) {
  EXPECT_THROW((void)folding_thermodynamics({}, 1), std::invalid_argument);
  auto samples = two_states(1, 2);
  samples.state.pop_back();
  samples.potential_kj_mol.pop_back();
  EXPECT_THROW((void)folding_thermodynamics(samples, 1), std::invalid_argument);
}

std::vector<StartComparison> decaying(double first, double factor, int intervals) {
  std::vector<StartComparison> all;
  for (int k = 0; k < intervals; ++k, first *= factor) all.push_back({first, 0});
  return all;
}

TEST(Starts, HalvingDifferencePassesTolerance) {
  // Differences of 0.4, 0.2, 0.1, 0.05 in the middles of four intervals reach the tolerance at 3.5.
  // Two of six intervals were left out, so the next run counts from 5.5 of 16.5.
  EXPECT_NEAR(run_length_factor(decaying(0.4, 0.5, 4), 1.0 / 3), 16.5 / 6, 1e-9);
  // Twice the difference needs one interval more, so three of the whole.
  EXPECT_NEAR(run_length_factor(decaying(0.8, 0.5, 4), 1.0 / 3), 19.5 / 6, 1e-9);
  EXPECT_EQ(run_length_factor(decaying(0.01, 0.5, 4), 0.9), 1);
}

TEST(Starts, NoConvergenceGivesNoEstimate) {
  EXPECT_TRUE(std::isinf(run_length_factor(decaying(0.3, 1, 4), 0.3)));
  EXPECT_TRUE(std::isinf(run_length_factor(decaying(0.3, 1.1, 4), 0.3)));
  EXPECT_TRUE(std::isinf(run_length_factor({}, 0.3)));
}

TEST(Starts, AreComparedOverTime) {
  FoldingSamples samples;
  samples.states = {{100}};
  samples.replicas = 2;
  samples.contacts = 10;
  // One ladder stays at 10 contacts, the other comes up from 0 by 2 each time.
  for (int t = 0; t < 6; ++t) {
    samples.formed_contacts.insert(samples.formed_contacts.end(), {10, 2 * t});
    samples.state.insert(samples.state.end(), {0, 0});
    samples.potential_kj_mol.insert(samples.potential_kj_mol.end(), {0, 0});
  }
  const auto parts = compare_starts_over_time(samples, 3);
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_NEAR(parts[0].largest_difference, 0.9, 1e-12);
  EXPECT_NEAR(parts[1].largest_difference, 0.5, 1e-12);
  EXPECT_NEAR(parts[2].largest_difference, 0.1, 1e-12);
  EXPECT_TRUE(compare_starts_over_time(samples, 7).empty());
}

}  // namespace
}  // namespace nfold::thermodynamics
