// MBAR: free energies of states and averages at any other, from samples of all of them.
// SPDX-License-Identifier: BSD-3-Clause
//
// Shirts and Chodera, J. Chem. Phys. 129, 124105 (2008). WHAM without bins; WHAM itself (Ferrenberg
// and Swendsen, Phys. Rev. Lett. 63, 1195 (1989)) is here as a check of the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace nfold::analysis {

/// Samples of states whose reduced potential is linear in some features of a sample: u_k(x) = sum_f
/// coefficient(k, f) feature(x, f). For temperatures the one feature is the potential energy, the
/// coefficient 1/kT; scaled contacts or umbrellas are more of them.
struct SampledStates {
  std::size_t features = 1;
  std::vector<double> coefficient;  ///< (states, features)
  std::vector<double> feature;      ///< (samples, features)
  std::vector<double> count;        ///< (states) independent samples, or all of them, of each

  [[nodiscard]] std::size_t states() const { return count.size(); }
  [[nodiscard]] std::size_t samples() const { return feature.size() / features; }
};

/// Calls item(k) for each k < items, in any order or several at once.
using Loop = std::function<void(std::size_t items, const std::function<void(std::size_t k)>& item)>;
void one_after_another(std::size_t items, const std::function<void(std::size_t k)>& item);

/// Free energies f_k = -ln Z_k (f_0 = 0) that the samples make most likely.
class Reweighting {
 public:
  /// Newton's method on the convex function whose minimum they are, damped where it overshoots.
  /// std::invalid_argument for states without samples or numbers that are not finite; AnalysisError
  /// if it does not converge.
  /// The loop is in no bit.
  explicit Reweighting(SampledStates states, const Loop& loop = one_after_another);

  /// Free energies of the same samples, each of them taken so many times (samples). count: (states)
  /// samples of each state after that. Shares the samples with this object.
  [[nodiscard]] Reweighting resampled(std::vector<double> multiplicity,
                                      std::vector<double> count) const;

  [[nodiscard]] const std::vector<double>& free_energies() const { return free_energy_; }
  [[nodiscard]] const SampledStates& states() const { return *states_; }
  /// (samples) weights, their sum 1, in a state with these coefficients.
  [[nodiscard]] std::vector<double> weights(std::span<const double> coefficient) const;
  /// Reduced free energy of such a state, on the scale of free_energies().
  [[nodiscard]] double free_energy(std::span<const double> coefficient) const;
  /// (states, states) row k, column l: how much of a sample of k could be one of l (Klimovich et
  /// al., J. Comput. Aided Mol. Des. 29, 397 (2015)); rows add up to 1. pymbar's matrix.
  [[nodiscard]] std::vector<double> overlap() const;

 private:
  [[nodiscard]] double reduced(std::span<const double> coefficient, std::size_t sample) const;
  [[nodiscard]] double reduced(std::size_t state, std::size_t sample) const;
  Reweighting(const Reweighting& from, std::vector<double> multiplicity, std::vector<double> count);

  /// Counts may be of independent samples only: every sample then stands for a part of one.
  [[nodiscard]] double share() const;
  [[nodiscard]] double multiplicity(std::size_t sample) const {
    return multiplicity_.empty() ? 1 : multiplicity_[sample];
  }
  [[nodiscard]] std::vector<double> log_weights(std::span<const double> coefficient) const;
  void require_samples() const;
  struct Objective;
  /// Of free_energy_; leaves log_denominator_ behind.
  Objective objective(const Loop& loop);
  void add_samples(std::size_t first, std::size_t last, Objective& to);
  void guess(const Loop& loop);
  void solve(const Loop& loop);

  std::shared_ptr<const SampledStates> states_;
  std::vector<double> count_;         // (states)
  std::vector<double> multiplicity_;  // (samples) empty: each sample once
  std::vector<double> free_energy_;
  std::vector<double> log_denominator_;  // (samples) ln sum_l N_l exp(f_l - u_l)
};

/// The same for temperatures by histograms of the energy in bins of this width, and iteration.
[[nodiscard]] std::vector<double> wham_free_energies(std::span<const double> beta,
                                                     std::span<const double> energy,
                                                     std::span<const std::int64_t> state,
                                                     double bin_width);

/// Samples in a row for one independent one: 1 + 2 tau by the sum of the autocorrelation up to its
/// first zero (Chodera et al., J. Chem. Theory Comput. 3, 26 (2007)). 1 for a constant series.
[[nodiscard]] double statistical_inefficiency(std::span<const double> series);

}  // namespace nfold::analysis
