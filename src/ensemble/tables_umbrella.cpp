// Free energy of what umbrellas hold, as tables and in words.
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/tables_umbrella.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "thermodynamics/umbrella_profile.hpp"

namespace nfold::ensemble {

std::string umbrella_dataset(const config::Settings& settings) {
  const auto kind = settings.ensemble.umbrella_variable;
  std::string name(bias::variable_names[static_cast<std::size_t>(kind)]);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

void add_umbrellas(const EnsembleSoFar& so_far, const thermodynamics::FoldingSamples& samples,
                   std::vector<io::ObservedTable>& tables, std::vector<std::string>& words) {
  const auto found = thermodynamics::umbrella_profile(samples, so_far.settings.dynamics.seed);
  const auto bins = static_cast<std::int64_t>(found.variable_nm.size());
  const auto add = [&](const std::string& name, const char* unit, const std::string& help,
                       std::int64_t extent, const std::vector<double>& values) {
    tables.push_back({name, unit, help, {extent}, values});
  };
  add("umbrella/reduced_free_energy", "", "(states) f = -ln Z by MBAR, the first 0",
      so_far.exchange.states(), found.reduced_free_energy);
  const auto dataset = umbrella_dataset(so_far.settings);
  std::string variable = dataset;
  std::replace(variable.begin(), variable.end(), '_', ' ');
  const bool is_radial = bias::with_variable(so_far.settings.ensemble.umbrella_variable,
                                             [](auto one) { return one.is_radial; });
  add("umbrella/" + dataset, "nm", fmt::format("(bins) centres of the bins of the {}", variable),
      bins, found.variable_nm);
  add("umbrella/free_energy", "kJ mol-1",
      fmt::format("(bins) -kT ln p({}) without umbrellas, by MBAR, the lowest 0; {}infinite where "
                  "nothing was seen",
                  variable,
                  is_radial ? "p counts the volume of a shell, 4 pi d^2, to the distance; " : ""),
      bins, found.free_energy_kj_mol);
  add("umbrella/free_energy_error", "kJ mol-1",
      "(bins) its standard error by resampling stretches of time and ladders", bins,
      found.error_kj_mol);
  add("umbrella/native_fraction", "", "(bins) mean Q there, without umbrellas", bins,
      found.native_fraction);
  const auto lowest =
      std::min_element(found.free_energy_kj_mol.begin(), found.free_energy_kj_mol.end());
  double highest = 0, largest_error = 0;
  for (std::size_t k = 0; k < found.variable_nm.size(); ++k) {
    if (!std::isfinite(found.free_energy_kj_mol[k])) continue;
    highest = std::max(highest, found.free_energy_kj_mol[k]);
    if (std::isfinite(found.error_kj_mol[k])) {
      largest_error = std::max(largest_error, found.error_kj_mol[k]);
    }
  }
  words.push_back(fmt::format(
      "free energy of the {}, {:.2f} to {:.2f} nm: lowest at {:.2f} nm, up to {:.1f} kJ/mol "
      "above that, errors up to {:.2f} kJ/mol",
      variable, found.variable_nm.front(), found.variable_nm.back(),
      found.variable_nm[static_cast<std::size_t>(lowest - found.free_energy_kj_mol.begin())],
      highest, largest_error));
}

}  // namespace nfold::ensemble
