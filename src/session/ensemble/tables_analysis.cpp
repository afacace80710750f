// Probabilities, histograms, matrices and phi values from counts, as tables.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/ensemble/tables_analysis.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "analysis/thermodynamics/folding_order.hpp"
#include "analysis/thermodynamics/landscape.hpp"
#include "analysis/thermodynamics/phase_tables.hpp"

namespace nfold::ensemble {
namespace {

using Plan = replicas::ObserverPlan;
constexpr double not_sampled = std::numeric_limits<double>::quiet_NaN();

/// Returns the number of samples of each state (states).
std::vector<std::int64_t> samples_of_states(const replicas::ObservedCounts& counts, int states) {
  std::vector<std::int64_t> all;
  all.reserve(static_cast<std::size_t>(states));
  for (int k = 0; k < states; ++k) {
    const auto first = counts.samples.begin() + std::ptrdiff_t{k} * Plan::q_bins;
    all.push_back(std::accumulate(first, first + Plan::q_bins, std::int64_t{0}));
  }
  return all;
}

std::vector<double> q_centres() {
  std::vector<double> centres;
  centres.reserve(Plan::q_bins);
  for (int k = 0; k < Plan::q_bins; ++k) centres.push_back((k + 0.5) / Plan::q_bins);
  return centres;
}

/// Returns the states of the large tables.
std::vector<double> large_states(const Plan& plan) {
  if (plan.only_state >= 0) return {static_cast<double>(plan.only_state)};
  std::vector<double> all(static_cast<std::size_t>(plan.states));
  std::iota(all.begin(), all.end(), 0.0);
  return all;
}

void add_contacts(const topology::Topology& topology, const EnsembleCounts& of,
                  common::Tables& tables) {
  const auto contacts = replicas::observed_contacts(topology);
  const auto n = contacts.size();
  const auto extent = static_cast<std::int64_t>(n);
  std::vector<std::int64_t> residues;
  residues.reserve(2 * n);
  for (const auto& c : contacts) residues.insert(residues.end(), {c.i, c.j});
  const auto samples = samples_of_states(of.counts, of.plan.states);
  std::vector<double> probability, given_q;
  probability.reserve(samples.size() * n);
  given_q.reserve(of.counts.contacts.size());
  for (std::size_t k = 0; k < samples.size(); ++k) {
    std::vector<std::int64_t> formed(n);
    for (std::size_t bin = 0; bin < std::size_t{Plan::q_bins}; ++bin) {
      const std::size_t cell = k * Plan::q_bins + bin;
      const auto seen = static_cast<double>(of.counts.samples[cell]);
      for (std::size_t c = 0; c < n; ++c) {
        const auto count = of.counts.contacts[cell * n + c];
        formed[c] += count;
        given_q.push_back(seen > 0 ? static_cast<double>(count) / seen : not_sampled);
      }
    }
    for (const auto count : formed) {
      probability.push_back(samples[k] > 0
                                ? static_cast<double>(count) / static_cast<double>(samples[k])
                                : not_sampled);
    }
  }
  tables.add_whole("contacts/residues", "(contacts, 2) residues of each native contact, from 0",
                   {extent, 2}, residues);
  tables.add("contacts/probability", "",
             "(states, contacts) share of a state's samples in which the contact is formed: "
             "up to 1.2 times its distance, as Q counts",
             {of.plan.states, extent}, std::move(probability));
  tables.add_column("contacts/native_fraction", "", "(bins) centres of the bins of Q", q_centres());
  tables.add("contacts/probability_given_native_fraction", "",
             "(states, bins, contacts) the same among the samples of one bin of Q; not a "
             "number where there is none",
             {of.plan.states, Plan::q_bins, extent}, std::move(given_q));
}

void add_contact_maps(const topology::Topology& topology, const EnsembleCounts& of,
                      common::Tables& tables) {
  using analysis::SparseCounts;
  const auto states = large_states(of.plan);
  const auto samples = samples_of_states(of.counts, of.plan.states);
  const auto rows = static_cast<std::size_t>(topology.residue_count());
  std::vector<std::int64_t> of_states, start, column, count;
  for (std::size_t table = 0; table < states.size(); ++table) {
    of_states.push_back(samples[static_cast<std::size_t>(states[table])]);
    std::vector<std::int64_t> pairs(rows, 0);
    const auto before = static_cast<std::int64_t>(column.size());
    for (const auto& entry : of.contact_maps[table]) {
      ++pairs[static_cast<std::size_t>(SparseCounts::row_of(entry.key))];
      column.push_back(SparseCounts::column_of(entry.key));
      count.push_back(entry.count);
    }
    start.push_back(before);
    for (const auto n : pairs) start.push_back(start.back() + n);
  }
  tables.add_number("contact_maps/cutoff", "nm", "residues are in contact if closer",
                    of.plan.contact_cutoff_nm);
  tables.add_whole("contact_maps/state", "(tables) index of the temperature of each map",
                   {std::ssize(states)}, states);
  tables.add(analysis::whole_numbers("contact_maps/samples", "(tables) samples of each",
                                     std::move(of_states)));
  auto starts = analysis::whole_numbers(
      "contact_maps/row_start",
      "(tables, residues + 1) pairs of residue i stand from [i] to [i + 1]", std::move(start));
  starts.extent = {std::ssize(states), static_cast<std::int64_t>(rows) + 1};
  tables.add(std::move(starts));
  tables.add(analysis::whole_numbers("contact_maps/column",
                                     "(pairs) the other residue of each, from 0, behind the row's",
                                     std::move(column)));
  tables.add(analysis::whole_numbers(
      "contact_maps/count",
      "(pairs) samples in which they were in contact; pairs that never were are left out",
      std::move(count)));
}

/// Returns (bins + 1) edges of equal bins.
std::vector<double> bin_edges(double low, double high, int bins) {
  std::vector<double> edges;
  edges.reserve(static_cast<std::size_t>(bins) + 1);
  for (int k = 0; k <= bins; ++k) edges.push_back(low + (high - low) * k / bins);
  return edges;
}

void add_sizes(const EnsembleCounts& of, common::Tables& tables) {
  tables.add_column(
      "size/edges", "nm",
      "(bins + 1) of the histogram of the radius of gyration, the mean over chains of "
      "each one's own",
      bin_edges(0, of.plan.largest_size_nm, Plan::size_bins));
  const auto& count = of.counts.sizes;
  tables.add_whole("size/count",
                   "(states, Q bins, bins) samples of each bin; what is larger is in the last",
                   {of.plan.states, Plan::q_bins, Plan::size_bins}, count);
}

void add_residue_energies(const topology::Topology& topology, const EnsembleCounts& of,
                          common::Tables& tables) {
  const auto states = large_states(of.plan);
  tables.add_whole("residue_energy/state", "(tables) index of the temperature of each",
                   {std::ssize(states)}, states);
  tables.add_column(
      "residue_energy/edges", "kJ mol-1",
      "(bins + 1) of the histograms; what is beyond is in the first and the last bin",
      bin_edges(of.plan.lowest_energy_kj_mol, of.plan.highest_energy_kj_mol, Plan::energy_bins));
  const auto& count = of.counts.energies;
  tables.add_whole("residue_energy/count",
                   "(tables, residues, bins) samples by the potential energy of each residue; the "
                   "energy of a term belongs to its residues in equal parts",
                   {std::ssize(states), topology.residue_count(), Plan::energy_bins}, count);
}

void add_phases(const topology::Topology& topology, const EnsembleCounts& of,
                common::Tables& tables) {
  const auto residues = replicas::phase_residues(topology);
  const auto states = large_states(of.plan);
  for (auto& result :
       thermodynamics::phase_tables({residues, states, of.counts.phases, of.counts.undefined})) {
    tables.add(std::move(result));
  }
}

void add_surface(const std::string& name, const char* other, const char* unit, const char* help,
                 const thermodynamics::FreeEnergySurface& surface, common::Tables& tables) {
  tables.add_number("landscape/" + name + "_temperature", "K", "of the surface", surface.kelvin);
  tables.add_column("landscape/" + name + "_bins", unit, std::string("(bins) centres of ") + other,
                    surface.other);
  tables.add("landscape/of_" + name, "kJ mol-1", help,
             {std::ssize(surface.native_fraction), std::ssize(surface.other)}, surface.kj_mol);
}

std::string add_folding_order(const thermodynamics::FoldingOrder& order, common::Tables& tables) {
  std::vector<double> windows, fraction;
  windows.reserve(6);
  fraction.reserve(3 * order.phi.size());
  for (const auto& w : order.windows.all()) {
    windows.insert(windows.end(),
                   {double(w.first) / Plan::q_bins, double(w.last + 1) / Plan::q_bins});
  }
  for (const auto& f : order.fraction) fraction.insert(fraction.end(), f.begin(), f.end());
  tables.add("folding_order/windows", "",
             "(3, 2) from and to which Q the unfolded basin, the transition state and the "
             "native basin go: within kT of each basin's lowest free energy at the folding "
             "temperature, within kT/2 of the pass",
             {3, 2}, windows);
  tables.add_column("folding_order/states", "",
                    "states whose samples were taken: those near the folding temperature",
                    order.states);
  tables.add_column("folding_order/native_contacts", "", "(residues) of each",
                    order.native_contacts);
  tables.add("folding_order/fraction", "",
             "(3, residues) Q_i, share of a residue's native contacts that are formed, in "
             "the three windows; bins of Q have their weights at the folding temperature",
             {3, std::ssize(order.phi)}, std::move(fraction));
  tables.add_column(
      "folding_order/phi", "",
      "(residues) (Q_i of the transition state - unfolded) / (native - unfolded); not "
      "a number where the basins differ by less than 0.05",
      order.phi);
  double sum = 0, count = 0;
  for (const double phi : order.phi) {
    if (!std::isfinite(phi)) continue;
    sum += phi;
    count += 1;
  }
  return fmt::format("transition state at Q = {:.2f} to {:.2f}, phi values {:.2f} on average",
                     windows[2], windows[3], count > 0 ? sum / count : not_sampled);
}

}  // namespace

void add_counted_tables(const topology::Topology& topology, const EnsembleCounts& of,
                        common::Tables& tables) {
  if (of.plan.contacts) add_contacts(topology, of, tables);
  if (of.plan.contact_maps) add_contact_maps(topology, of, tables);
  if (of.plan.sizes) add_sizes(of, tables);
  if (of.plan.residue_energies) add_residue_energies(topology, of, tables);
  if (of.plan.phases) add_phases(topology, of, tables);
}

std::vector<std::string> add_folding_tables(const topology::Topology& topology,
                                            const thermodynamics::FoldingSamples& samples,
                                            const thermodynamics::FoldingThermodynamics& found,
                                            const EnsembleCounts* of, common::Tables& tables) {
  tables.add_column("landscape/native_fraction", "", "(Q bins) centres of the bins of Q",
                    q_centres());
  add_surface(
      "energy", "the potential energy", "kJ mol-1",
      "(Q bins, bins) -kT ln p(Q, potential energy) at the folding state, by MBAR, the "
      "lowest 0",
      thermodynamics::energy_surface(samples, found.reduced_free_energy, found.folding_state),
      tables);
  if (of == nullptr) return {};
  if (of->plan.sizes) {
    const thermodynamics::LadderPath path(samples.states);
    const double folding_coordinate = path.coordinate(found.folding_state);
    const auto nearest = std::min_element(
        samples.states.begin(), samples.states.end(), [&](const auto& a, const auto& b) {
          return std::abs(path.coordinate(a) - folding_coordinate) <
                 std::abs(path.coordinate(b) - folding_coordinate);
        });
    constexpr std::size_t each = std::size_t{Plan::q_bins} * Plan::size_bins;
    const auto state = static_cast<std::size_t>(nearest - samples.states.begin());
    add_surface("size", "the radius of gyration", "nm",
                "(Q bins, bins) -kT ln p(Q, radius of gyration) at the state of the ladder nearest "
                "to the folding state, from its samples alone, the lowest 0",
                thermodynamics::counted_surface(
                    std::span<const std::int64_t>(of->counts.sizes).subspan(state * each, each),
                    Plan::q_bins, of->plan.largest_size_nm, nearest->temperature_kelvin),
                tables);
  }
  if (!of->plan.contacts || !found.maximum_is_inside()) return {};
  const auto order = thermodynamics::folding_order(found, samples.states, of->counts,
                                                   replicas::observed_contacts(topology),
                                                   topology.residue_count());
  if (!order) return {"no phi values: no barrier above kT/2 between two basins of Q"};
  return {add_folding_order(*order, tables)};
}

}  // namespace nfold::ensemble
