// Energy of a configuration in any thermodynamic state, and the path of a ladder.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/thermodynamics/screening_nodes.hpp"
#include "system/thermodynamic_state.hpp"

namespace nfold::thermodynamics {

/// Potential energy of one configuration [kJ/mol], in the parts that states weight differently.
struct EnergyParts {
  double rest = 0;         ///< everything else
  double contacts = 0;     ///< native contacts, at strength 1
  double variable_nm = 0;  ///< variable of the umbrellas
  /// (ScreeningNodes) electrostatic energy at each screening, for a coulomb_kj_mol_nm of 1.
  std::vector<double> screened = {};
};

/// Returns 1/kT [mol/kJ].
[[nodiscard]] double inverse_temperature(const system::ThermodynamicState& state);

/// Potential energy in one state.
class StatePotential {
 public:
  /// nodes: screenings of EnergyParts::screened.
  explicit StatePotential(const system::ThermodynamicState& state,
                          const ScreeningNodes& nodes = {});

  [[nodiscard]] double operator()(const EnergyParts& energy) const;  ///< [kJ/mol]
  /// Returns U/kT; its negative is the logarithm of the configuration's weight in the state.
  [[nodiscard]] double reduced(const EnergyParts& energy) const { return beta_ * (*this)(energy); }
  /// Returns the parts with the rest set to give this energy in this state.
  [[nodiscard]] EnergyParts with_rest(EnergyParts energy, double potential_kj_mol) const;
  /// Returns the weight of each screened energy.
  [[nodiscard]] const std::vector<double>& screening() const { return screening_; }

 private:
  system::ThermodynamicState state_;
  double beta_;
  std::vector<double> screening_;  // (nodes)
};

/// Coordinate of a ladder.
enum class Varies { temperature, contact_strength, ionic_strength, umbrella_centre };

[[nodiscard]] double state_coordinate(const system::ThermodynamicState& state, Varies what);

/// Path of a ladder through its states, linear between neighbours; for the screening, linear in the
/// square of kappa, which is proportional to the salt. Its coordinate is the first that varies of:
/// temperature [K], contact strength, ionic strength [mol/l], umbrella centre [nm].
class LadderPath {
 public:
  /// Throws std::invalid_argument unless is_path(states).
  explicit LadderPath(std::vector<system::ThermodynamicState> states);

  /// True if temperatures and contact strengths are positive, and either the temperature ascends
  /// from state to state, or it is constant and the first other coordinate that varies rises or
  /// falls throughout.
  [[nodiscard]] static bool is_path(const std::vector<system::ThermodynamicState>& states);

  [[nodiscard]] Varies varies() const { return varies_; }
  [[nodiscard]] const std::vector<system::ThermodynamicState>& states() const { return states_; }
  [[nodiscard]] double coordinate(const system::ThermodynamicState& state) const;
  [[nodiscard]] double lowest() const;
  [[nodiscard]] double highest() const;
  /// Returns a state's name by the coordinate: "131.8 K", "contact strength 0.915", "0.15 mol/l of
  /// salt", "umbrella at 1.25 nm".
  [[nodiscard]] std::string describe(std::size_t state) const;
  /// Returns the state at the coordinate, clamped to the ladder's range.
  [[nodiscard]] system::ThermodynamicState at(double coordinate) const;

 private:
  std::vector<system::ThermodynamicState> states_;
  Varies varies_;
};

/// True if any state has a contact strength other than 1.
[[nodiscard]] bool scales_contacts(const std::vector<system::ThermodynamicState>& states);
/// True if any state has an umbrella.
[[nodiscard]] bool has_umbrellas(const std::vector<system::ThermodynamicState>& states);

}  // namespace nfold::thermodynamics
