// Typed settings of one run, as the input file names them; units are in the names.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/splits.hpp"
#include "core/transport.hpp"
#include "input/models.hpp"
#include "system/bias/biases.hpp"
#include "system/methods.hpp"

namespace nfold::input {

// keys.cpp has ranges, help and the rule for a resume. Enumerators have the order of their names
// there.

/// Charged chain ends: +1 e on the first and -1 e on the last residue, with the mass of their
/// atoms. by_model: from the force field or its table.
enum class ChargedEnds { by_model, none, first, last, both };
[[nodiscard]] constexpr bool has_charged_first(ChargedEnds ends) {
  return ends == ChargedEnds::first || ends == ChargedEnds::both;
}
[[nodiscard]] constexpr bool has_charged_last(ChargedEnds ends) {
  return ends == ChargedEnds::last || ends == ChargedEnds::both;
}

/// `gaps`: treatment of missing residues within a chain of a structure.
enum class Gaps { pieces, bridge };

/// Words of `confidence` that are no file.
inline constexpr const char* no_confidence = "none";
inline constexpr const char* b_factor_confidence = "b-factors";
[[nodiscard]] inline bool is_confidence_word(const std::string& text) {
  return text == no_confidence || text == b_factor_confidence;
}

/// One entry of `system.species`: molecules that are copies of one another. Exactly one of
/// sequence, fasta, structure and molecule is given.
struct SpeciesSettings {
  std::string name;       ///< unique. Required.
  std::string sequence;   ///< one-letter codes, blanks removed
  std::string fasta;      ///< file, relative to the input file
  std::string record;     ///< first word of a header in the FASTA file; empty: the only record
  std::string structure;  ///< PDB or mmCIF; relative to the input file
  std::string molecule;   ///< file of all beads and terms; relative to the input file
  std::string kind;  ///< chain kind of the sequence or of nucleotides; empty: protein, rna, dna
  std::vector<std::string> mutations;  ///< "A:R65K", "S26=SEP"
  std::vector<std::string> chains;     ///< chains of the structure: "A", "A:10-50"; empty: all
  int model = 1;                       ///< NMR model, 1-based
  Gaps gaps = Gaps::pieces;
  bool cyclic = false;                  ///< the chain's last residue is bonded to its first
  int copies = 0;                       ///< 0: from a concentration
  double concentration_mg_per_ml = 0;   ///< mass concentration in the box; 0: not given
  double concentration_millimolar = 0;  ///< molecules in the box; 0: not given
  std::vector<std::string> domains;     ///< "10-50", "10-50,60-72", or "auto" alone
  bool domains_between_chains = false;  ///< found domains and contacts may join chains
  std::string areas;                    ///< file of surface areas; relative to the input file
  std::vector<std::string>
      confidence;  ///< files, relative to the input file; or one confidence word
  ChargedEnds charged_ends = ChargedEnds::by_model;
  /// Range [from, to] of the random start along an axis; empty: anywhere.
  std::vector<double> start_x_nm, start_y_nm, start_z_nm;
  [[nodiscard]] bool operator==(const SpeciesSettings&) const = default;
};

/// `system`: the simulated molecules and their box.
struct SystemSettings {
  std::string structure;               ///< PDB or mmCIF; relative to the input file; or `species`
  std::vector<std::string> chains;     ///< "A", "A:10-50", "A:10-50,60-72"; empty: all
  std::vector<std::string> mutations;  ///< "A:R65K", "S26=SEP"; also those of the only species
  int model = 1;                       ///< NMR model, 1-based
  Gaps gaps = Gaps::pieces;
  std::vector<std::string>
      confidence;              ///< files, relative to the input file; or one confidence word
  bool cyclic = false;         ///< the chain's last residue is bonded to its first
  int copies = 1;              ///< copies of the whole structure
  double copy_spacing_nm = 0;  ///< cubic lattice of the copies; 0: extent + 2 nm
  std::vector<SpeciesSettings> species;  ///< empty: the structure above is the only one
  std::string restraints;      ///< file of terms between any beads; relative to the input file
  std::vector<double> box_nm;  ///< empty: no box; else three edges, 0 an open axis
  double concentration_mg_per_ml = 0;  ///< > 0: a cubic box with this mass concentration
};

/// Returns all species of a system: `species`, or the unnamed one made from `structure`, `chains`,
/// `model` and `copies`.
[[nodiscard]] std::vector<SpeciesSettings> all_species(const SystemSettings& system);

enum class Axis { x, y, z };

/// `force_field.contacts`: native contacts of a structure.
struct ContactSettings {
  system::ContactMap map = system::ContactMap::shadow;
  double cutoff_nm = 0.6;  ///< default: shadow 0.6, heavy atom 0.45, C-alpha 0.8
  double shadow_radius_nm = 0.1;
  double bonded_radius_nm = 0.05;
  bool legacy_atan = true;  ///< shadow angle by atan, as in SMOG 2's program; false: asin
  int min_sequence_separation = 4;
};

/// `force_field.repulsion`: epsilon (sigma/r)^12 between all pairs that are not excluded.
struct RepulsionSettings {
  double epsilon = 1;  ///< units of force_field.epsilon_kj_mol
  double sigma_nm = 0.4;
  double cutoff_nm = 1.1;
};

/// `force_field.confidence`: use of pLDDT and PAE of predicted structures.
struct ConfidenceSettings {
  double least_plddt = 70;          ///< a residue of less is free, unless a listed domain holds it
  double largest_pae_angstrom = 8;  ///< mean PAE within a domain found by `auto`
  // Contacts of domains = confidence-go, von Buelow et al., Protein Sci. 35, e70694 (2026).
  double contact_epsilon_kj_mol = 15;
  double contact_cutoff_nm = 0.9;
  double plddt_centre = 80, plddt_slope = 0.5;
  double pae_centre_nm = 0.3, pae_slope_per_nm = 15;
};

/// Method that keeps the shape of folded domains in a condensate model.
enum class FoldedDomains { none, elastic_network, go, confidence_go, aicg2p };
/// Bead position of residues with a structure. by_model: CALVADOS 3 takes the centre of mass in
/// domains.
enum class BeadPosition { by_model, calpha, centre_of_mass };
/// A flag whose default depends on the model.
enum class ModelFlag { by_model, no, yes };

/// Keys of `force_field` for the models other than go. Numbers that are 0 and flags that are
/// by_model are taken from the model's parameter table.
struct CondensateSettings {
  std::string table;  ///< parameter file, relative to the input file; empty: the built-in one
  FoldedDomains domains = FoldedDomains::none;
  double ionic_strength_molar = 0.15;
  double ph = 7.5;
  ChargedEnds charged_ends = ChargedEnds::by_model;
  double bond_k_kj_mol_nm2 = 0;
  double bond_length_nm = 0;
  double short_range_cutoff_nm = 0;
  double short_range_cutoff_over_sigma = 0;  ///< 0: the same cutoff for all pairs
  ModelFlag short_range_shifted = ModelFlag::by_model;
  double electrostatic_cutoff_nm = 0;
  ModelFlag electrostatic_shifted = ModelFlag::by_model;
  double dielectric_constant = 0;
  double inverse_debye_length_per_nm = 0;
  double restraint_k_kj_mol_nm2 = 0;
  double restraint_cutoff_nm = 0;
  BeadPosition bead = BeadPosition::by_model;
  bool flexible_angles = false;  ///< AICG2+ potential of three consecutive disordered residues
  bool operator==(const CondensateSettings&) const = default;
};

/// `force_field`: the model and its constants. Defaults are those of SMOG 2's SBM_calpha. Energies
/// other than epsilon_kj_mol are in units of it.
struct ForceFieldSettings {
  ForceFieldModel model = ForceFieldModel::go;
  CondensateSettings condensate;
  double epsilon_kj_mol = 1;
  double mass_amu = 1;
  double bond_k_per_nm2 = 20000;  ///< epsilon / nm^2, in (k/2)(r - r0)^2
  double angle_k_per_rad2 = 40;   ///< epsilon / rad^2, in (k/2)(theta - theta0)^2
  double dihedral_k1 = 1;
  double dihedral_k3 = 0.5;
  system::ContactPotential contact_potential = system::ContactPotential::lennard_jones_12_10;
  double contact_epsilon = 1;
  double gaussian_sigma_nm = 0.05;
  double gaussian_a_nm12 = 1.6777216e-5;  ///< epsilon nm^12, 0.4^12
  ContactSettings contacts;
  ConfidenceSettings confidence;
  RepulsionSettings repulsion;
};

enum class StartFrom { native, unfolded, random, lattice, slab, droplet, checkpoint, coordinates };
/// Conformation of each chain at the start. by_species: native if the species has a structure.
enum class Conformation { by_species, native, unfolded };

/// `start`: the first coordinates. Velocities are drawn unless a checkpoint contains them.
struct StartSettings {
  StartFrom from = StartFrom::native;
  std::string checkpoint;   ///< file, relative to the input file; only with from == checkpoint
  std::string coordinates;  ///< file, relative to the input file; only with from == coordinates
  std::string frame = "0";  ///< frame of the coordinates: a number from 0, or "last"
  Conformation conformation = Conformation::by_species;
  Axis slab_axis = Axis::z;      ///< normal of the slab
  double slab_thickness_nm = 0;  ///< 0: from the density
  double droplet_radius_nm = 0;  ///< 0: from the density
  std::int64_t minimise_steps = 0;
  double minimise_force_kj_mol_nm = 100;  ///< convergence: largest force on a residue

