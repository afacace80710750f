// Constants of the unit system: nm, ps, amu, kJ/mol, e, kelvin.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace nfold::system {

// 1 amu nm^2/ps^2 = 1 kJ/mol, so F = m a needs no factor.
inline constexpr double k_boltzmann = 0.00831446261815324;         // [kJ/mol/kelvin], CODATA 2019
inline constexpr double mg_per_ml_of_amu_per_nm3 = 1.66053906660;  // CODATA 2018

}  // namespace nfold::system
