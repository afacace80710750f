// Means and errors from tables, and their rows in the history.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/setup/sampling_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/chain_kinds.hpp"
#include "estimate/result_cache.hpp"
#include "input/keys.hpp"
#include "input/models.hpp"
#include "session/setup/estimate_record.hpp"

namespace nfold::setup {
namespace {

using estimate::SampledMean;

const std::string gyration = "radius of gyration [nm]", density = "density of the middle [mg/ml]",
                  native = "native contacts at the folding temperature";

/// Returns the means of plain runs of duration sampled_ps.
std::vector<SampledMean> means_of_run(const input::Settings& settings,
                                      const topology::Topology& topology, double sampled_ps,
                                      double times) {
  const auto& asked = settings.observables;
  std::vector<SampledMean> means;
  if (asked.every_steps == 0) return means;
  if (asked.chain_sizes) {
    for (const auto& kind : analysis::chain_kinds(topology).kinds) {
      const auto chains = times * static_cast<double>(kind.chains.size());
      means.push_back(
          {gyration, kind.name, static_cast<double>(kind.residues), sampled_ps * chains, 0, 0, {}});
    }
  }
  if (asked.density_profile && topology.box.volume_nm3() > 0) {
    means.push_back(
        {density, "", times * static_cast<double>(topology.residue_count()), sampled_ps, 0, 0, {}});
  }
  return means;
}

std::vector<SampledMean> means_of_ensemble(const input::Settings& settings,
                                           const topology::Topology& topology, double sampled_ps) {
  const bool folds = topology.contact_count() > 0;
  const auto replicas = static_cast<double>(settings.ensemble.replicas());
  return {{folds ? native : gyration,
           "",
           static_cast<double>(topology.residue_count()),
           sampled_ps * replicas,
           0,
           0,
           {}}};
}

/// Returns a digest of the keys that a mean depends on: all but the seed, the start, the
/// observables and keys that may change on resume.
std::string digest_of_state(const input::Settings& settings) {
  std::string text;
  for (const auto& key : input::all_keys()) {
    const bool is_other = key.on_resume == document::OnResume::allow ||
                          key.name == "dynamics.seed" || key.name.starts_with("start.") ||
                          key.name.starts_with("observables.");
    if (!is_other) text += fmt::format("{}:{}\n", key.name, input::value_block(key, settings, 2));
  }
  return estimate::hash_key(text);
}

const analysis::Result* find(const std::vector<analysis::Result>& tables, const std::string& path) {
  const auto found = std::ranges::find(tables, path, &analysis::Result::path);
  return found == tables.end() ? nullptr : &*found;
}

}  // namespace

std::vector<SampledMean> planned_means(const input::Settings& settings,
                                       const topology::Topology& topology, std::int64_t steps,
                                       double times) {
  const bool is_ensemble = settings.ensemble.is_enabled();
  steps -= is_ensemble ? settings.ensemble.equilibration_steps
                       : settings.observables.equilibration_steps;
  if (steps <= 0) return {};
  const double sampled_ps = static_cast<double>(steps) * settings.dynamics.time_step_ps;
  auto means = is_ensemble ? means_of_ensemble(settings, topology, sampled_ps)
                           : means_of_run(settings, topology, sampled_ps, times);
  for (auto& mean : means) mean.state = digest_of_state(settings);
  return means;
}

std::vector<SampledMean> known_means(const input::Settings& settings,
                                     const topology::Topology& topology, std::int64_t frames,
                                     const std::vector<analysis::Result>& tables) {
  const double sampled_ps = static_cast<double>(frames * settings.observables.every_steps) *
                            settings.dynamics.time_step_ps;
  auto means = means_of_run(settings, topology, sampled_ps, 1);
  std::size_t species = 0;
  for (auto& mean : means) {
    mean.state = digest_of_state(settings);
    const bool is_size = mean.observable == gyration;
    const std::string path =
        is_size ? "chain_sizes/radius_of_gyration" : "density_profile/mass_density_total";
    const auto *const value = find(tables, path), *const error = find(tables, path + "_error");
    if (value == nullptr || error == nullptr || value->values.empty()) continue;
    const auto place = is_size ? species++ : value->values.size() / 2;
    mean.mean = value->values.at(place);
    mean.standard_error = error->values.at(place);
  }
  return means;
}

std::vector<std::string> record_means(const input::Settings& settings,
                                      const std::vector<SampledMean>& means) {
  for (const auto& mean : means) {
    if (!(mean.standard_error > 0) || !std::isfinite(mean.standard_error)) continue;
    const std::string model(input::model_name(settings.force_field.model));
    const auto failure = add_to_history(estimate::SampledRow{{}, model, mean});
    if (!failure.empty()) return {failure};
  }
  return {};
}

}  // namespace nfold::setup
