// MBAR: free energies of states, and averages in any state, from samples of all.
// SPDX-License-Identifier: BSD-3-Clause
//
// Shirts and Chodera, J. Chem. Phys. 129, 124105 (2008). It is WHAM without bins.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace nfold::analysis {

/// Samples of states whose reduced potential is linear in some features of a sample: u_k(x) = sum_f
/// coefficient(k, f) feature(x, f). For temperatures the only feature is the potential energy, with
/// the coefficient 1/kT; scaled contacts or umbrellas add more.
struct SampledStates {
  std::size_t features = 1;
  std::vector<double> coefficient;  ///< (states, features)
  std::vector<double> feature;      ///< (samples, features)
  std::vector<double> count;        ///< (states) samples of each, all or independent ones

  [[nodiscard]] std::size_t states() const { return count.size(); }
  [[nodiscard]] std::size_t samples() const { return feature.size() / features; }
};

/// Calls item(k) for each k < items, in any order or concurrently.
using Loop = std::function<void(std::size_t items, const std::function<void(std::size_t k)>& item)>;
void run_sequentially(std::size_t items, const std::function<void(std::size_t k)>& item);

/// Maximum-likelihood free energies f_k = -ln Z_k (f_0 = 0) of the samples.
class Reweighting {
 public:
  /// Minimises a convex function by Newton's method, damped if it overshoots. Throws
  /// std::invalid_argument for states without samples or numbers that are not finite, AnalysisError
  /// if it does not converge. start: initial free energies, such as those of a similar set; empty:
  /// a guess. The bits do not depend on the loop.
  explicit Reweighting(SampledStates states, std::vector<double> start = {},
                       const Loop& loop = run_sequentially);

  [[nodiscard]] const std::vector<double>& free_energies() const { return free_energy_; }
  [[nodiscard]] const SampledStates& states() const { return states_; }
  /// Returns the weights (samples), with sum 1, in a state with these coefficients.
  [[nodiscard]] std::vector<double> weights(std::span<const double> coefficient) const;
  /// Returns the reduced free energy of such a state, on the scale of free_energies().
  [[nodiscard]] double free_energy(std::span<const double> coefficient) const;
  /// Returns the overlap matrix (states, states): row k, column l is the probability that a sample
  /// of k belongs to l (Klimovich et al., J. Comput. Aided Mol. Des. 29, 397 (2015)); rows sum to
  /// 1.
  [[nodiscard]] std::vector<double> overlap() const;

 private:
  [[nodiscard]] double reduced(std::span<const double> coefficient, std::size_t sample) const;
  [[nodiscard]] double reduced(std::size_t state, std::size_t sample) const;
  /// Returns the weight of a sample: below 1 if counts are of independent samples only.
  [[nodiscard]] double share() const;
  [[nodiscard]] std::vector<double> log_weights(std::span<const double> coefficient) const;
  struct Objective;
  /// Evaluates the objective at free_energy_, and sets log_denominator_.
  Objective objective(const Loop& loop);
  void add_samples(std::size_t first, std::size_t last, Objective& to);
  void guess(const Loop& loop);
  void solve(const Loop& loop);

  SampledStates states_;
  std::vector<double> free_energy_;
  std::vector<double> log_denominator_;  // (samples) ln sum_l N_l exp(f_l - u_l)
};

[[nodiscard]] double mean_of(std::span<const double> series);
/// Returns the sum of squared deviations.
[[nodiscard]] double squares_about(std::span<const double> series, double mean);
/// Returns the number of consecutive samples per independent one: 1 + 2 tau, from the sum of the
/// autocorrelation up to its first zero (Chodera et al., J. Chem. Theory Comput. 3, 26 (2007)); 1
/// for a constant series.
[[nodiscard]] double statistical_inefficiency(std::span<const double> series);

}  // namespace nfold::analysis
