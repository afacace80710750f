// Counts of replicas, steps, terms and residues.
// SPDX-License-Identifier: BSD-3-Clause

#include "ensemble/counted_work.hpp"

#include <algorithm>

#include "setup/collective_variables.hpp"
#include "setup/system_setup.hpp"

namespace nfold::ensemble {
namespace {

/// Returns the part of an ensemble.
plan::TargetPart part_of(const config::Settings& settings) {
  const auto& ensemble = settings.ensemble;
  const auto steps = settings.dynamics.steps;
  const auto times = [&](std::int64_t every) { return every > 0 ? steps / every : 0; };
  plan::TargetPart part;
  part.replicas = ensemble.replicas();
  part.steps = steps;
  part.samples = times(ensemble.sample_every_steps);
  part.looks = std::max(part.samples, times(ensemble.exchange_every_steps));
  part.temperatures = ensemble.states();
  part.counts_contacts = ensemble.analysis.contacts;
  return part;
}

/// Leaves is_resident and is_resident_on_gpu_alone unset.
plan::TargetWork counted_work_of(const config::Settings& settings,
                                 const topology::Topology& topology, const plan::TargetPart& part) {
  plan::TargetWork work;
  work.residues = topology.residue_count();
  work.terms = count_of_terms(topology);
  work.is_go = settings.force_field.model == config::ForceFieldModel::go;
  if (work.is_go) work.repulsion_nm = topology.short_range.cutoff_nm;
  work.parts.push_back(part);
  return work;
}

}  // namespace

bool is_resident_on(replicas::ReplicaPlace place, const config::Settings& settings,
                    const topology::Topology& topology) {
  return replicas::why_not_resident(topology, setup::engine_settings(settings), 1,
                                    setup::umbrella_variable(settings.ensemble, topology), place)
      .empty();
}

std::int64_t count_of_terms(const topology::Topology& topology) {
  return static_cast<std::int64_t>(topology.bonds.size() + topology.restraints.size() +
                                   topology.angles.size() + topology.dihedrals.size()) +
         topology.contact_count();
}

plan::TargetWork work_of(const config::Settings& settings, const topology::Topology& topology) {
  if (settings.ensemble.is_one()) return work_of_replicas(settings, topology, part_of(settings));
  return counted_work_of(settings, topology, {1, settings.dynamics.steps});
}

plan::TargetWork work_of_replicas(const config::Settings& settings,
                                  const topology::Topology& topology,
                                  const plan::TargetPart& part) {
  auto work = counted_work_of(settings, topology, part);
  const auto is_resident = [&](replicas::ReplicaPlace place) {
    return is_resident_on(place, settings, topology);
  };
  work.is_resident = is_resident(replicas::ReplicaPlace::cpu);
  work.is_resident_on_gpu_alone = !work.is_resident && is_resident(replicas::ReplicaPlace::gpu);
  return work;
}

}  // namespace nfold::ensemble
