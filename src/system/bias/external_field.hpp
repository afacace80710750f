// Potentials of the place of each bead: walls, and pulls towards a plane, a line or a point.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "system/bias/biases.hpp"

namespace nfold::bias {

/// U(s) = (k/2)(s - centre)^2 + slope (s - centre) for s >= inner, 0 below; s is the distance of a
/// bead from a plane, a line or a point, to the nearest image.
struct ExternalField {
  static constexpr std::int64_t forever = std::numeric_limits<std::int64_t>::max();

  std::vector<int> species;  ///< species whose beads feel it
  std::array<bool, 3>
      axes{};  ///< axes that count: one for a plane, two for a line, all for a point
  std::array<double, 3> origin_nm{};
  double inner_nm = 0, centre_nm = 0, k_kj_mol_nm2 = 0, slope_kj_mol_nm = 0;
  std::int64_t until_step = forever;  ///< acts on the positions of earlier steps

  /// Returns the energy at a distance, and its derivative.
  [[nodiscard]] BiasValue value_at(double s_nm) const {
    if (s_nm < inner_nm) return {};
    const double off = s_nm - centre_nm;
    return {0.5 * k_kj_mol_nm2 * off * off + slope_kj_mol_nm * off,
            k_kj_mol_nm2 * off + slope_kj_mol_nm};
  }
};

/// Most fields of a system: a bead has a bit for each.
inline constexpr std::size_t most_external_fields = 32;

}  // namespace nfold::bias
