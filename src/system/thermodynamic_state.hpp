// Thermodynamic state of a replica: temperature and strengths of its interactions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace nfold::system {

/// Replica exchange trades these states instead of coordinates (Sugita and Okamoto, Chem. Phys.
/// Lett. 314, 141 (1999); Fukunishi, Watanabe and Takada, J. Chem. Phys. 116, 9058 (2002)).
struct ThermodynamicState {
  double temperature_kelvin = 0;
  double contact_strength = 1;  ///< factor of native contact energies and forces
  /// Harmonic bias on the variable of the set's umbrellas; k = 0: none.
  double umbrella_centre_nm = 0, umbrella_k_kj_mol_nm2 = 0;
  /// Electrostatics at this temperature and ionic strength: energy of a pair of unit charges at 1
  /// nm (ke / eps_r), and screening. coulomb_kj_mol_nm = 0: uses the topology's values, in all
  /// states.
  double ionic_strength_molar = 0, coulomb_kj_mol_nm = 0, kappa_per_nm = 0;
  bool operator==(const ThermodynamicState&) const = default;
};

}  // namespace nfold::system
