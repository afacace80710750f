// Folding order of residues: native contacts in the basins and the transition state.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/thermodynamics/folding.hpp"
#include "replicas/replica_observer.hpp"

namespace nfold::thermodynamics {

/// Bins of Q, both ends included.
struct QWindow {
  int first = 0, last = -1;
};

/// Unfolded basin, transition state and native basin of a profile F(Q).
struct FoldingWindows {
  QWindow unfolded, transition, native;
  [[nodiscard]] std::array<QWindow, 3> all() const { return {unfolded, transition, native}; }
};

/// Finds the windows of F(Q) [kJ/mol] (infinite for unsampled bins): basins are within kT of the
/// minimum on each side of the barrier, the transition state within kT/2 of its top. Returns
/// nothing for a barrier below kT/2.
[[nodiscard]] std::optional<FoldingWindows> folding_windows(const std::vector<double>& profile,
                                                            double kelvin);

/// Q_i, the fraction of residue i's native contacts that are formed, and phi values as defined in
/// simulations: phi_i = (Q_i^TS - Q_i^U) / (Q_i^N - Q_i^U) (Onuchic, Socci, Luthey-Schulten and
/// Wolynes, Fold. Des. 1, 441 (1996)).
struct FoldingOrder {
  FoldingWindows windows;
  std::vector<int> states;                      ///< states whose samples were used
  std::vector<double> native_contacts;          ///< (residues)
  std::array<std::vector<double>, 3> fraction;  ///< (residues) in each window; NaN without contacts
  std::vector<double> phi;  ///< (residues); NaN if both basins differ by less than 0.05
};

/// Computes the order from contact counts by state and bin of Q. Bins are weighted by F(Q) at the
/// folding state. Within a bin, Q_i is averaged over the states near it (3 %, at least two), as it
/// depends little on the state there. Returns nothing if F(Q) has no barrier or a window no sample.
[[nodiscard]] std::optional<FoldingOrder> folding_order(
    const FoldingThermodynamics& found, const std::vector<system::ThermodynamicState>& states,
    const replicas::ObservedCounts& counts, const std::vector<replicas::ObservedContact>& contacts,
    int residues);

}  // namespace nfold::thermodynamics
