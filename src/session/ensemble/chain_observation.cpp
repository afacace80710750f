// Samples of a chain's conformations, their checkpoint, and the tables from them.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/ensemble/chain_observation.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <utility>

#include "analysis/chain_charges.hpp"
#include "analysis/sampling_limits.hpp"
#include "core/refusal.hpp"
#include "session/setup/schedule.hpp"
#include "system/state.hpp"

namespace nfold::ensemble {
namespace {

const std::string chain_key = "ensemble.chain";
constexpr std::int64_t fewest_times_to_decide = 16;

}  // namespace

void require_one_chain(const input::Settings& settings, const topology::Topology& topology) {
  const bool is_one = topology.chains.size() == 1 && topology.residue_count() > 1;
  if (is_one || !settings.ensemble.analysis.chain) return;
  core::refuse(
      "ensemble.analysis.chain",
      fmt::format("{} chains and {} residues", topology.chains.size(), topology.residue_count()),
      "it is for one chain of at least 2 residues: leave it out");
}

ChainObservation::ChainObservation(const comm::Communicator& communicator,
                                   const input::Settings& settings,
                                   const topology::Topology& topology)
    : communicator_(communicator),
      settings_(settings.ensemble),
      topology_(topology),
      statistics_((require_one_chain(settings, topology), topology)) {}

/// A start is no sample of any temperature.
bool ChainObservation::counts(std::int64_t step) const {
  return step > 0 && step >= settings_.equilibration_steps;
}

void ChainObservation::sample(std::int64_t step, const replicas::ReplicaSet& replicas,
                              std::int64_t first) {
  if (!counts(step)) return;
  const auto residues = static_cast<std::size_t>(topology_.residue_count());
  const auto states = replicas.states();
  std::vector<analysis::Point> x_nm(residues);
  for (std::size_t at = 0; at < states.position.size(); at += residues) {
    for (std::size_t i = 0; i < residues; ++i) {
      x_nm[i] = system::position_nm(topology_.box, states.position[at + i]);
    }
    statistics_.add(first + static_cast<std::int64_t>(at / residues), x_nm);
  }
  statistics_.end_time();
}

analysis::ChainStatistics ChainObservation::totals() const {
  auto all = statistics_;
  auto sums = statistics_.sums();
  communicator_.sum(std::span<std::int64_t>(sums));
  all.restore(statistics_.times(), std::move(sums));
  return all;
}

void ChainObservation::save(std::map<std::string, std::vector<std::int64_t>>& accumulators) {
  std::vector<std::int64_t> words{statistics_.times(), settings_.equilibration_steps};
  if (has_samples()) {  // zeros are not saved
    const auto all = totals();
    words.insert(words.end(), all.sums().begin(), all.sums().end());
  }
  accumulators[chain_key] = std::move(words);
}

void ChainObservation::restore(const std::map<std::string, std::vector<std::int64_t>>& accumulators,
                               const std::string& where) {
  const auto found = accumulators.find(chain_key);
  const auto refuse_sums = [&where] {
    core::refuse(where, "its sums of ensemble.analysis.chain are not those that this input makes",
                 "go on with the input and the nfold that wrote it, or start anew by --overwrite");
  };
  if (found == accumulators.end() || found->second.size() < 2) return refuse_sums();
  const auto& words = found->second;
  if (words[0] == 0) return;
  if (words[1] != settings_.equilibration_steps) {
    core::refuse("ensemble.equilibration_steps",
                 fmt::format("is {}, but {} has sums since step {}", settings_.equilibration_steps,
                             where, words[1]),
                 "leave it as it was; what was summed cannot be taken apart");
  }
  std::vector<std::int64_t> sums(words.begin() + 2, words.end());
  if (sums.size() != statistics_.sums().size()) return refuse_sums();
  if (!communicator_.is_root()) sums.assign(sums.size(), 0);
  statistics_.restore(words[0], std::move(sums));
}

bool ChainObservation::is_decision_due(std::int64_t step) const {
  const auto times = statistics_.times();
  return settings_.rg_error > 0 && times >= fewest_times_to_decide &&
         setup::is_due(step, settings_.sample_every_steps) &&
         times % analysis::ChainStatistics::block_length(times) == 0;
}

ChainRadius ChainObservation::find_radius(const io::SampleFile& samples) const {
  const auto replicas = static_cast<std::size_t>(settings_.replicas());
  std::vector<double> radius_nm;  // (times, replicas)
  std::vector<std::int64_t> steps;
  for (std::int64_t k = 0; k < samples.rows(); ++k) {
    const auto row = samples.row(k);
    if (!counts(row.step)) continue;
    steps.push_back(row.step);
    // The radius of gyration is the first of the sampled quantities.
    const std::size_t columns = row.quantities.size() / replicas;
    for (std::size_t r = 0; r < replicas; ++r) radius_nm.push_back(row.quantities[r * columns]);
  }
  const auto stride = static_cast<std::size_t>(
      analysis::ChainStatistics::block_length(static_cast<std::int64_t>(steps.size())));
  const auto first = analysis::equilibration_times(radius_nm, replicas, stride);
  return {static_cast<std::int64_t>(first), steps.at(first),
          analysis::replica_mean(std::span(radius_nm).subspan(first * replicas), replicas)};
}

bool ChainObservation::is_converged(const io::SampleFile& samples) const {
  const auto radius = find_radius(samples).mean.estimate;
  return radius.independent >= analysis::fewest_independent_samples &&
         radius.error <= settings_.rg_error * radius.value;
}

std::vector<std::string> add_chain_tables(const topology::Topology& topology,
                                          const input::Settings& settings,
                                          const ChainRadius& radius,
                                          const analysis::ChainStatistics& statistics,
                                          common::Tables& tables) {
  using analysis::ChainStatistics;
  const auto found = statistics.averages(radius.first_time);
  const auto charges = analysis::chain_charges(topology);
  const auto add = [&tables](const std::string& name, const std::string& unit,
                             const std::string& help, const analysis::SampledEstimate& one) {
    tables.add_column("chain/" + name, unit,
                      "(3) " + help +
                          "; its standard error; number of independent samples. Not a number: not "
                          "known",
                      std::array{one.value, one.error, one.independent});
  };
  const auto& mean = radius.mean.estimate;
  add("radius_of_gyration", "nm", "mean, weighed by mass", mean);
  add("end_to_end", "nm", "mean distance of the first and the last residue", found.end_to_end_nm);
  add("hydrodynamic_radius", "nm",
      "Kirkwood's, 1 / ((1 - 1/N) <1/r_ij>) over all pairs of residues",
      found.hydrodynamic_radius_nm);
  add("asphericity", "",
      "1 - 3 <I2> / <I1^2> of the gyration tensor's invariants (Aronovitz and Nelson 1986): 0 of a "
      "sphere, 1 of a rod",
      found.asphericity);
  add("shape_anisotropy", "",
      "mean relative shape anisotropy, <1 - 3 I2 / I1^2> (Theodorou and Suter 1985)",
      found.shape_anisotropy);
  add("scaling_exponent", "",
      "nu of distance = R_0 |i - j|^nu, by least squares over scaling_range",
      found.scaling_exponent);
  tables.add_number("chain/scaling_length", "nm", "R_0 of that fit", found.scaling_length_nm);
  tables.add_column("chain/scaling_range", "", "(2) lowest and highest |i - j| of that fit",
                    std::array{ChainStatistics::first_separation, topology.residue_count() - 1});
  tables.add_column(
      "chain/distance", "nm",
      "(residues - 1) root mean square distance of residues 1, 2, ... apart along the "
      "chain",
      found.distance_nm);
  tables.add_column("chain/distance_error", "nm", "(residues - 1) its standard error",
                    found.distance_error_nm);
  tables.add_whole(
      "chain/first_step",
      "step of the first sample after equilibration, with which the standard error of the "
      "radius of gyration is smallest (White 1997)",
      {}, std::array{radius.first_step});
  tables.add_number(
      "chain/inefficiency", "",
      "consecutive samples of a replica per independent one, 1 + 2 tau, by the radius "
      "of gyration",
      radius.mean.inefficiency);
  tables.add_column(
      "chain/charges", "e",
      "(5) net charge; positive charges per residue; negative charges per residue, "
      "without sign; charge decoration SCD [e2] (Sawle and Ghosh 2015); charge segregation kappa "
      "[1] (Das and Pappu 2013)",
      std::array{charges.net, charges.positive, charges.negative, charges.decoration,
                 charges.kappa});
  const double share = settings.ensemble.rg_error;
  if (!(mean.independent >= analysis::fewest_independent_samples)) {
    return {fmt::format(
        "no size of the chain: {:.0f} independent samples from step {} on, of the {} that an error "
        "needs; take more steps",
        std::isnan(mean.independent) ? 0 : mean.independent, radius.first_step,
        analysis::fewest_independent_samples)};
  }
  std::string text = fmt::format(
      "radius of gyration {:.3f} +- {:.3f} nm from step {} on, {:.0f} independent samples",
      mean.value, mean.error, radius.first_step, mean.independent);
  if (share > 0) {
    text += fmt::format("; its error is {:.2g} % of the {:.2g} % that rg_error allows",
                        100 * mean.error / mean.value, 100 * share);
  }
  return {std::move(text)};
}

}  // namespace nfold::ensemble
