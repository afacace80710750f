// Free energy of the distance that umbrellas hold, as tables and in words.
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/tables_umbrella.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "thermodynamics/umbrella_profile.hpp"

namespace nfold::ensemble {

void add_umbrellas(const EnsembleSoFar& so_far, const thermodynamics::FoldingSamples& samples,
                   std::vector<io::ObservedTable>& tables, std::vector<std::string>& words) {
  const auto found = thermodynamics::umbrella_profile(samples, so_far.settings.dynamics.seed);
  const auto bins = static_cast<std::int64_t>(found.distance_nm.size());
  const auto add = [&](const char* name, const char* unit, const char* help, std::int64_t extent,
                       const std::vector<double>& values) {
    tables.push_back({name, unit, help, {extent}, values});
  };
  add("umbrella/reduced_free_energy", "", "(states) f = -ln Z by MBAR, the first 0",
      so_far.exchange.states(), found.reduced_free_energy);
  add("umbrella/distance", "nm", "(bins) centres of the bins of the distance", bins,
      found.distance_nm);
  add("umbrella/free_energy", "kJ mol-1",
      "(bins) -kT ln p(distance) without umbrellas, by MBAR, the lowest 0; p counts the volume of "
      "a shell, 4 pi d^2, to the distance; infinite where nothing was seen",
      bins, found.free_energy_kj_mol);
  add("umbrella/free_energy_error", "kJ mol-1",
      "(bins) its standard error by resampling stretches of time and ladders", bins,
      found.error_kj_mol);
  add("umbrella/native_fraction", "", "(bins) mean Q at that distance, without umbrellas", bins,
      found.native_fraction);
  const auto lowest =
      std::min_element(found.free_energy_kj_mol.begin(), found.free_energy_kj_mol.end());
  double highest = 0, largest_error = 0;
  for (std::size_t k = 0; k < found.distance_nm.size(); ++k) {
    if (!std::isfinite(found.free_energy_kj_mol[k])) continue;
    highest = std::max(highest, found.free_energy_kj_mol[k]);
    if (std::isfinite(found.error_kj_mol[k])) {
      largest_error = std::max(largest_error, found.error_kj_mol[k]);
    }
  }
  words.push_back(fmt::format(
      "free energy of the distance, {:.2f} to {:.2f} nm: lowest at {:.2f} nm, up to {:.1f} kJ/mol "
      "above that, errors up to {:.2f} kJ/mol",
      found.distance_nm.front(), found.distance_nm.back(),
      found.distance_nm[static_cast<std::size_t>(lowest - found.free_energy_kj_mol.begin())],
      highest, largest_error));
}

}  // namespace nfold::ensemble
