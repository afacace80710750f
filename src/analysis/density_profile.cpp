// Histograms across an axis, and their units.
// SPDX-License-Identifier: BSD-3-Clause

#include "analysis/density_profile.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/slab_centre.hpp"

namespace nfold::analysis {
namespace {

constexpr double mass_quantum_amu = 0x1p-16;
constexpr double mg_ml_per_amu_nm3 = 1.66053906660;

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
  std::vector<double> places;
  places.reserve(frame.x_nm.size());
  for (const auto& x : frame.x_nm) places.push_back(x[axis_]);
  const double centre = slab_centre_nm(places, length);

  const auto species_count = species_.size();
  const std::size_t all = species_count, masses = species_count + 1;
  std::vector<std::int64_t> row(2 * (species_count + 1) * static_cast<std::size_t>(bins_), 0);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double turns = (places[i] - centre) / length;
    const double place = turns - std::nearbyint(turns) + 0.5;  // 0 .. 1, slab centre at 0.5
    const auto bin =
        static_cast<std::size_t>(std::clamp(static_cast<int>(place * bins_), 0, bins_ - 1));
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

Result DensityProfile::table(const char* name, const char* unit, const std::string& description,
                             Rows which, std::size_t first_row, double factor, bool error) const {
  const std::size_t rows = which == Rows::species ? species_.size() : 1;
  Result result{"density_profile/" + std::string(name), unit, description, {}, {}};
  if (which == Rows::species) result.extent.push_back(static_cast<std::int64_t>(rows));
  result.extent.push_back(bins_);
  for (std::size_t row = first_row; row < first_row + rows; ++row) {
    for (std::size_t bin = 0; bin < static_cast<std::size_t>(bins_); ++bin) {
      const auto at = column(row, bin);
      result.values.push_back(factor * (error ? sums_.error(at) : sums_.mean(at)));
    }
  }
  return result;
}

std::vector<Result> DensityProfile::results() const {
  const double length = topology_.box.length_nm[axis_];
  const double slice_nm3 = topology_.box.volume_nm3() / bins_;
  const double per_nm3 = 1 / slice_nm3;
  const double mg_ml = mass_quantum_amu * mg_ml_per_amu_nm3 / slice_nm3;
  const auto species = species_.size();
  Result position{
      "density_profile/position", "nm", "middle of each slice; 0: centre of the slab", {bins_}, {}};
  for (int bin = 0; bin < bins_; ++bin) {
    position.values.push_back(length * ((bin + 0.5) / bins_ - 0.5));
  }
  const std::string of_species = "(species, slices) ", error = "standard error by blocking of ";
  return {{"density_profile/axis", "", "0: x, 1: y, 2: z", {}, {static_cast<double>(axis_)}},
          std::move(position),
          table("number_density", "nm-3", of_species + "residues per volume", Rows::species, 0,
                per_nm3, false),
          table("number_density_error", "nm-3", error + "number_density", Rows::species, 0, per_nm3,
                true),
          table("number_density_total", "nm-3", "(slices) residues of all species per volume",
                Rows::all, species, per_nm3, false),
          table("number_density_total_error", "nm-3", error + "number_density_total", Rows::all,
                species, per_nm3, true),
          table("mass_density", "mg ml-1", of_species + "mass per volume", Rows::species,
                species + 1, mg_ml, false),
          table("mass_density_error", "mg ml-1", error + "mass_density", Rows::species, species + 1,
                mg_ml, true),
          table("mass_density_total", "mg ml-1", "(slices) mass of all species per volume",
                Rows::all, 2 * species + 1, mg_ml, false),
          table("mass_density_total_error", "mg ml-1", error + "mass_density_total", Rows::all,
                2 * species + 1, mg_ml, true)};
}

void DensityProfile::save_parameters(WordWriter& to) const {
  to.put(static_cast<std::int64_t>(axis_));
  to.put(bins_);
}

}  // namespace nfold::analysis
