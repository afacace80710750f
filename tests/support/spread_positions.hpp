// Random positions within a spread, in several periodic images, and with an outlier.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "system/state.hpp"

namespace nfold::test {

/// Layout has the members box, middle_nm, spread_nm (full widths) and has_outlier.
template <class Layout>
[[nodiscard]] std::vector<system::FixedPosition> spread_positions(const Layout& layout,
                                                                  std::size_t residues) {
  std::mt19937 random(23);
  std::uniform_real_distribution<double> fraction(-0.5, 0.5);
  std::vector<system::FixedPosition> positions(residues);
  for (auto& position : positions) {
    for (std::size_t k = 0; k < 3; ++k) {
      const double x = layout.middle_nm[k] + layout.spread_nm[k] * fraction(random);
      const auto turns =
          layout.box.is_periodic(k) ? static_cast<std::int64_t>(random() % 7) - 3 : 0;
      position[k] = layout.box.to_counts(k, x) + turns * (std::int64_t{1} << 44U);
    }
  }
  if (layout.has_outlier) {
    positions[5] = {layout.box.to_counts(0, 9e7), layout.box.to_counts(1, -4e8), 0};
  }
  return positions;
}

}  // namespace nfold::test
