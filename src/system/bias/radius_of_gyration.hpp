// Radius of gyration of a set of residues.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "system/bias/moments.hpp"

namespace nfold::bias {

/// sqrt(sum m |x - centre of mass|^2 / sum m) of unwrapped positions. Equals the value of
/// MDAnalysis for an unwrapped chain.
struct RadiusOfGyration : VariableDefaults {
  static constexpr std::string_view name = "radius-of-gyration", unit = "nm";
  static constexpr std::string_view about = "weighed by mass, of unwrapped positions";
  static constexpr std::string_view takes =
      "the residues of one chain, such as [\"A\"] or [\"A:1-40\", \"A:45-71\"]";

  [[nodiscard]] static bool fits(std::size_t residues) { return residues >= 2; }
  /// Returns masses in units of 2^-10 amu.
  [[nodiscard]] static std::vector<std::int64_t> weights(std::span<const double> mass_amu) {
    std::vector<std::int64_t> weights;
    weights.reserve(mass_amu.size());
    for (const double mass : mass_amu) weights.push_back(std::llrint(1024 * mass));
    return weights;
  }
  /// Takes moments about the centre of mass rounded down. They stay exact, so the result does not
  /// depend on where the residues are.
  [[nodiscard]] static Evaluation evaluate(const Moments& moments,
                                           std::span<const std::int64_t> weights,
                                           const system::Box& box) {
    Wide total = 0;
    for (const std::int64_t weight : weights) total += weight;
    const auto weight = static_cast<double>(total);
    Evaluation found;
    std::array<Wide, 3> centre{};
    auto& rest = found.gradient.rest;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const Wide first = moments.first[axis];
      centre[axis] = first / total;
      if (centre[axis] * total > first) --centre[axis];
      rest[axis] = static_cast<double>(first - centre[axis] * total) / weight;
      found.gradient.centre[axis] = static_cast<std::int64_t>(centre[axis]);
    }
    std::array<double, 6> tensor{};  // gyration tensor [nm^2]
    for (std::size_t two = 0; two < axis_pairs.size(); ++two) {
      const auto [a, b] = axis_pairs[two];
      const Wide second = moments.second[two] - centre[a] * moments.first[b] -
                          centre[b] * moments.first[a] + centre[a] * centre[b] * total;
      tensor[two] = (static_cast<double>(second) / weight - rest[a] * rest[b]) *
                    box.nm_per_count(a) * box.nm_per_count(b);
    }
    found.value = std::sqrt(tensor[0] + tensor[1] + tensor[2]);
    if (!(found.value > 0)) return found;
    found.gradient.stretch = 1 / (weight * found.value);
    for (std::size_t two = 0; two < axis_pairs.size(); ++two) {
      found.strain[two] = tensor[two] / found.value;
    }
    return found;
  }
  [[nodiscard]] static DirectValue direct(std::span<const Vector> x_nm,
                                          std::span<const double> mass_amu,
                                          const system::Box& /*box*/) {
    double mass = 0, squared = 0;
    Vector centre{};
    for (std::size_t k = 0; k < x_nm.size(); ++k) {
      mass += mass_amu[k];
      for (std::size_t axis = 0; axis < 3; ++axis) centre[axis] += mass_amu[k] * x_nm[k][axis];
    }
    for (double& c : centre) c /= mass;
    for (std::size_t k = 0; k < x_nm.size(); ++k) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        squared += mass_amu[k] * std::pow(x_nm[k][axis] - centre[axis], 2);
      }
    }
    DirectValue found;
    found.value = std::sqrt(squared / mass);
    for (std::size_t k = 0; k < x_nm.size(); ++k) {
      auto& gradient = found.gradient.emplace_back();
      for (std::size_t axis = 0; axis < 3; ++axis) {
        gradient[axis] = mass_amu[k] * (x_nm[k][axis] - centre[axis]) / (mass * found.value);
      }
    }
    return found;
  }
};

}  // namespace nfold::bias
