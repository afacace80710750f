// Observables of a state: energies, pressure, forces, positions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

#include "engine/step_engine.hpp"

namespace nfold::engine {

// Collective. Implementations of the functions of Engine.

template <class Precision>
[[nodiscard]] Energies compute_energies(StepEngine<Precision>& engine);
template <class Precision>
[[nodiscard]] std::vector<double> compute_screened_energies(
    StepEngine<Precision>& engine, const std::vector<double>& kappa_per_nm);
template <class Precision>
[[nodiscard]] Pressure compute_pressure(StepEngine<Precision>& engine);
template <class Precision>
[[nodiscard]] std::vector<std::array<double, 3>> compute_owned_forces(
    StepEngine<Precision>& engine);
template <class Precision>
void visit_all_positions(StepEngine<Precision>& engine, const PositionVisit& visit,
                         int residues_at_a_time);

}  // namespace nfold::engine
