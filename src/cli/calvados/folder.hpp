// A CALVADOS folder as its files state it: config.yaml, components.yaml, paths.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace nfold::calvados {

/// Shape and kinds of terms of a component.
enum class MoleculeType { protein, rna, crowder, cyclic, seastar, ptm_protein };
enum class RestraintType { harmonic, go };
/// Placement of the start.
enum class Placement { random, center, grid, slab, shift_ref_bead };

/// Keys of config.yaml; defaults are those that the package writes into the file.
struct Config {
  std::string name;  ///< sysname; by default the folder's name
  std::vector<double> box_nm;
  double temperature_kelvin = 0, ionic_strength_molar = 0, ph = 0;
  std::string topol = "center";
  Placement placement = Placement::center;  ///< from topol
  std::uint64_t reference_bead = 0;         ///< from 0
  double epsilon_kcal_mol = 0.2, short_range_cutoff_nm = 2, charge_cutoff_nm = 4;
  double fixed_lambda = 0;
  double slab_width_nm = 100, slab_outer_nm = 40;
  bool slab_eq = false;
  double k_eq_kj_mol_nm = 0.02;
  std::uint64_t equilibration_steps = 1000;
  bool has_external_force = false;
  std::string external_force;
  bool box_eq = false, bilayer_eq = false, pressure_coupling = false;
  bool has_custom_restraints = false;
  RestraintType custom_restraint_type = RestraintType::harmonic;
  std::string custom_restraints = "custom_restraints.txt";
  std::uint64_t steps = 100'000'000;
  double runtime_hours = 0;
  std::uint64_t frame_steps = 100'000, log_steps = 1'000'000;
  bool logs_energy = false;
  double friction_per_ps = 0.01;
  std::uint64_t seed = 1;
  std::string restart = "checkpoint", restart_file = "restart.chk";

  [[nodiscard]] double epsilon_kj_mol() const {
    constexpr double kj_per_kcal = 4.184;
    return epsilon_kcal_mol * kj_per_kcal;
  }
};

/// One component of components.yaml, with the section `defaults` applied.
struct Component {
  std::string name;
  std::string species;  ///< the name as a species of nfold may have it
  std::string where;    ///< "FOLDER/components.yaml: system.NAME", for messages
  MoleculeType type = MoleculeType::protein;
  std::uint64_t copies = 1;
  std::string charged_ends = "both";  ///< N, C, both; any other text is none
  std::string residues, fasta = "fastabib.fasta", pdb_folder = "pdbs", domains = "domains.yaml";
  double bond_k_kj_mol_nm2 = 8033;
  bool has_external_restraint = true;
  bool is_restrained = false;
  RestraintType restraint_type = RestraintType::harmonic;
  bool use_centre_of_mass = true;
  double restraint_cutoff_nm = 0.9, restraint_k_kj_mol_nm2 = 700, go_k_kj_mol = 15;
  bool is_periodic = false;
  double plddt_shift = 0.8, plddt_width = 50, pae_shift_nm = 0.3, pae_width_per_nm = 15;
  double rna_backbone_k = 8033, rna_base_k = 8033, rna_angle_k = 7.24, rna_angle_rad = 3.14;
  double stacking_sigma_nm = 0.4, stacking_scale = 15, stacking_cutoff_nm = 0.6;
  std::uint64_t ends = 1;
  std::string ptm_name = "example_ptm";
  std::vector<std::int64_t> ptm_locations;  ///< from 1

  [[nodiscard]] bool has_charged_first() const {
    return charged_ends == "N" || charged_ends == "both";
  }
  [[nodiscard]] bool has_charged_last() const {
    return charged_ends == "C" || charged_ends == "both";
  }
};

struct Folder {
  std::filesystem::path path;
  Config config;
  std::vector<Component> components;  ///< order of the beads: proteins, then the others
  std::vector<Component> in_file_order;
  std::vector<std::string> notes;  ///< a line each: what is ignored, or done differently

  [[nodiscard]] std::string config_file() const { return (path / "config.yaml").string(); }
  [[nodiscard]] std::string components_file() const { return (path / "components.yaml").string(); }
};

/// True for a folder with a config.yaml or a components.yaml.
[[nodiscard]] bool is_calvados_folder(const std::filesystem::path& path);

/// Reads both files. Throws core::InputError, a line for each problem with file and key.
[[nodiscard]] Folder read_folder(const std::filesystem::path& path);

/// Finds a file that a key names: below the folder, from the working directory, then by its last
/// name in the folder, its `input` and its parent, since folders carry paths of other machines.
/// `where` names the key in errors. Adds a note if the file is not where the key says.
[[nodiscard]] std::filesystem::path find_file(const Folder& folder, const std::string& named,
                                              const std::string& where,
                                              std::vector<std::string>& notes);

}  // namespace nfold::calvados
