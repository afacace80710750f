// Decides if replicas of a system can be resident, from the list of supported features.
// SPDX-License-Identifier: BSD-3-Clause
#include "replicas/resident_terms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <string_view>

#include "device/launch.hpp"
#include "kernels/resident/resident_system.hpp"

namespace nfold::replicas {
namespace {

namespace names = topology::term_names;

// Features of kernels/resident/resident_system.hpp. The lists may name nothing that it does not
// compute.
/// Go models: native contacts and one repulsion.
constexpr std::string_view of_go_model[] = {
    names::repulsion_12, names::contacts_12_10, names::contacts_gaussian, names::angles,
    names::dihedrals,    names::bonds,          names::exclusions};
/// Disordered chains: attraction by types, and charges.
constexpr std::string_view of_chains[] = {
    names::ashbaugh_hatch,     names::wang_frenkel, names::shifted_short_range,
    names::cutoffs_by_sigma,   names::charges,      names::shifted_charges,
    names::domains_only_repel, names::bonds,        names::exclusions};

bool is_among(std::span<const std::string_view> names, const topology::TermKind& kind) {
  return std::find(names.begin(), names.end(), kind.name) != names.end();
}

/// Compile-time check that the kernels support each number of a state. A structured binding names
/// all members: a new member does not compile.
constexpr bool knows_all_of(const system::ThermodynamicState& state) {
  [[maybe_unused]] const auto& [temperature_kelvin, contact_strength, umbrella_centre_nm,
                                umbrella_k_kj_mol_nm2, ionic_strength_molar, coulomb_kj_mol_nm,
                                kappa_per_nm] = state;
  return true;
}
static_assert(knows_all_of({}));

std::string unsupported_setting(const engine::EngineSettings& settings) {
  // Compile-time check like above. Time step, friction, seed and the state's numbers are in the
  // tables; other settings change no bit.
  [[maybe_unused]] const auto& [precision, integrator, time_step_ps, temperature_kelvin,
                                friction_per_ps, contact_strength, seed, replica, skin_nm,
                                rebuild_every, record_steps, transport, ranks_per_node, on_gpu,
                                devices] = settings;
  switch (precision) {
    case engine::Precision::mixed:
      break;
    case engine::Precision::full:
      return "the precision is double";
  }
  switch (integrator) {
    case engine::Integrator::langevin_baoab:
      break;
    case engine::Integrator::velocity_verlet:
      return "there is no thermostat";
  }
  return {};
}

/// Largest pull of a contact [kJ/mol/nm]: beyond the contact's own distance it must never leave the
/// range of small forces.
double largest_pull(const topology::Contact1210& c) {
  return 3.69 * c.epsilon_kj_mol / c.distance_nm;  // 60 (11/13)^5.5 (2/13), at r^2 = 13/11 d^2
}
double largest_pull(const topology::ContactGaussian& c) {
  const double volume = c.a_kj_mol_nm12 / std::pow(c.distance_nm, 12);
  return 0.607 * (c.epsilon_kj_mol + volume) / c.sigma_nm;  // exp(-1/2), at one width
}

template <class Contacts>
std::string contact_obstacle(const Contacts& contacts, double strongest) {
  for (const auto& c : contacts) {
    const double pull = strongest * largest_pull(c);
    if (pull > small_force) {
      return fmt::format("a contact pulls by {:.0f} kJ/mol/nm, more than {:.0f}", pull,
                         small_force);
    }
  }
  return {};
}

std::string chain_obstacle(const topology::Topology& t) {
  std::set<int> bonds, angles, dihedrals;
  for (const auto& b : t.bonds) {
    if (b.j != b.i + 1 || !bonds.insert(b.i).second) return "a bond is not along the chain";
  }
  for (const auto& a : t.angles) {
    if (a.j != a.i + 1 || a.k != a.i + 2 || !angles.insert(a.i).second) {
      return "an angle is not along the chain";
    }
  }
  for (const auto& d : t.dihedrals) {
    if (d.j != d.i + 1 || d.k != d.i + 2 || d.l != d.i + 3 || !dihedrals.insert(d.i).second) {
      return "a dihedral is not along the chain";
    }
  }
  return {};
}

}  // namespace

ReplicaProcessor build_processor() {
  return device::on_host ? ReplicaProcessor::cpu : ReplicaProcessor::gpu;
}

std::string unsupported_kind(const std::vector<topology::TermKind>& kinds) {
  const bool is_go_model = std::any_of(kinds.begin(), kinds.end(), [](const auto& kind) {
    return kind.name == names::repulsion_12 && kind.count > 0;
  });
  using Names = std::span<const std::string_view>;
  const Names computed = is_go_model ? Names(of_go_model) : Names(of_chains);
  const Names other = is_go_model ? Names(of_chains) : Names(of_go_model);
  for (const auto& kind : kinds) {
    if (kind.count == 0 || is_among(computed, kind)) continue;
    if (!is_among(other, kind)) return presence(kind);
    return presence(kind) +
           (is_go_model ? " beside a go model's terms" : " beside attraction by types");
  }
  return {};
}

std::string resident_obstacle(const topology::Topology& topology,
                              const engine::EngineSettings& settings, double strongest_contacts,
                              const bias::Variable& umbrella) {
  if (auto trouble = unsupported_setting(settings); !trouble.empty()) return trouble;
  if (auto trouble = unsupported_kind(term_kinds(topology)); !trouble.empty()) return trouble;
  if (umbrella.is_defined() && umbrella.kind != bias::VariableKind::distance) {
    return fmt::format("umbrellas hold a {}",
                       bias::variable_names[static_cast<std::size_t>(umbrella.kind)]);
  }
  if (topology.residue_count() > kernels::resident_residues_at_most) {
    return fmt::format("there are {} residues, more than {}", topology.residue_count(),
                       kernels::resident_residues_at_most);
  }
  if (!topology.contacts_12_10.empty() && !topology.contacts_gaussian.empty()) {
    return "there are contacts of two kinds";
  }
  auto trouble = contact_obstacle(topology.contacts_12_10, strongest_contacts);
  if (trouble.empty()) trouble = contact_obstacle(topology.contacts_gaussian, strongest_contacts);
  return trouble.empty() ? chain_obstacle(topology) : trouble;
}

}  // namespace nfold::replicas
