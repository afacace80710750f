// Observables of a state: energies, pressure, forces, positions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

#include "dynamics/step_engine.hpp"

namespace nfold::dynamics {

// Collective. Implementations of the functions of Engine.

template <class Precision>
[[nodiscard]] Energies energies_of(StepEngine<Precision>& engine);
template <class Precision>
[[nodiscard]] std::vector<double> screened_energies_of(StepEngine<Precision>& engine,
                                                       const std::vector<double>& kappa_per_nm);
template <class Precision>
[[nodiscard]] Pressure pressure_of(StepEngine<Precision>& engine);
template <class Precision>
[[nodiscard]] std::vector<std::array<double, 3>> forces_on_owned(StepEngine<Precision>& engine);
template <class Precision>
void visit_positions_of(StepEngine<Precision>& engine, const PositionVisit& visit,
                        int residues_at_a_time);

}  // namespace nfold::dynamics
