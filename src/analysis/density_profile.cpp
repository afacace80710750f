// Histograms across an axis, and their units.
// SPDX-License-Identifier: BSD-3-Clause

#include "analysis/density_profile.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/slab_centre.hpp"
#include "system/units.hpp"

namespace nfold::analysis {
namespace {

constexpr double mass_quantum_amu = 0x1p-16;

}  // namespace

DensityProfile::DensityProfile(const topology::Topology& topology, std::size_t axis, int bins)
    : topology_(topology),
      species_(chain_kinds(topology)),
      axis_(axis),
      bins_(bins),
      sums_(2 * (species_.size() + 1) * static_cast<std::size_t>(bins)) {
  if (topology.box.volume_nm3() <= 0) {
    throw AnalysisError("a density profile needs a box that is periodic along x, y and z");
  }
}

void DensityProfile::add(const Frame& frame) {
  const double length = topology_.box.length_nm[axis_];
  std::vector<double> along_nm;
  along_nm.reserve(frame.x_nm.size());
  for (const auto& x : frame.x_nm) along_nm.push_back(x[axis_]);
  const double centre = slab_centre_nm(along_nm, length);

  const auto species_count = species_.size();
  const std::size_t all = species_count, masses = species_count + 1;
  std::vector<std::int64_t> row(2 * (species_count + 1) * static_cast<std::size_t>(bins_), 0);
  for (std::size_t i = 0; i < along_nm.size(); ++i) {
    const double turns = (along_nm[i] - centre) / length;
    const double fraction = turns - std::nearbyint(turns) + 0.5;  // 0 .. 1, slab centre at 0.5
    const auto bin =
        static_cast<std::size_t>(std::clamp(static_cast<int>(fraction * bins_), 0, bins_ - 1));
    const auto& residue = topology_.residues[i];
    const auto species = species_.of(residue);
    const auto mass =
        to_fixed_point(residue.concentration_mass_amu(), mass_quantum_amu, "a residue's mass");
    row[column(species, bin)] += 1;
    row[column(all, bin)] += 1;
    row[column(masses + species, bin)] += mass;
    row[column(masses + all, bin)] += mass;
  }
  sums_.add(row);
}

std::vector<Result> DensityProfile::results() const {
  const double length = topology_.box.length_nm[axis_];
  const double slice_nm3 = topology_.box.volume_nm3() / bins_;
  const double per_nm3 = 1 / slice_nm3;
  const double mg_ml = mass_quantum_amu * system::mg_per_ml_of_amu_per_nm3 / slice_nm3;
  const auto species = species_.size();
  Result position{
      "density_profile/position", "nm", "middle of each slice; 0: centre of the slab", {bins_}, {}};
  for (int bin = 0; bin < bins_; ++bin) {
    position.values.push_back(length * ((bin + 0.5) / bins_ - 0.5));
  }
  std::vector<Result> results{{"density_profile/axis",
                               "",
                               "0: x, 1: y, 2: z",
                               {},
                               {},
                               std::vector{static_cast<std::int64_t>(axis_)}},
                              std::move(position)};
  // Adds the rows of all species, even of a single one, and the row behind them, their sum.
  const auto add = [&](const std::string& name, const char* unit, const std::string& what,
                       std::size_t first_row, double factor) {
    std::vector<std::size_t> columns((species + 1) * static_cast<std::size_t>(bins_));
    std::iota(columns.begin(), columns.end(), column(first_row, 0));
    const std::span<const std::size_t> all(columns);
    const auto path = "density_profile/" + name;
    sums_.add_tables({path,
                      unit,
                      "(species, slices) " + what + " per volume",
                      {static_cast<std::int64_t>(species), bins_},
                      {}},
                     all.first(column(species, 0)), factor, results);
    sums_.add_tables(
        {path + "_total", unit, "(slices) " + what + " of all species per volume", {bins_}, {}},
        all.subspan(column(species, 0)), factor, results);
  };
  add("number_density", "nm-3", "residues", 0, per_nm3);
  add("mass_density", "mg ml-1", "mass", species + 1, mg_ml);
  return results;
}

void DensityProfile::save_parameters(WordWriter& to) const {
  to.put(static_cast<std::int64_t>(axis_));
  to.put(bins_);
}

}  // namespace nfold::analysis
