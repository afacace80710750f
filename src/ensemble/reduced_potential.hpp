// Energies of one configuration in any thermodynamic state, and a ladder of states as a line.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "dynamics/thermodynamic_state.hpp"

namespace nfold::ensemble {

using dynamics::ThermodynamicState;

/// [kJ/mol] The potential energy of one configuration, as far as states weigh parts differently.
struct EnergyParts {
  double rest = 0;         ///< all but native contacts
  double contacts = 0;     ///< at strength 1
  double distance_nm = 0;  ///< what umbrellas act on
  [[nodiscard]] double potential(const ThermodynamicState& state) const {
    return rest + state.contact_strength * contacts + umbrella(state);
  }
  [[nodiscard]] double umbrella(const ThermodynamicState& state) const {
    const double off = distance_nm - state.umbrella_centre_nm;
    return 0.5 * state.umbrella_k_kj_mol_nm2 * off * off;
  }
  /// From the energy [kJ/mol] in a state, and the other two.
  [[nodiscard]] static EnergyParts of(double potential, double contacts, double distance_nm,
                                      const ThermodynamicState& state);
};

/// 1/kT [mol/kJ]
[[nodiscard]] double beta_of(const ThermodynamicState& state);
/// U/kT, whose negative is the logarithm of the configuration's weight in the state.
[[nodiscard]] double reduced_potential(const EnergyParts& energy, const ThermodynamicState& state);

/// What a ladder's coordinate is.
enum class Varies { temperature, contact_strength, umbrella_centre };

/// A ladder as a line through its states, linear between neighbours. Its coordinate is the
/// temperature [K] where that varies, else the contact strength, else the umbrellas' centre [nm].
class LadderPath {
 public:
  /// std::invalid_argument unless is_a_path(states).
  explicit LadderPath(std::vector<ThermodynamicState> states);

  /// The temperature ascends from state to state, or is the same of all while the strength of
  /// contacts, or if that is one, too, the umbrellas' centre rises or falls throughout.
  /// Temperatures and strengths are positive.
  [[nodiscard]] static bool is_a_path(const std::vector<ThermodynamicState>& states);

  [[nodiscard]] Varies varies() const { return varies_; }
  [[nodiscard]] const std::vector<ThermodynamicState>& states() const { return states_; }
  [[nodiscard]] double coordinate(const ThermodynamicState& state) const;
  [[nodiscard]] double lowest() const;
  [[nodiscard]] double highest() const;
  /// What lies at the coordinate, which is cut to the ladder's range.
  [[nodiscard]] ThermodynamicState at(double coordinate) const;

 private:
  std::vector<ThermodynamicState> states_;
  Varies varies_;
};

/// Some state's contacts have another strength than 1.
[[nodiscard]] bool scales_contacts(const std::vector<ThermodynamicState>& states);
/// Some state has an umbrella.
[[nodiscard]] bool has_umbrellas(const std::vector<ThermodynamicState>& states);

}  // namespace nfold::ensemble
