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

io::ObservedTable table_of(const std::string& name, const std::string& unit,
                           const std::string& what,
                           const std::vector<thermodynamics::StateMean>& means) {
  io::ObservedTable table{name,
                          unit,
                          "(states, 3) mean " + what +
                              " by the state's own samples, its standard error, and the number of "
                              "independent samples [1] with that error",
                          {static_cast<std::int64_t>(means.size()), 3},
                          {}};
  for (const auto& one : means) {
    table.values.insert(table.values.end(), {one.mean, one.error, one.independent});
  }
  return table;
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
              std::vector<io::ObservedTable>& tables, std::vector<std::string>& messages) {
  if (samples.size() == 0) return;
  const auto energy = thermodynamics::state_means(samples, samples.potential_kj_mol);
  tables.push_back(table_of("scan/potential_energy", "kJ mol-1", "potential energy", energy));
  const auto columns = replicas::sampled_columns(snapshot.topology);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    tables.push_back(table_of("scan/" + columns[c].name, columns[c].unit, columns[c].quantity,
                              thermodynamics::state_means(samples, samples.quantities[c])));
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
    tables.push_back(table_of("scan/native_fraction", "", "Q", q));
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
