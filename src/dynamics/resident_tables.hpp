// Tables of a small system for the resident kernels.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "dynamics/device_array.hpp"
#include "dynamics/pair_potentials.hpp"
#include "dynamics/replica_set.hpp"
#include "kernels/resident_energy.hpp"
#include "kernels/resident_system.hpp"
#include "topology/topology.hpp"

namespace nfold::dynamics {

/// What strengths of terms are scaled by where forces are in quanta: a power of two.
inline constexpr auto quanta_a_unit = static_cast<float>(1 / kernels::Mixed::force_quantum);

/// Contact: kernels::Contact1210, ContactGaussian, AshbaughHatchChains or WangFrenkelChains.
template <class Contact>
class ResidentTables {
 public:
  /// Of a system for which why_not_resident is empty.
  ResidentTables(const topology::Topology& topology, const EngineSettings& settings, double skin_nm,
                 const UmbrellaPair& umbrella);

  [[nodiscard]] kernels::ResidentSystem<Contact> system() const;
  [[nodiscard]] kernels::ExactResidentSystem<Contact> exact() const;
  /// (residues) which of classes() a residue's mass belongs to, and their masses [amu].
  [[nodiscard]] const std::vector<double>& class_masses_amu() const { return class_masses_amu_; }
  [[nodiscard]] std::int64_t bytes() const;

 private:
  void build_chain(const topology::Topology& topology);
  void build_contacts(const topology::Topology& topology);
  void build_masses(const topology::Topology& topology, const EngineSettings& settings);
  void build_pairs(const topology::Topology& topology);
  void build_residues(const topology::Topology& topology, double skin_nm);

  kernels::ResidentSystem<Contact> system_{};
  kernels::ExactResidentSystem<Contact> exact_{};
  PairPotentials potentials_;
  std::vector<double> class_masses_amu_;
  std::vector<int> roundings_;  // (residues) of force_start_
  DeviceArray<kernels::ChainTerms<float>> chain_{"resident.chain"};
  DeviceArray<kernels::ChainTerms<double>> exact_chain_{"resident.exact_chain"};
  DeviceArray<kernels::ResidentContact<float, Contact>> contact_{"resident.contact"};
  DeviceArray<kernels::ResidentContact<double, Contact>> exact_contact_{"resident.exact_contact"};
  DeviceArray<int> contact_first_{"resident.contact_first"}, mass_class_{"resident.mass_class"};
  DeviceArray<std::uint32_t> looks_after_{"resident.looks_after"},
      looks_after_charges_{"resident.looks_after_charges"};
  DeviceArray<kernels::ResidentResidue> residue_{"resident.residue"};
  DeviceArray<std::int32_t> force_start_{"resident.force_start"};
  DeviceArray<double> half_kick_{"resident.half_kick"}, mass_{"resident.mass"};
  DeviceArray<double> native_reach_squared_{"resident.native_reach"};
};

}  // namespace nfold::dynamics
