// MBAR over thermodynamic states.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analysis/reweighting.hpp"
#include "thermodynamics/reduced_potential.hpp"

namespace nfold::thermodynamics {

/// Weights of samples in any state, from those of some.
class StateReweighting {
 public:
  /// (samples) energies; (states) how many of them each has; nodes: of their screened energies;
  /// loop: as analysis::Reweighting. What that throws.
  StateReweighting(const std::vector<replicas::ThermodynamicState>& states,
                   const std::vector<EnergyParts>& energy, const std::vector<double>& count,
                   ScreeningNodes nodes = {},
                   const analysis::Loop& loop = analysis::one_after_another);

  /// As analysis::Reweighting::resampled.
  [[nodiscard]] StateReweighting resampled(std::vector<double> multiplicity,
                                           std::vector<double> count) const;

  [[nodiscard]] const ScreeningNodes& screening() const { return nodes_; }

  [[nodiscard]] const std::vector<double>& free_energies() const { return mbar_.free_energies(); }
  /// As analysis::Reweighting::overlap.
  [[nodiscard]] std::vector<double> overlap() const { return mbar_.overlap(); }
  /// (samples) their sum 1. Strengths of contacts other than the states', umbrellas or none: what
  /// no state has may be asked for only where the states differ in it.
  [[nodiscard]] std::vector<double> weights(const replicas::ThermodynamicState& state) const;

 private:
  // What of a configuration states weigh differently: only that is a feature.
  bool contacts_, umbrellas_;
  ScreeningNodes nodes_;
  analysis::Reweighting mbar_;
};

}  // namespace nfold::thermodynamics
