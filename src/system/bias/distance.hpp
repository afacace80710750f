// Distance between two residues.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "system/bias/moments.hpp"

namespace nfold::bias {

/// Distance to the nearest image along periodic axes.
struct Distance : VariableDefaults {
  static constexpr std::string_view name = "distance", unit = "nm";
  static constexpr std::string_view about = "that of two residues, to the nearest image";
  static constexpr std::string_view takes = "two residues, such as [\"A:1\", \"A:76\"]";
  static constexpr bool is_radial = true, needs_one_molecule = false;

  [[nodiscard]] static bool fits(std::size_t residues) { return residues == 2; }
  [[nodiscard]] static std::vector<std::int64_t> weights(std::span<const double> /*mass_amu*/) {
    return {-1, 1};
  }
  [[nodiscard]] static Evaluation evaluate(const Moments& moments,
                                           std::span<const std::int64_t> /*weights*/,
                                           const system::Box& box) {
    std::array<double, 3> apart{};
    double squared = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto counts = static_cast<std::int64_t>(moments.first[axis]);
      apart[axis] = box.nm_per_count(axis) *
                    static_cast<double>(box.is_periodic(axis) ? nearest_image(counts) : counts);
      squared += apart[axis] * apart[axis];
    }
    Evaluation found;
    found.value = std::sqrt(squared);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      found.gradient.direction[axis] = found.value > 0 ? apart[axis] / found.value : 0;
    }
    for (std::size_t two = 0; two < axis_pairs.size(); ++two) {
      const auto [a, b] = axis_pairs[two];
      found.strain[two] = found.gradient.direction[a] * apart[b];
    }
    return found;
  }
  [[nodiscard]] static DirectValue direct(std::span<const Vector> x_nm,
                                          std::span<const double> /*mass_amu*/,
                                          const system::Box& box) {
    Vector apart{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      apart[axis] = box.nearest_nm(axis, x_nm[1][axis] - x_nm[0][axis]);
    }
    const double r = std::hypot(apart[0], apart[1], apart[2]);
    const Vector along{apart[0] / r, apart[1] / r, apart[2] / r};
    return {r, {{-along[0], -along[1], -along[2]}, along}};
  }

 private:
  /// Returns the low 44 bits with their sign.
  [[nodiscard]] static std::int64_t nearest_image(std::int64_t counts) {
    constexpr int above = 64 - system::Box::turn_bits;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(counts) << above) >> above;
  }
};

}  // namespace nfold::bias
