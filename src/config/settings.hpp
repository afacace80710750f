// The typed settings of one run, as the input file names them; units are in the names.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nfold::config {

// Ranges, help and the rule for a resume stand in keys.cpp, once for parser, help and reference.
// Order of an enumeration is the order of its names there.

/// `system`: what is simulated.
struct SystemSettings {
  std::string structure;            ///< PDB or mmCIF; relative to the input file. Required.
  std::vector<std::string> chains;  ///< "A", "A:10-50", "A:10-50,60-72"; empty: all
  int model = 1;                    ///< NMR model, 1-based
  int copies = 1;                   ///< of the whole structure
  double copy_spacing_nm = 0;       ///< cubic lattice of the copies; 0: extent + 2 nm
};

enum class ForceFieldModel { go };
enum class ContactMap { shadow, heavy_atom, calpha };
enum class ContactPotential { lennard_jones_12_10, gaussian };

/// `force_field.contacts`: which residues are in contact in the native structure.
struct ContactSettings {
  ContactMap map = ContactMap::shadow;
  double cutoff_nm = 0.6;  ///< if not given: shadow 0.6, heavy atom 0.45, C-alpha 0.8
  double shadow_radius_nm = 0.1;
  double bonded_radius_nm = 0.05;
  bool legacy_atan = true;  ///< shadow angle by atan, as SMOG 2's program; false: asin
  int min_sequence_separation = 4;
};

/// `force_field.repulsion`: epsilon (sigma/r)^12 between all pairs that are not excluded.
struct RepulsionSettings {
  double epsilon = 1;  ///< in units of force_field.epsilon_kj_mol
  double sigma_nm = 0.4;
  double cutoff_nm = 1.1;
};

/// `force_field`: the model and its constants, those of SMOG 2's SBM_calpha unless given.
/// Energies other than epsilon_kj_mol are in units of it.
struct ForceFieldSettings {
  ForceFieldModel model = ForceFieldModel::go;
  double epsilon_kj_mol = 1;
  double mass_amu = 1;
  double bond_k_per_nm2 = 20000;  ///< epsilon / nm^2, of (k/2)(r - r0)^2
  double angle_k_per_rad2 = 40;   ///< epsilon / rad^2, of (k/2)(theta - theta0)^2
  double dihedral_k1 = 1;
  double dihedral_k3 = 0.5;
  ContactPotential contact_potential = ContactPotential::lennard_jones_12_10;
  double contact_epsilon = 1;
  double gaussian_sigma_nm = 0.05;
  double gaussian_a_nm12 = 1.6777216e-5;  ///< epsilon nm^12, 0.4^12
  ContactSettings contacts;
  RepulsionSettings repulsion;
};

enum class StartFrom { native, unfolded, checkpoint };

/// `start`: the first coordinates; velocities are drawn unless a checkpoint brings them.
struct StartSettings {
  StartFrom from = StartFrom::native;
  std::string checkpoint;  ///< file, relative to the input file; only with from == checkpoint
};

enum class Integrator { langevin_baoab, velocity_verlet };
enum class Precision { mixed, full };  // `mixed`, `double`

/// `dynamics`: what steers the trajectory.
struct DynamicsSettings {
  Integrator integrator = Integrator::langevin_baoab;
  Precision precision = Precision::mixed;
  std::int64_t steps = 0;  ///< in all, from step 0. Required.
  double time_step_ps = 0.0005;
  double temperature_kelvin = 100;  ///< of the bath and of the first velocities
  double friction_per_ps = 1;
  std::uint64_t seed = 1;
  std::uint32_t replica = 0;
};

/// `neighbour_list`: speed only, never a bit of the result.
struct NeighbourListSettings {
  double skin_nm = 0;     ///< 0: chosen by the program
  int rebuild_every = 0;  ///< > 0 forces a rebuild each so many steps (tests); 0: when needed
};

/// `output`: what is written and when. An interval of 0 switches that output off.
struct OutputSettings {
  std::int64_t trajectory_every_steps = 1000;
  std::int64_t energies_every_steps = 1000;
  std::int64_t checkpoint_every_steps = 0;
  double checkpoint_every_minutes = 5;  ///< wall clock; a checkpoint is written at the end anyway
  bool dcd = false;                     ///< also NAME.dcd and NAME.psf
};

enum class PartitionMethod { residue_ranges, random };

/// `partition`: who computes which residue; never a bit of the result.
struct PartitionSettings {
  PartitionMethod method = PartitionMethod::residue_ranges;
  std::uint64_t seed = 1;  ///< of the random map (tests)
};

/// One run. Values are valid once a function of input.hpp has returned them.
struct Settings {
  SystemSettings system;
  ForceFieldSettings force_field;
  StartSettings start;
  DynamicsSettings dynamics;
  NeighbourListSettings neighbour_list;
  OutputSettings output;
  PartitionSettings partition;
};

}  // namespace nfold::config