  /// True if a file has the coordinates of all beads.
  [[nodiscard]] bool is_from_file() const {
    return from == StartFrom::checkpoint || from == StartFrom::coordinates;
  }
};

/// `dynamics`: integrator and schedule.
struct DynamicsSettings {
  system::Integrator integrator = system::Integrator::langevin_baoab;
  system::Precision precision = system::Precision::mixed;
  std::int64_t steps = 0;  ///< total number, from step 0. Required.
  double time_step_ps = 0.0005;
  double temperature_kelvin = 100;  ///< Langevin thermostat and initial velocities
  double friction_per_ps = 1;
  std::uint64_t seed = 1;
  std::uint32_t replica = 0;
};

/// `neighbour_list`: affects speed only, never a bit of the result.
struct NeighbourListSettings {
  double skin_nm = 0;     ///< 0: chosen by the program
  int rebuild_every = 0;  ///< > 0: rebuild every so many steps (tests); 0: when needed
};

/// `output`: files and intervals. An interval of 0 disables that output.
struct OutputSettings {
  std::int64_t trajectory_every_steps = 1000;
  std::int64_t energies_every_steps = 1000;
  std::int64_t checkpoint_every_steps = 0;
  double checkpoint_every_minutes = 5;  ///< wall clock; a checkpoint is always written at the end
  bool checkpoint_in_background = true;
  bool dcd = false;  ///< also NAME.dcd and NAME.psf

