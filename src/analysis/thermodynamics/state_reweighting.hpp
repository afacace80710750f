// MBAR over thermodynamic states.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analysis/reweighting.hpp"
#include "analysis/thermodynamics/reduced_potential.hpp"

namespace nfold::thermodynamics {

/// Weights of samples in any state, from samples of some states.
class StateReweighting {
 public:
  /// energy: (samples); count: (states) number of samples; nodes: screenings of the energies; start
  /// and loop: see analysis::Reweighting, also for the exceptions.
  StateReweighting(const std::vector<system::ThermodynamicState>& states,
                   const std::vector<EnergyParts>& energy, const std::vector<double>& count,
                   ScreeningNodes nodes = {}, std::vector<double> start = {},
                   const analysis::Loop& loop = analysis::run_sequentially);

  [[nodiscard]] const ScreeningNodes& screening() const { return nodes_; }

  [[nodiscard]] const std::vector<double>& free_energies() const { return mbar_.free_energies(); }
  /// Returns the weights (samples), with sum 1. A contact strength other than 1 or an umbrella is
  /// allowed only if some of the sampled states have one.
  [[nodiscard]] std::vector<double> weights(const system::ThermodynamicState& state) const;

 private:
  // Features needed: contacts if a strength is not 1, umbrellas if there are any.
  bool contacts_, umbrellas_;
  ScreeningNodes nodes_;
  analysis::Reweighting mbar_;
};

}  // namespace nfold::thermodynamics
