// Constants of the unit system: nm, ps, amu, kJ/mol, e, kelvin.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace nfold::system {

// 1 amu nm^2/ps^2 = 1 kJ/mol, so F = m a needs no factor.
inline constexpr double k_boltzmann = 0.00831446261815324;  // [kJ/mol/kelvin], CODATA 2019

}  // namespace nfold::system
