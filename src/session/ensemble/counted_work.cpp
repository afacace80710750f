// Counts of replicas, steps, terms and residues.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/ensemble/counted_work.hpp"

#include <algorithm>

#include "session/setup/collective_variables.hpp"
#include "session/setup/system_setup.hpp"

namespace nfold::ensemble {
namespace {

/// Returns the part of an ensemble.
estimate::TargetPart ensemble_part(const input::Settings& settings) {
  const auto& ensemble = settings.ensemble;
  const auto steps = settings.dynamics.steps;
  const auto times = [&](std::int64_t every) { return every > 0 ? steps / every : 0; };
  estimate::TargetPart part;
  part.replicas = ensemble.replicas();
  part.steps = steps;
  part.samples = times(ensemble.sample_every_steps);
  part.energy_gathers = std::max(part.samples, times(ensemble.exchange_every_steps));
  part.temperatures = ensemble.states();
  part.counts_contacts = ensemble.analysis.contacts;
  return part;
}

/// Leaves is_resident unset.
estimate::TargetWork count_part_work(const input::Settings& settings,
                                     const topology::Topology& topology,
                                     const estimate::TargetPart& part) {
  estimate::TargetWork work;
  work.residues = topology.residue_count();
  work.terms = count_terms(topology);
  work.is_go = settings.force_field.model == input::ForceFieldModel::go;
  if (work.is_go) work.repulsion_nm = topology.short_range.cutoff_nm;
  work.parts.push_back(part);
  return work;
}

}  // namespace

bool is_resident(const input::Settings& settings, const topology::Topology& topology) {
  return replicas::resident_obstacle(topology, setup::engine_settings(settings), 1,
                                     setup::umbrella_variable(settings.ensemble, topology))
      .empty();
}

std::int64_t count_terms(const topology::Topology& topology) {
  return static_cast<std::int64_t>(topology.bonds.size() + topology.restraints.size() +
                                   topology.angles.size() + topology.dihedrals.size()) +
         topology.contact_count();
}

estimate::TargetWork count_work(const input::Settings& settings,
                                const topology::Topology& topology) {
  if (settings.ensemble.is_enabled())
    return count_replica_work(settings, topology, ensemble_part(settings));
  return count_part_work(settings, topology, {1, settings.dynamics.steps});
}

estimate::TargetWork count_replica_work(const input::Settings& settings,
                                        const topology::Topology& topology,
                                        const estimate::TargetPart& part) {
  auto work = count_part_work(settings, topology, part);
  work.is_resident = is_resident(settings, topology);
  return work;
}

}  // namespace nfold::ensemble
