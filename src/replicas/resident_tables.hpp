// Tables of a small system for the resident kernels.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "device/device_array.hpp"
#include "engine/forces/pair_potentials.hpp"
#include "kernels/resident/resident_energy.hpp"
#include "kernels/resident/resident_system.hpp"
#include "model/topology/topology.hpp"
#include "replicas/replica_set.hpp"

namespace nfold::replicas {

/// Factor from kJ/mol/nm to force quanta: a power of two.
inline constexpr auto quanta_per_unit = static_cast<float>(1 / kernels::Mixed::force_quantum);

/// Contact: kernels::Contact1210, ContactGaussian, AshbaughHatchChains or WangFrenkelChains.
template <class Contact>
class ResidentTables {
 public:
  /// Requires a system for which resident_obstacle is empty.
  ResidentTables(const topology::Topology& topology, const engine::EngineSettings& settings,
                 double skin_nm, const bias::Variable& umbrella, forces::PairPotentials potentials);

  [[nodiscard]] kernels::ResidentSystem<Contact> system() const;
  [[nodiscard]] kernels::ExactResidentSystem<Contact> exact() const;
  /// (classes) Distinct masses [amu].
  [[nodiscard]] const std::vector<double>& class_masses_amu() const { return class_masses_amu_; }

 private:
  void build_chain(const topology::Topology& topology);
  void build_contacts(const topology::Topology& topology);
  void build_masses(const topology::Topology& topology, const engine::EngineSettings& settings);
  void build_pairs(const topology::Topology& topology);
  void build_residues(const topology::Topology& topology, double skin_nm);

  kernels::ResidentSystem<Contact> system_{};
  kernels::ExactResidentSystem<Contact> exact_{};
  forces::PairPotentials potentials_;
  std::vector<double> class_masses_amu_;
  std::vector<int> roundings_;  // (residues) number of roundings, for force_start_
  device::DeviceArray<kernels::ChainTerms<float>> chain_{"resident.chain"};
  device::DeviceArray<kernels::ChainTerms<double>> exact_chain_{"resident.exact_chain"};
  device::DeviceArray<kernels::ResidentContact<float, Contact>> contact_{"resident.contact"};
  device::DeviceArray<kernels::ResidentContact<double, Contact>> exact_contact_{
      "resident.exact_contact"};
  device::DeviceArray<int> contact_first_{"resident.contact_first"},
      mass_class_{"resident.mass_class"};
  device::DeviceArray<std::uint32_t> kept_pairs_{"resident.looks_after"},
      kept_charge_pairs_{"resident.looks_after_charges"};
  device::DeviceArray<kernels::ResidentResidue> residue_{"resident.residue"};
  device::DeviceArray<std::int32_t> force_start_{"resident.force_start"};
  device::DeviceArray<double> half_kick_{"resident.half_kick"}, mass_{"resident.mass"};
  device::DeviceArray<double> native_reach_squared_{"resident.native_reach"};
};

}  // namespace nfold::replicas
