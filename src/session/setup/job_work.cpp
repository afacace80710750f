// Counts of states that are reported, observed and written.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/setup/job_work.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "analysis/distinct_residues.hpp"
#include "analysis/sparse_contact_maps.hpp"

namespace nfold::setup {
namespace {

/// Returns the steps from 0 to `last` that are multiples of an interval; 0: none.
std::int64_t multiples(std::int64_t last, std::int64_t every) {
  return every > 0 ? last / every + 1 : 0;
}

// Work of rank 0 per residue, relative to the density profile.
constexpr double density_work = 1, chain_size_work = 0.1, displacement_work = 0.5;

/// Counts what one sample of the observables reads.
void count_sample(const input::Settings& settings, const topology::Topology& topology,
                  estimate::JobWork& work) {
  const auto& asked = settings.observables;
  const bool is_boxed = topology.box.volume_nm3() > 0;
  work.root_observables = (asked.density_profile && is_boxed ? density_work : 0) +
                          (asked.coexistence ? density_work : 0) +
                          (asked.chain_sizes ? chain_size_work : 0) +
                          (asked.mean_square_displacement ? displacement_work : 0);
  work.root_search_nm = asked.clusters ? asked.cluster_cutoff_nm : 0;
  work.shared_search_nm = asked.contact_maps ? asked.contact_cutoff_nm : 0;
  if (asked.residue_energies) {
    const auto& charges = topology.electrostatics;
    work.pair_energy_nm =
        std::max(topology.short_range.cutoff_nm,
                 charges.acts() ? charges.cutoff_nm : topology.short_range.cutoff_nm);
  }
  const double range_nm = std::max(work.shared_search_nm, work.pair_energy_nm);
  // The box of the whole system: a part has a smaller one.
  const auto& edges = settings.system.box_nm;
  const double longest_nm = std::max(*std::ranges::max_element(topology.box.length_nm),
                                     edges.empty() ? 0.0 : *std::ranges::max_element(edges));
  if (is_boxed && range_nm > 0) work.most_slices = std::max(1.0, std::floor(longest_nm / range_nm));
  if (asked.contact_maps) {
    // Rows of a large map have few elements other than zero.
    constexpr double elements_of_row = 100;
    const double rows = analysis::DistinctResidues(topology).count();
    work.result_values =
        2 * rows * (rows <= analysis::dense_map_row_limit ? rows : elements_of_row);
  }
}

/// Returns the residues that have a pseudo-dihedral.
double count_phases(const topology::Topology& topology) {
  double phases = 0;
  for (const auto& chain : topology.chains) phases += std::max(0, chain.count - 3);
  return phases;
}

void count_checkpoints(const input::OutputSettings& output, estimate::JobWork& work) {
  constexpr double minute = 60;
  work.checkpoint_steps = static_cast<double>(output.checkpoint_every_steps);
  work.checkpoint_seconds = minute * std::max(0.0, output.checkpoint_every_minutes);
}

}  // namespace

std::int64_t count_events(std::int64_t last, std::int64_t a, std::int64_t b, std::int64_t c) {
  // Least common multiple, at most last + 1, which has the single multiple 0.
  const auto both = [last](std::int64_t one, std::int64_t other) -> std::int64_t {
    if (one <= 0 || other <= 0) return 0;
    const auto times = other / std::gcd(one, other);
    return one > (last + 1) / times ? last + 1 : one * times;
  };
  return multiples(last, a) + multiples(last, b) + multiples(last, c) -
         multiples(last, both(a, b)) - multiples(last, both(a, c)) - multiples(last, both(b, c)) +
         multiples(last, both(a, both(b, c)));
}

estimate::JobWork count_job_work(const input::Settings& settings, const MemoryEstimator& planner,
                                 std::int64_t residues) {
  const auto& topology = planner.topology();
  const auto& output = settings.output;
  const auto& asked = settings.observables;
  const auto steps = settings.dynamics.steps;
  const double times = static_cast<double>(residues) / topology.residue_count();
  estimate::JobWork work;
  work.residues = static_cast<double>(residues);
  work.steps = static_cast<double>(steps);
  work.minimiser_steps = static_cast<double>(settings.start.minimise_steps);
  // The state at the end is shown once more.
  work.reports =
      1 + static_cast<double>(count_events(steps, output.energies_every_steps,
                                           output.trajectory_every_steps, asked.every_steps));
  work.frames = static_cast<double>(output.frame_count(steps));
  work.native_contacts = times * static_cast<double>(topology.contact_count());
  work.has_pressure = topology.box.volume_nm3() > 0;
  work.list_nm = planner.counts(1).front().pairs.range_nm;
  count_checkpoints(output, work);
  if (asked.every_steps > 0) {
    const auto before = (asked.equilibration_steps + asked.every_steps - 1) / asked.every_steps;
    work.samples = static_cast<double>(
        std::max<std::int64_t>(0, multiples(steps, asked.every_steps) - before));
  }
  if (work.samples > 0) {
    count_sample(settings, topology, work);
    if (asked.phase_locking) {
      constexpr double sums_of_pair = 4;
      work.phases = times * count_phases(topology);
      work.result_values += sums_of_pair * work.phases * work.phases / 2;
    }
  }
  return work;
}

estimate::JobWork count_ensemble_work(const input::Settings& settings,
                                      std::int64_t residues_of_replica) {
  const auto& ensemble = settings.ensemble;
  estimate::JobWork work;
  work.residues = static_cast<double>(residues_of_replica);
  count_checkpoints(settings.output, work);
  work.steps = static_cast<double>(settings.dynamics.steps);
  work.minimiser_steps = static_cast<double>(settings.start.minimise_steps);
  const auto frames = settings.output.frame_count(settings.dynamics.steps);
  work.frames = static_cast<double>(frames * std::ssize(ensemble.trajectory_replicas));
  return work;
}

}  // namespace nfold::setup
