// Methods that an input chooses and the model or the engine applies.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace nfold::system {

// Enumerators have the order of their names in the keys of `input`.

enum class Integrator { langevin_baoab, velocity_verlet };
enum class Precision { mixed, full };  // `mixed`, `double`
enum class ContactMap { shadow, heavy_atom, calpha };
enum class ContactPotential { lennard_jones_12_10, gaussian };

}  // namespace nfold::system
