// Bias energies of a collective variable.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "system/bias/variables.hpp"

namespace nfold::bias {

enum class BiasForm : int {
  harmonic,     ///< (k/2)(s - centre)^2
  flat_bottom,  ///< (k/2)(|s - centre| - half_width)^2 beyond half_width, 0 within
  linear        ///< k s, a constant pull to smaller s; to larger s for k < 0
};
inline constexpr std::array<std::string_view, 3> bias_form_names{"harmonic", "flat-bottom",
                                                                 "linear"};

/// A bias on one collective variable. Units of k: kJ/mol per squared unit of the variable; for a
/// linear bias, per unit.
struct Bias {
  Variable variable;
  BiasForm form = BiasForm::harmonic;
  double centre = 0, k = 0, half_width = 0;
  bool operator==(const Bias&) const = default;
};

/// Bias energy [kJ/mol] and its derivative by the variable.
struct BiasValue {
  double energy = 0, slope = 0;
};
[[nodiscard]] inline BiasValue value_at(const Bias& bias, double s) {
  const double off = s - bias.centre;
  switch (bias.form) {
    case BiasForm::harmonic:
      return {0.5 * bias.k * off * off, bias.k * off};
    case BiasForm::flat_bottom: {
      const double beyond = off - std::clamp(off, -bias.half_width, bias.half_width);
      return {0.5 * bias.k * beyond * beyond, bias.k * beyond};
    }
    case BiasForm::linear:
      return {bias.k * s, bias.k};
  }
  return {};
}

}  // namespace nfold::bias
