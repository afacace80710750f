// Which residues fold first: native contacts in the basins and in the transition state.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "replicas/replica_observer.hpp"
#include "thermodynamics/folding.hpp"

namespace nfold::thermodynamics {

/// Bins of Q, both ends included.
struct QWindow {
  int first = 0, last = -1;
};

/// The unfolded basin, the transition state and the native basin of a profile F(Q).
struct FoldingWindows {
  QWindow unfolded, transition, native;
  [[nodiscard]] std::array<QWindow, 3> all() const { return {unfolded, transition, native}; }
};

/// Of F(Q) [kJ/mol] at a temperature, infinite where nothing was seen: basins are what is within kT
/// of the lowest place on each side of the pass, the transition state what is within kT/2 of its
/// top. Nothing for a barrier below kT/2.
[[nodiscard]] std::optional<FoldingWindows> folding_windows(const std::vector<double>& profile,
                                                            double kelvin);

/// Q_i, the share of residue i's native contacts that are formed, and phi values as simulations
/// define them: phi_i = (Q_i^TS - Q_i^U) / (Q_i^N - Q_i^U) (Onuchic, Socci, Luthey-Schulten and
/// Wolynes, Fold. Des. 1, 441 (1996)).
struct FoldingOrder {
  FoldingWindows windows;
  std::vector<int> states;                      ///< whose samples were taken
  std::vector<double> native_contacts;          ///< (residues)
  std::array<std::vector<double>, 3> fraction;  ///< (residues) in each window; no contact: not a
                                                ///< number
  std::vector<double> phi;  ///< (residues); not a number where both basins differ by less than 0.05
};

/// From counts of contacts by state and bin of Q. Bins are weighted by F(Q) at the folding state;
/// within a bin Q_i is that of the states near it (3 %, at least two), as it depends little on the
/// state there. Nothing where F(Q) has no barrier or a window no sample.
[[nodiscard]] std::optional<FoldingOrder> folding_order(
    const FoldingThermodynamics& found, const std::vector<replicas::ThermodynamicState>& states,
    const replicas::ObservedCounts& counts, const std::vector<replicas::ObservedContact>& contacts,
    int residues);

}  // namespace nfold::thermodynamics
