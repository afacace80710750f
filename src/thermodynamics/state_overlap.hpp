// Overlap of neighbouring states, and which states reweighting can join.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "replicas/thermodynamic_state.hpp"
#include "thermodynamics/chosen_samples.hpp"

namespace nfold::thermodynamics {

/// (states - 1) of each state and the next: the smaller of the two elements beside the diagonal of
/// the overlap matrix of these two alone (analysis::Reweighting::overlap). 0: none; 0.5: all.
[[nodiscard]] std::vector<double> neighbour_overlaps(const FoldingSamples& from,
                                                     const ChosenSamples& chosen);

/// Consecutive states, both ends included.
struct StateRange {
  std::size_t first = 0, last = 0;
  [[nodiscard]] std::size_t size() const { return last - first + 1; }
};
/// Ranges that are cut where the overlap is below analysis::least_overlap.
[[nodiscard]] std::vector<StateRange> joined_states(const std::vector<double>& overlaps);

/// Names each pair of neighbours whose overlap is below the limit; empty without any.
[[nodiscard]] std::string describe_gaps(const std::vector<replicas::ThermodynamicState>& states,
                                        const std::vector<double>& overlaps);

/// MBAR over the states of a range, which must be joined. chosen: of all states.
[[nodiscard]] StateReweighting reweighting_of(const FoldingSamples& from,
                                              const ChosenSamples& chosen, const StateRange& range);
/// MBAR over all states. analysis::AnalysisError that names the gaps where there are any.
[[nodiscard]] StateReweighting reweighting_of_all(const FoldingSamples& from,
                                                  const ChosenSamples& chosen);

}  // namespace nfold::thermodynamics
