// Sums of terms, list entries and ghosts.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/setup/step_demand.hpp"

#include <algorithm>
#include <cmath>

#include "engine/engine_memory.hpp"

namespace nfold::setup {
namespace {

double entries_of(const domain::NeighbourCounts& list) {
  return static_cast<double>(list.sum_of([](int neighbours) { return neighbours; }));
}

bool lays_out_coils(const input::Settings& settings) {
  const auto from = settings.start.from;
  const bool is_laid_out = from == input::StartFrom::random || from == input::StartFrom::slab ||
                           from == input::StartFrom::droplet;
  return is_laid_out && settings.force_field.model != input::ForceFieldModel::go &&
         settings.start.conformation != input::Conformation::native;
}

double picoseconds_of(const input::Settings& settings) {
  const auto& dynamics = settings.dynamics;
  return static_cast<double>(dynamics.steps) * dynamics.time_step_ps;
}

/// Pairs grow by the factor 1 + most_more t / (t + half_ps) until t [ps].
constexpr double most_more = 0.3, half_ps = 32;

/// Returns the mean of that factor from 0 to `picoseconds`.
double mean_gathering(double picoseconds) {
  // Measured pairs over those of the start: 15 boxes of 20 chains (four models, four sequences, 20
  // and 100 mg/ml) had 1.03 after 6 ps, 1.11 after 20 ps and 1.21 after 65 ps; two slabs and a
  // droplet had 1.08, 1.33 and 1.25 after 100 to 180 ps.
  if (!(picoseconds > 0)) return 1;
  const double times = picoseconds / half_ps;
  return 1 + most_more * (1 - std::log1p(times) / times);
}

}  // namespace

estimate::StepDemand step_demand(const topology::Topology& topology,
                                 const input::Settings& settings,
                                 const domain::RankCounts& counts) {
  estimate::StepDemand demand;
  demand.residues = static_cast<double>(counts.owned);
  std::size_t place = 0;
  topology::BondedKinds::for_each([&](auto kind) {
    using Term = typename decltype(kind)::Term;
    const auto terms = counts.inner_terms.at(place) + counts.border_terms.at(place);
    demand.term_work += kind.work * topology::residues_per_term<Term> * static_cast<double>(terms);
    ++place;
  });
  demand.pair_form = static_cast<std::size_t>(topology.short_range.form);
  demand.pairs = entries_of(counts.pairs);
  if (topology.electrostatics.acts()) demand.charge_pairs = entries_of(counts.charges);
  demand.ghosts = static_cast<double>(counts.partners + counts.other_ghosts);
  demand.peers = static_cast<int>(counts.halo.peers);
  demand.far_peers = static_cast<int>(counts.halo.far_peers);
  demand.sent_to_far_bytes =
      static_cast<double>(counts.halo.sent_far * engine::bytes_of_row(settings.dynamics.precision));
  demand.is_in_full_precision = settings.dynamics.precision == system::Precision::full;
  return demand;
}

std::vector<estimate::StepDemand> step_demands(const MemoryEstimator& planner,
                                               const input::Settings& settings, int nodes,
                                               int ranks_per_node) {
  std::vector<estimate::StepDemand> demands;
  for (const auto& counts : planner.counts(nodes * ranks_per_node, nodes)) {
    demands.push_back(step_demand(planner.topology(), settings, counts));
  }
  return demands;
}

void let_chains_gather(estimate::StepDemand& demand, const input::Settings& settings,
                       double picoseconds) {
  if (!lays_out_coils(settings)) return;
  const double factor = mean_gathering(picoseconds);
  demand.pairs *= factor;
  demand.charge_pairs *= factor;
}

void let_chains_gather(std::span<estimate::StepDemand> demands, const input::Settings& settings) {
  for (auto& demand : demands) let_chains_gather(demand, settings, picoseconds_of(settings));
}

void let_lists_grow(domain::RankCounts& counts, const input::Settings& settings) {
  if (settings.start.from != input::StartFrom::random || !lays_out_coils(settings)) return;
  const double picoseconds = picoseconds_of(settings);
  const double factor = 1 + most_more / 2 * picoseconds / (picoseconds + half_ps);
  counts.pairs.lengthen(factor);
  counts.charges.lengthen(factor);
}

}  // namespace nfold::setup
