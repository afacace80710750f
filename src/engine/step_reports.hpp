// Reports on a state: energies, pressure, forces, positions, statistics.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

#include "engine/step_parts.hpp"

namespace nfold::engine {

// Implementations of the functions of Engine, collective where those are.

template <class Precision>
[[nodiscard]] Energies compute_energies(StepParts<Precision>& parts);
template <class Precision>
[[nodiscard]] std::vector<double> compute_screened_energies(
    StepParts<Precision>& parts, const std::vector<double>& kappa_per_nm);
template <class Precision>
[[nodiscard]] Pressure compute_pressure(StepParts<Precision>& parts);
template <class Precision>
[[nodiscard]] std::vector<std::array<double, 3>> compute_owned_forces(StepParts<Precision>& parts);
template <class Precision>
void visit_all_positions(StepParts<Precision>& parts, const PositionVisit& visit,
                         int residues_at_a_time);
/// Returns the owned rows.
template <class Precision>
[[nodiscard]] system::State download_state(const StepParts<Precision>& parts);
/// Returns the positions of all owned rows, or of some.
template <class Precision>
[[nodiscard]] std::vector<system::FixedPosition> download_positions(
    const StepParts<Precision>& parts);
template <class Precision>
[[nodiscard]] std::vector<system::FixedPosition> download_positions(
    const StepParts<Precision>& parts, const std::vector<int>& rows);
template <class Precision>
[[nodiscard]] EngineStatistics collect_statistics(const StepParts<Precision>& parts);

/// Collective. Returns all rows in order of id on rank 0, an empty state elsewhere.
[[nodiscard]] system::State gather_state(const comm::Communicator& communicator,
                                         const system::State& mine);
/// Collective. Returns all rows in order of id on every rank.
[[nodiscard]] system::State all_gather_state(const comm::Communicator& communicator,
                                             const system::State& mine);

/// Collective. Throws ExplosionError for the step after the current state.
template <class Precision>
[[noreturn]] void report_explosion(const StepParts<Precision>& parts);

}  // namespace nfold::engine
