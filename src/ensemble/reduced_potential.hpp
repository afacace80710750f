// Energies of one configuration in any thermodynamic state, and a ladder of states as a line.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "dynamics/thermodynamic_state.hpp"

namespace nfold::ensemble {

using dynamics::ThermodynamicState;

/// [kJ/mol] The potential energy of one configuration, as far as states weigh parts differently.
struct EnergyParts {
  double rest = 0;      ///< all but native contacts
  double contacts = 0;  ///< at strength 1
  [[nodiscard]] double potential(const ThermodynamicState& state) const {
    return rest + state.contact_strength * contacts;
  }
};

/// 1/kT [mol/kJ]
[[nodiscard]] double beta_of(const ThermodynamicState& state);
/// U/kT, whose negative is the logarithm of the configuration's weight in the state.
[[nodiscard]] double reduced_potential(const EnergyParts& energy, const ThermodynamicState& state);

/// A ladder as a line through its states, linear between neighbours. Its coordinate is the
/// temperature [K] where that varies, else the contact strength.
class LadderPath {
 public:
  /// std::invalid_argument unless is_a_path(states).
  explicit LadderPath(std::vector<ThermodynamicState> states);

  /// The temperature ascends from state to state, or is the same of all while the strength of
  /// contacts rises or falls throughout; numbers are positive.
  [[nodiscard]] static bool is_a_path(const std::vector<ThermodynamicState>& states);

  [[nodiscard]] bool is_of_temperature() const { return of_temperature_; }
  [[nodiscard]] const std::vector<ThermodynamicState>& states() const { return states_; }
  [[nodiscard]] double coordinate(const ThermodynamicState& state) const {
    return of_temperature_ ? state.temperature_kelvin : state.contact_strength;
  }
  [[nodiscard]] double lowest() const;
  [[nodiscard]] double highest() const;
  /// What lies at the coordinate, which is cut to the ladder's range.
  [[nodiscard]] ThermodynamicState at(double coordinate) const;

 private:
  std::vector<ThermodynamicState> states_;
  bool of_temperature_;
};

/// Some state's contacts have another strength than 1.
[[nodiscard]] bool scales_contacts(const std::vector<ThermodynamicState>& states);

}  // namespace nfold::ensemble
