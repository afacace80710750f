// Means of energy and Q in each state as tables and text.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/ensemble/tables_scan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "analysis/sampling_limits.hpp"
#include "analysis/thermodynamics/state_means.hpp"
#include "replicas/replica_set.hpp"

namespace nfold::ensemble {
namespace {

constexpr std::size_t max_scan_lines = 16;  // lines in the log; the file has all

void add_means(const std::string& name, const std::string& unit, const std::string& quantity,
               const std::vector<thermodynamics::StateMean>& means, common::Tables& tables) {
  std::vector<double> values;
  for (const auto& one : means) {
    values.insert(values.end(), {one.mean, one.error, one.independent});
  }
  tables.add("scan/" + name, unit,
             "(states, 3) mean " + quantity +
                 " by the state's own samples, its standard error, and the number of "
                 "independent samples [1] with that error",
             {std::ssize(means), 3}, std::move(values));
}

/// Formats a mean, with its error if there are enough independent samples.
std::string format_mean(const thermodynamics::StateMean& of, int digits) {
  if (of.independent < analysis::fewest_independent_samples) {
    return fmt::format("{:.{}f}", of.mean, digits);
  }
  return fmt::format("{:.{}f} +- {:.{}f}", of.mean, digits, of.error, digits);
}

}  // namespace

void add_scan(const EnsembleSnapshot& snapshot, const thermodynamics::FoldingSamples& samples,
              EnsembleContents& contents) {
  if (samples.size() == 0) return;
  auto& [header, tables, messages, means] = contents;
  const auto energy = thermodynamics::state_means(samples, samples.potential_kj_mol);
  add_means("potential_energy", "kJ mol-1", "potential energy", energy, tables);
  const auto columns = replicas::sampled_columns(snapshot.topology);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    add_means(columns[c].name, columns[c].unit, columns[c].quantity,
              thermodynamics::state_means(samples, samples.quantities[c]), tables);
  }
  const bool has_contacts = samples.contacts > 0;
  std::vector<thermodynamics::StateMean> q(energy.size());
  if (has_contacts) {
    std::vector<double> fraction;
    fraction.reserve(samples.size());
    for (const auto formed : samples.formed_contacts) {
      fraction.push_back(static_cast<double>(formed) / static_cast<double>(samples.contacts));
    }
    q = thermodynamics::state_means(samples, fraction);
    add_means("native_fraction", "", "Q", q, tables);
  }
  if (snapshot.settings.ensemble.exchanges()) return;
  const thermodynamics::LadderPath path(samples.states);
  const std::size_t lines = std::min(energy.size(), max_scan_lines);
  for (std::size_t k = 0; k < lines; ++k) {
    const auto mean_q = has_contacts ? fmt::format(", mean Q {}", format_mean(q[k], 3)) : "";
    const double independent =
        has_contacts ? std::min(energy[k].independent, q[k].independent) : energy[k].independent;
    messages.push_back(fmt::format(
        "at {} from step {} on mean energy {} kJ/mol{}; {:.0f} independent samples{}",
        path.describe(k), snapshot.settings.ensemble.equilibration_steps, format_mean(energy[k], 1),
        mean_q, independent,
        independent < analysis::fewest_independent_samples
            ? fmt::format(" of the {} that an error needs", analysis::fewest_independent_samples)
            : ""));
  }
  if (energy.size() > lines) {
    messages.push_back(
        fmt::format("and {} more states in the file's group scan", energy.size() - lines));
  }
}

}  // namespace nfold::ensemble
