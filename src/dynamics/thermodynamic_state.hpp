// What a replica is given to sample: the temperature of its bath, and how much of the energy acts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace nfold::dynamics {

/// Replicas that trade these instead of coordinates sample all of them (Sugita and Okamoto, Chem.
/// Phys. Lett. 314, 141 (1999); Fukunishi, Watanabe and Takada, J. Chem. Phys. 116, 9058 (2002)).
struct ThermodynamicState {
  double temperature_kelvin = 0;
  double contact_strength = 1;  ///< factor of the native contacts' energies and forces
  bool operator==(const ThermodynamicState&) const = default;
};

}  // namespace nfold::dynamics
