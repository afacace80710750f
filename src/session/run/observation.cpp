// Accumulators from the input's keys, and NAME.observables.h5 from the accumulators.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/run/observation.hpp"

#include <fmt/core.h>

#include <stdexcept>
#include <utility>

#include "analysis/chain_kinds.hpp"
#include "analysis/chain_sizes.hpp"
#include "analysis/clusters.hpp"
#include "analysis/density_profile.hpp"
#include "analysis/displacement.hpp"
#include "analysis/distinct_residues.hpp"
#include "analysis/energy_histograms.hpp"
#include "analysis/pressure.hpp"
#include "analysis/slab_coexistence.hpp"
#include "core/refusal.hpp"
#include "core/telemetry/progress.hpp"
#include "core/version.hpp"
#include "device/device_memory.hpp"
#include "session/job/collective_work.hpp"
#include "session/run/shared_contact_maps.hpp"
#include "session/run/shared_phase_locking.hpp"
#include "session/run/shared_residue_energies.hpp"
#include "session/setup/sampling_record.hpp"

namespace nfold::run {
namespace {

const std::string frames_name = "observables";

io::ObservedSpecies observed(const topology::Topology& topology, const analysis::ChainKind& kind) {
  io::ObservedSpecies species;
  species.name = kind.name;
  species.chains = static_cast<std::int64_t>(kind.chains.size());
  const auto& chain = topology.chains[static_cast<std::size_t>(kind.chains.front())];
  for (int i = chain.first; i < chain.first + chain.count; ++i) {
    species.residue_names.emplace_back(topology.residues[static_cast<std::size_t>(i)].name.view());
  }
  return species;
}

// Throws InputError if the tables of `key` exceed the limit for a run's files.
void require_table_limit(const char* key, std::int64_t bytes) {
  constexpr std::int64_t most_bytes = std::int64_t{64} << 30U;
  if (bytes <= most_bytes) return;
  core::refuse(fmt::format("observables.{}", key),
               fmt::format("tables of {}, more than {}", telemetry::format_bytes(bytes),
                           telemetry::format_bytes(most_bytes)),
               "switch it off");
}

}  // namespace

template <class Maker>
void Observation::add(bool asked, const char* key, const Maker& make) {
  if (!asked) return;
  try {
    accumulators_.push_back(make());
  } catch (const analysis::AnalysisError& error) {
    core::refuse(fmt::format("observables.{}", key), error.what(),
                 fmt::format("leave them out by observables.{}: false", key));
  }
}

Observation::Observation(const comm::Communicator& communicator, const input::Settings& settings,
                         const topology::Topology& topology)
    : communicator_(communicator), settings_(settings), topology_(topology) {
  if (settings_.observables.every_steps == 0) return;
  job::on_root(communicator_, [this] { make_root_accumulators(); });
  make_shared_accumulators();
  has_accumulators_ = communicator_.any(!accumulators_.empty()) || !shared_.empty();
}

void Observation::make_root_accumulators() {
  const auto& asked = settings_.observables;
  const auto axis = static_cast<std::size_t>(asked.profile_axis);
  const bool is_boxed = topology_.box.volume_nm3() > 0;
  if (asked.coexistence) {
    add(true, "coexistence", [&] {
      const auto& dynamics = settings_.dynamics;
      auto coexistence = std::make_unique<analysis::SlabCoexistence>(
          topology_, axis,
          analysis::SlabConditions{dynamics.temperature_kelvin, dynamics.friction_per_ps,
                                   static_cast<double>(asked.every_steps) * dynamics.time_step_ps});
      coexistence_ = coexistence.get();
      return coexistence;
    });
  }
  if (!is_boxed && (asked.density_profile || asked.pressure)) {
    notes_.emplace_back("observables: without a box there is no density profile and no pressure");
  }
  add(asked.density_profile && is_boxed, "density_profile", [&] {
    return std::make_unique<analysis::DensityProfile>(topology_, axis, asked.profile_bins);
  });
  add(asked.clusters, "clusters",
      [&] { return std::make_unique<analysis::Clusters>(topology_, asked.cluster_cutoff_nm); });
  add(asked.chain_sizes, "chain_sizes", [&] {
    return std::make_unique<analysis::ChainSizes>(topology_, asked.size_bins,
                                                  asked.largest_size_nm);
  });
  add(asked.mean_square_displacement, "mean_square_displacement", [&] {
    return std::make_unique<analysis::Displacement>(
        topology_, static_cast<double>(asked.every_steps) * settings_.dynamics.time_step_ps);
  });
  add(asked.pressure && is_boxed, "pressure",
      [&] { return std::make_unique<analysis::PressureAverage>(topology_, axis); });
}

void Observation::make_shared_accumulators() {
  const auto& asked = settings_.observables;
  if (asked.contact_maps) {
    shared_.push_back(make_contact_maps(communicator_, topology_, asked.contact_cutoff_nm));
  }
  if (asked.residue_energies) {
    require_table_limit("residue_energies", analysis::EnergyHistograms::table_bytes(
                                                analysis::DistinctResidues(topology_).count()));
    shared_.push_back(
        make_residue_energies(communicator_, topology_, settings_.dynamics.temperature_kelvin));
  }
  if (!asked.phase_locking) return;
  require_table_limit("phase_locking", phase_locking_bytes(topology_));
  if (settings_.dynamics.steps / asked.every_steps >= most_phase_samples) {
    core::refuse("observables.every_steps",
                 fmt::format("{} samples, of which phase_locking can sum 2^30",
                             settings_.dynamics.steps / asked.every_steps),
                 "sample less often, or leave observables.phase_locking out");
  }
  auto phases = make_phase_locking(communicator_, topology_);
  if (phases) {
    shared_.push_back(std::move(phases));
  } else {
    notes_.emplace_back(
        "observables: no phase_locking, since no chain has a pseudo-dihedral, of four residues");
  }
}

void Observation::sample(const setup::Report& report, const engine::Engine& engine) {
  if (report.step <= last_step_) return;
  job::on_root(communicator_, [&] {
    for (const auto& accumulator : accumulators_) {
      accumulator->add({report.step, report.positions_nm, report.pressure_bar});
    }
  });
  if (!shared_.empty()) {
    const auto mine = engine.owned_state();
    for (const auto& accumulator : shared_) accumulator->add(mine);
  }
  if (frames_ == 0) first_step_ = report.step;
  last_step_ = report.step;
  ++frames_;
}

bool Observation::has_reached_goal(std::int64_t step) const {
  const double error = settings_.observables.dilute_error;
  if (error == 0 || step != last_step_ || !analysis::SlabCoexistence::is_decision_due(frames_)) {
    return false;
  }
  bool is_decided = false;
  job::on_root(communicator_, [&] { is_decided = coexistence_->is_decided(error); });
  return communicator_.any(is_decided);
}

std::map<std::string, std::vector<std::int64_t>> Observation::saved() {
  std::map<std::string, std::vector<std::int64_t>> sums;
  if (!has_accumulators_) return sums;
  sums[frames_name] = {frames_, first_step_, last_step_};
  std::vector<analysis::Result> results;
  for (const auto& accumulator : accumulators_) {
    sums[accumulator->name()] = accumulator->saved();
    for (auto& result : accumulator->results()) results.push_back(std::move(result));
  }
  for (const auto& accumulator : shared_) {
    auto words = accumulator->saved();
    if (!communicator_.is_root()) continue;
    for (auto& result : accumulator->results(words)) results.push_back(std::move(result));
    sums[accumulator->name()] = std::move(words);
  }
  if (communicator_.is_root()) keep(std::move(results));
  return sums;
}

/// Keeps the results for write(), which may be called after more frames were added.
void Observation::keep(std::vector<analysis::Result> results) {
  means_ = setup::known_means(settings_, topology_, frames_, results);
  kept_.emplace();
  auto& header = kept_->header;
  header.creator_version = core::version;
  header.frames = frames_;
  header.first_step = first_step_;
  header.last_step = last_step_;
  header.every_steps = settings_.observables.every_steps;
  header.time_step_ps = settings_.dynamics.time_step_ps;
  header.box_nm = topology_.box.length_nm;
  for (const auto& kind : analysis::chain_kinds(topology_).kinds) {
    header.species.push_back(observed(topology_, kind));
  }
  for (auto& result : results) kept_->tables.add(std::move(result));
}

void Observation::restore(const std::map<std::string, std::vector<std::int64_t>>& sums,
                          const std::string& where) {
  if (!has_accumulators_) return;
  const auto refuse_part = [&where](const std::string& part) {
    core::refuse(where, fmt::format("its sums of '{}' are not those that this input makes", part),
                 "go on with the input and the nfold that wrote it, or start anew by --overwrite");
  };
  const auto take_over = [&](auto& accumulators) {
    for (const auto& accumulator : accumulators) {
      const auto found = sums.find(accumulator->name());
      try {
        if (found == sums.end() || !accumulator->restore(found->second)) {
          refuse_part(accumulator->name());
        }
      } catch (const std::out_of_range&) {
        refuse_part(accumulator->name());
      }
    }
  };
  const auto frames = sums.find(frames_name);
  if (frames == sums.end() || frames->second.size() != 3) return refuse_part(frames_name);
  job::on_root(communicator_, [&] { take_over(accumulators_); });
  take_over(shared_);
  frames_ = frames->second[0];
  first_step_ = frames->second[1];
  last_step_ = frames->second[2];
}

void Observation::write(const std::filesystem::path& path) {
  const auto kept_results = std::exchange(kept_, std::nullopt);
  if (kept_results) io::write_observables(path, kept_results->header, kept_results->tables.all());
}

}  // namespace nfold::run
