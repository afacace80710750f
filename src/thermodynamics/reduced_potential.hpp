// Energies of one configuration in any thermodynamic state, and a ladder of states as a line.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "replicas/thermodynamic_state.hpp"
#include "thermodynamics/screening_nodes.hpp"

namespace nfold::thermodynamics {

/// [kJ/mol] The potential energy of one configuration, as far as states weigh parts differently.
struct EnergyParts {
  double rest = 0;         ///< all that is not below
  double contacts = 0;     ///< native ones, at strength 1
  double variable_nm = 0;  ///< what umbrellas act on
  /// (ScreeningNodes) of the electrostatics with each screening and a coulomb_kj_mol_nm of 1.
  std::vector<double> screened = {};
};

/// 1/kT [mol/kJ]
[[nodiscard]] double beta_of(const replicas::ThermodynamicState& state);

/// The potential energy in one state.
class PotentialIn {
 public:
  /// nodes: of the screened energies that configurations have.
  explicit PotentialIn(const replicas::ThermodynamicState& state, const ScreeningNodes& nodes = {});

  [[nodiscard]] double operator()(const EnergyParts& energy) const;  ///< [kJ/mol]
  /// U/kT, whose negative is the logarithm of the configuration's weight in the state.
  [[nodiscard]] double reduced(const EnergyParts& energy) const { return beta_ * (*this)(energy); }
  /// With the rest that gives this energy in this state.
  [[nodiscard]] EnergyParts with_rest(EnergyParts energy, double potential_kj_mol) const;
  /// What each screened energy counts for.
  [[nodiscard]] const std::vector<double>& screening() const { return screening_; }

 private:
  replicas::ThermodynamicState state_;
  double beta_;
  std::vector<double> screening_;  // (nodes)
};

/// What a ladder's coordinate is.
enum class Varies { temperature, contact_strength, ionic_strength, umbrella_centre };

[[nodiscard]] double coordinate_of(const replicas::ThermodynamicState& state, Varies what);

/// A ladder as a line through its states, linear between neighbours, in the square of kappa for the
/// screening: that goes with the salt. Its coordinate is the temperature [K] where that varies,
/// else the contact strength, else the ionic strength [mol/l], else the umbrellas' centre [nm].
class LadderPath {
 public:
  /// std::invalid_argument unless is_a_path(states).
  explicit LadderPath(std::vector<replicas::ThermodynamicState> states);

  /// The temperature ascends from state to state, or is the same of all while the first of the
  /// other coordinates that is not rises or falls throughout. Temperatures and strengths of
  /// contacts are positive.
  [[nodiscard]] static bool is_a_path(const std::vector<replicas::ThermodynamicState>& states);

  [[nodiscard]] Varies varies() const { return varies_; }
  [[nodiscard]] const std::vector<replicas::ThermodynamicState>& states() const { return states_; }
  [[nodiscard]] double coordinate(const replicas::ThermodynamicState& state) const;
  [[nodiscard]] double lowest() const;
  [[nodiscard]] double highest() const;
  /// Names one of the states by what varies: "131.8 K", "contact strength 0.915", "0.15 mol/l of
  /// salt", "umbrella at 1.25 nm".
  [[nodiscard]] std::string describe(std::size_t state) const;
  /// What lies at the coordinate, which is cut to the ladder's range.
  [[nodiscard]] replicas::ThermodynamicState at(double coordinate) const;

 private:
  std::vector<replicas::ThermodynamicState> states_;
  Varies varies_;
};

/// Some state's contacts have another strength than 1.
[[nodiscard]] bool scales_contacts(const std::vector<replicas::ThermodynamicState>& states);
/// Some state has an umbrella.
[[nodiscard]] bool has_umbrellas(const std::vector<replicas::ThermodynamicState>& states);

}  // namespace nfold::thermodynamics
