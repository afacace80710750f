// What a replica is given to sample: the temperature of its bath, and how much of the energy acts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace nfold::replicas {

/// Replicas that trade these instead of coordinates sample all of them (Sugita and Okamoto, Chem.
/// Phys. Lett. 314, 141 (1999); Fukunishi, Watanabe and Takada, J. Chem. Phys. 116, 9058 (2002)).
struct ThermodynamicState {
  double temperature_kelvin = 0;
  double contact_strength = 1;  ///< factor of the native contacts' energies and forces
  /// A harmonic bias on what the set's umbrellas act on; k = 0: none.
  double umbrella_centre_nm = 0, umbrella_k_kj_mol_nm2 = 0;
  /// Electrostatics of this temperature and salt: of the latter, of a pair of charges one nanometre
  /// apart (ke / eps_r), and of their screening. Of a coulomb of 0: the topology's own, in all
  /// states.
  double ionic_strength_molar = 0, coulomb_kj_mol_nm = 0, kappa_per_nm = 0;
  bool operator==(const ThermodynamicState&) const = default;
};

}  // namespace nfold::replicas
