// Builds the system that a run, a check or a bench is about.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/system_setup.hpp"

#include "cli/meeting.hpp"
#include "config/input.hpp"

namespace nfold::cli {
namespace {

structure::ContactMap contact_map(config::ContactMap map) {
  switch (map) {
    case config::ContactMap::shadow:
      return structure::ContactMap::shadow;
    case config::ContactMap::heavy_atom:
      return structure::ContactMap::heavy_atom;
    case config::ContactMap::calpha:
      return structure::ContactMap::calpha;
  }
  return structure::ContactMap::shadow;
}

}  // namespace

structure::ContactOptions contact_options(const config::ContactSettings& settings) {
  return {contact_map(settings.map), settings.cutoff_nm,   settings.shadow_radius_nm,
          settings.bonded_radius_nm, settings.legacy_atan, settings.min_sequence_separation};
}

topology::GoModel go_model(const config::Settings& settings) {
  const auto& field = settings.force_field;
  topology::GoModel model;
  model.epsilon_kj_mol = field.epsilon_kj_mol;
  model.mass_amu = field.mass_amu;
  model.bond_k = field.bond_k_per_nm2;
  model.angle_k = field.angle_k_per_rad2;
  model.dihedral_k1 = field.dihedral_k1;
  model.dihedral_k3 = field.dihedral_k3;
  model.contact_potential = field.contact_potential == config::ContactPotential::gaussian
                                ? topology::ContactPotential::gaussian
                                : topology::ContactPotential::lennard_jones_12_10;
  model.contact_epsilon = field.contact_epsilon;
  model.gaussian_sigma_nm = field.gaussian_sigma_nm;
  model.gaussian_a_nm12 = field.gaussian_a_nm12;
  model.repulsion_epsilon = field.repulsion.epsilon;
  model.repulsion_sigma_nm = field.repulsion.sigma_nm;
  model.repulsion_cutoff_nm = field.repulsion.cutoff_nm;
  model.contacts = contact_options(field.contacts);
  model.copies = settings.system.copies;
  model.copy_spacing_nm = settings.system.copy_spacing_nm;
  return model;
}

SystemSetup build_system(const comm::Communicator& communicator, const config::Settings& settings,
                         const std::filesystem::path& input_file) {
  const auto file = config::path_from_input(input_file, settings.system.structure);
  const std::string bytes =
      text_from_root(communicator, [&file] { return structure::read_structure_bytes(file); });
  auto parsed = structure::parse_structure(bytes, file.string(),
                                           {settings.system.model, settings.system.chains});
  return {topology::build_go_model(parsed, go_model(settings)), std::move(parsed.notes)};
}

dynamics::EngineSettings engine_settings(const config::Settings& settings) {
  const auto& dynamics = settings.dynamics;
  dynamics::EngineSettings engine;
  engine.precision = dynamics.precision == config::Precision::full ? dynamics::Precision::full
                                                                   : dynamics::Precision::mixed;
  engine.integrator = dynamics.integrator == config::Integrator::velocity_verlet
                          ? dynamics::Integrator::velocity_verlet
                          : dynamics::Integrator::langevin_baoab;
  engine.time_step_ps = dynamics.time_step_ps;
  engine.temperature_kelvin = dynamics.temperature_kelvin;
  engine.friction_per_ps = dynamics.friction_per_ps;
  engine.seed = dynamics.seed;
  engine.replica = dynamics.replica;
  if (settings.neighbour_list.skin_nm > 0) engine.skin_nm = settings.neighbour_list.skin_nm;
  engine.rebuild_every = settings.neighbour_list.rebuild_every;
  return engine;
}

domain::Ownership owners(const config::PartitionSettings& settings,
                         const topology::Topology& topology, int rank_count) {
  if (settings.method == config::PartitionMethod::random) {
    return domain::random_owners(topology.residue_count(), rank_count, settings.seed);
  }
  return domain::residue_ranges(domain::counted_work(topology), rank_count);
}

}  // namespace nfold::cli