  /// True if a trajectory has a frame of this step.
  [[nodiscard]] bool has_frame(std::int64_t step) const {
    return trajectory_every_steps > 0 && step % trajectory_every_steps == 0;
  }
  /// Returns the number of frames from step 0 to the last step.
  [[nodiscard]] std::int64_t frame_count(std::int64_t last_step) const {
    return trajectory_every_steps > 0 ? last_step / trajectory_every_steps + 1 : 0;
  }
};

enum class PartitionMethod {
  automatic,
  residue_ranges,
  recursive_bisection,
  hilbert_curve,
  random,
  clusters,
  domains
};

enum class BalanceBy { time, work };
/// `partition.balance`: load balancing by repartition; see domain::RebalanceSettings.
struct BalanceSettings {
  BalanceBy by = BalanceBy::time;
  double hot = 0.8, cold = 0.5, threshold = 0.3;
  std::int64_t patience = 2;
  double margin = 1.5;
};

/// `partition`: distribution of residues over ranks; never affects a bit of the result.
struct PartitionSettings {
  PartitionMethod method = PartitionMethod::automatic;
  std::vector<std::string> domains;  ///< "A:10-50,60-72"; each stays on one rank
  core::Transport transport = core::Transport::automatic;
  int ranks_per_node = 0;  ///< consecutive ranks that count as one node; 0: as MPI finds them
  std::int64_t rebalance_every_steps = 100'000;  ///< 0: never
  double wait_limit_seconds = 600;  ///< longest wait for other ranks in one call; 0: no limit
  std::uint64_t seed = 1;           ///< seed of the random partition (tests)
  BalanceSettings balance;
};

enum class DeviceBinding { automatic, keep };

/// `devices`: GPUs and cores of a node that compute; never affects a bit of the result.
struct DeviceSettings {
  int max = 0;                      ///< GPUs of each node; 0: as many as there are ranks
  int memory_pool_mb = 0;           ///< reserved by each rank on its GPU [10^6 bytes]
  std::vector<std::string> filter;  ///< conditions that all must hold: device/hardware/choice.hpp
  DeviceBinding binding = DeviceBinding::automatic;
  core::SplitStrategy split = core::SplitStrategy::lowest_latency;
  double memory_limit_gb = 0;  ///< limit of one rank on its device [10^9 bytes]; 0: all free memory
};

/// `reliability`: detection of errors that no device reports; never affects a bit of the result.
struct ReliabilitySettings {
  std::int64_t verify_every_steps = 0;  ///< 0: never
};

/// `observables`: averages taken during the run, besides energies.
struct ObservableSettings {
  std::int64_t every_steps = 0;          ///< 0: no observables
  std::int64_t equilibration_steps = 0;  ///< excluded from the averages
  bool density_profile = true;
  Axis profile_axis = Axis::z;
  int profile_bins = 200;
  bool clusters = true;
  double cluster_cutoff_nm = 1;
  bool contact_maps = true;
  double contact_cutoff_nm = 1;
  bool residue_energies = false, phase_locking = false;  ///< large tables
  bool chain_sizes = true;
  int size_bins = 200;
  double largest_size_nm = 0;  ///< 0: from the longest chain
  bool mean_square_displacement = true;
  bool pressure = true;
  bool coexistence = false;  ///< two phases of a slab
  double dilute_error = 0;   ///< relative error of the dilute concentration that ends the run
};

enum class EnsembleStarts { same, both_ends };

/// `bias`: an energy of a collective variable.
struct BiasSettings {
  std::vector<std::string> residues;  ///< empty: no bias
  bias::VariableKind variable = bias::VariableKind::distance;
  bias::BiasForm form = bias::BiasForm::harmonic;
  double centre_nm = 0, k_kj_mol_nm2 = 100, half_width_nm = 0;
  double pull_kj_mol_nm = 0;  ///< slope of a linear bias
  bool operator==(const BiasSettings&) const = default;
};

/// `ensemble.analysis`: observables accumulated over all replicas during the run.
struct EnsembleAnalysisSettings {
  bool contacts = true, radius_of_gyration = true;
  bool phase_locking = true, residue_energies = false;  ///< large tables
  bool contact_maps = false;                            ///< one more
  bool chain = false;                                   ///< size and shape of the only chain
  double contact_cutoff_nm = 1;
  double at_kelvin = 0;  ///< large tables of the nearest temperature alone; 0: of each
};

/// `ensemble`: many replicas in several thermodynamic states instead of one simulation.
struct EnsembleSettings {
  int temperatures = 0;  ///< 0: no ensemble
  double lowest_kelvin = 0, highest_kelvin = 0;
  std::vector<double> temperatures_kelvin;    ///< empty: equal ratios between the two
  std::vector<double> contact_strengths;      ///< one per state; empty: 1 in all
  std::vector<double> ionic_strengths_molar;  ///< one per state; empty: the force field's in all
  std::vector<double> umbrella_centres_nm;    ///< one per state; empty: no umbrellas
  double umbrella_k_kj_mol_nm2 = 100;
  bias::VariableKind umbrella_variable = bias::VariableKind::distance;
  std::vector<std::string> umbrella_residues;  ///< residues of the variable, as in `bias`
  std::int64_t tuning_steps = 0;               ///< 0: the ladder is not tuned
  int ladders = 1;
  std::int64_t exchange_every_steps = 1000;  ///< 0: never
  std::int64_t sample_every_steps = 1000;
  std::int64_t equilibration_steps = 0;  ///< excluded from the averages
  double rg_error = 0;  ///< relative error of the mean Rg that ends the run; 0: none
  std::vector<std::int64_t> trajectory_replicas;  ///< ascending; replicas with a trajectory
  EnsembleStarts starts = EnsembleStarts::same;
  double folded_native_fraction = 0.8;    ///< a replica from the unfolded side has folded
  double unfolded_native_fraction = 0.2;  ///< a replica from the native side has unfolded
  EnsembleAnalysisSettings analysis;
  [[nodiscard]] bool is_enabled() const { return temperatures > 0; }
  /// Number of thermodynamic states. One temperature may be combined with several contact
  /// strengths, ionic strengths or umbrellas, or one strength with all temperatures.
  [[nodiscard]] int states() const {
    if (!is_enabled()) return 0;
    return static_cast<int>(
        std::max({static_cast<std::size_t>(temperatures), contact_strengths.size(),
                  ionic_strengths_molar.size(), umbrella_centres_nm.size()}));
  }
  [[nodiscard]] std::int64_t replicas() const {
    return static_cast<std::int64_t>(states()) * ladders;
  }
  [[nodiscard]] double strongest_contacts() const {
    return contact_strengths.empty()
               ? 1
               : *std::max_element(contact_strengths.begin(), contact_strengths.end());
  }
  /// True if replicas exchange states; else they are independent.
  [[nodiscard]] bool exchanges() const { return exchange_every_steps > 0 && states() > 1; }
};

/// Settings of one run. Valid if returned by a function of input/input.hpp.
struct Settings {
  SystemSettings system;
  ForceFieldSettings force_field;
  StartSettings start;
  DynamicsSettings dynamics;
  NeighbourListSettings neighbour_list;
  OutputSettings output;
  PartitionSettings partition;
  DeviceSettings devices;
  ReliabilitySettings reliability;
  BiasSettings bias;
  std::vector<BiasSettings> more_biases;  ///< biases besides `bias`, which then is set
  ObservableSettings observables;
  EnsembleSettings ensemble;
  std::vector<std::string> notes;  ///< messages on keys that have no effect any more
};

/// Returns all biases in the order of the input.
[[nodiscard]] std::vector<BiasSettings> all_biases(const Settings& settings);

}  // namespace nfold::input
