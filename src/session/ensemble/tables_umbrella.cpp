// Free energy along the umbrella variable, as tables and text.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/ensemble/tables_umbrella.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "analysis/sampling_limits.hpp"
#include "analysis/thermodynamics/umbrella_profile.hpp"

namespace nfold::ensemble {

namespace {

/// Describes the range of a piece of the profile, its highest value and its largest error.
std::string describe_piece(const thermodynamics::UmbrellaProfile& found, std::size_t piece,
                           const std::string& variable) {
  double low = 0, high = 0, lowest_at = 0, highest = 0, largest_error = 0;
  bool is_seen = false;
  for (std::size_t k = 0; k < found.variable_nm.size(); ++k) {
    if (found.piece[k] != static_cast<int>(piece)) continue;
    if (!is_seen) low = found.variable_nm[k];
    is_seen = true;
    high = found.variable_nm[k];
    if (found.free_energy_kj_mol[k] == 0) lowest_at = high;
    highest = std::max(highest, found.free_energy_kj_mol[k]);
    if (std::isfinite(found.error_kj_mol[k])) {
      largest_error = std::max(largest_error, found.error_kj_mol[k]);
    }
  }
  return fmt::format(
      "free energy of the {}, {:.2f} to {:.2f} nm: lowest at {:.2f} nm, up to {:.1f} kJ/mol "
      "above that, errors up to {:.2f} kJ/mol",
      variable, low, high, lowest_at, highest, largest_error);
}

/// Returns the piece of each window (states).
std::vector<double> piece_of_windows(const thermodynamics::UmbrellaProfile& found) {
  std::vector<double> all;
  for (std::size_t k = 0; k < found.pieces.size(); ++k) {
    all.insert(all.end(), found.pieces[k].last - found.pieces[k].first + 1, static_cast<double>(k));
  }
  return all;
}

}  // namespace

std::string umbrella_dataset(const input::Settings& settings) {
  const auto kind = settings.ensemble.umbrella_variable;
  std::string name(bias::variable_names[static_cast<std::size_t>(kind)]);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

void add_umbrellas(const EnsembleSnapshot& snapshot, const thermodynamics::FoldingSamples& samples,
                   EnsembleContents& contents) {
  const auto found = thermodynamics::umbrella_profile(samples, snapshot.settings.dynamics.seed);
  auto& [header, tables, messages, means] = contents;
  tables.add_column(
      "umbrella/piece_of_window", "",
      "(states) windows that overlap are one piece, numbered from 0; no free energy is known from "
      "one piece to another",
      piece_of_windows(found));
  tables.add_column("umbrella/reduced_free_energy", "",
                    "(states) f = -ln Z by MBAR, the first of each piece 0",
                    found.reduced_free_energy);
  const auto dataset = umbrella_dataset(snapshot.settings);
  std::string variable = dataset;
  std::replace(variable.begin(), variable.end(), '_', ' ');
  const bool is_radial = bias::with_variable(snapshot.settings.ensemble.umbrella_variable,
                                             [](auto one) { return one.is_radial; });
  tables.add_column("umbrella/" + dataset, "nm",
                    fmt::format("(bins) centres of the bins of the {}", variable),
                    found.variable_nm);
  tables.add_column("umbrella/piece", "",
                    "(bins) the piece that each belongs to; -1: nothing was seen", found.piece);
  tables.add_column(
      "umbrella/free_energy", "kJ mol-1",
      fmt::format("(bins) -kT ln p({}) without umbrellas, by MBAR, the lowest of each piece 0; "
                  "{}infinite where nothing was seen",
                  variable,
                  is_radial ? "p counts the volume of a shell, 4 pi d^2, to the distance; " : ""),
      found.free_energy_kj_mol);
  tables.add_column("umbrella/free_energy_error", "kJ mol-1",
                    "(bins) its standard error by resampling stretches of time and ladders",
                    found.error_kj_mol);
  tables.add_column("umbrella/native_fraction", "", "(bins) mean Q there, without umbrellas",
                    found.native_fraction);
  if (found.pieces.size() > 1) {
    messages.push_back(fmt::format(
        "no free energy across gaps between windows, which cut the profile into {} pieces, each "
        "with its own zero; an overlap of {} is needed: {}; put more umbrellas between them, or "
        "lower ensemble.umbrella_k_kj_mol_nm2",
        found.pieces.size(), analysis::least_overlap,
        thermodynamics::describe_gaps(thermodynamics::LadderPath(samples.states), found.overlap)));
  }
  for (std::size_t k = 0; k < found.pieces.size(); ++k) {
    messages.push_back(describe_piece(found, k, variable));
  }
}

}  // namespace nfold::ensemble
