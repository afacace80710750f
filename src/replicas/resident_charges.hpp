// Electrostatic potentials of resident replicas, one per state.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "device/device_array.hpp"
#include "engine/forces/pair_potentials.hpp"
#include "system/thermodynamic_state.hpp"

namespace nfold::replicas {

class ResidentCharges {
 public:
  /// system: electrostatics of states without their own; acts: there are pairs of charges.
  ResidentCharges(const topology::Electrostatics& system, bool acts)
      : system_(system), acts_(acts) {}
  [[nodiscard]] bool act() const { return acts_; }

  /// Reserves the potentials, if there are charges.
  void reserve(std::int64_t lanes) {
    if (!acts_) return;
    rounded_.reserve(lanes);
    exact_.reserve(lanes);
  }

  /// Call only if there are charges.
  void upload(const std::vector<system::ThermodynamicState>& of_lanes) {
    std::vector<kernels::DebyeHueckel<float>> rounded;
    std::vector<kernels::DebyeHueckel<double>> exact;
    rounded.reserve(of_lanes.size());
    exact.reserve(of_lanes.size());
    for (const auto& state : of_lanes) {
      auto e = system_;
      if (state.coulomb_kj_mol_nm != 0) {
        e.coulomb_kj_mol_nm = state.coulomb_kj_mol_nm;
        e.kappa_per_nm = state.kappa_per_nm;
      }
      rounded.push_back(
          forces::PairPotentials::debye_hueckel<float>(e, kernels::Mixed::force_quantum));
      exact.push_back(forces::PairPotentials::debye_hueckel<double>(e, 1));
    }
    rounded_.upload(rounded);
    exact_.upload(exact);
  }
  /// (lanes) Potentials for forces, in quanta, and for energies; null: nothing is charged.
  [[nodiscard]] const kernels::DebyeHueckel<float>* rounded() const {
    return acts_ ? rounded_.data() : nullptr;
  }
  [[nodiscard]] const kernels::DebyeHueckel<double>* exact() const {
    return acts_ ? exact_.data() : nullptr;
  }
  /// Returns the potential with this screening and coulomb_kj_mol_nm = 1.
  [[nodiscard]] kernels::DebyeHueckel<double> of_unit_charges(double kappa_per_nm) const {
    return forces::PairPotentials::unit_charges(system_, kappa_per_nm);
  }

 private:
  topology::Electrostatics system_;
  bool acts_;
  device::DeviceArray<kernels::DebyeHueckel<float>> rounded_{"replicas.electrostatics"};
  device::DeviceArray<kernels::DebyeHueckel<double>> exact_{"replicas.exact_electrostatics"};
};

}  // namespace nfold::replicas
