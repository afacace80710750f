// Profiles by block of time, and the phases from them.
// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/slab_coexistence.hpp"

#include <algorithm>
#include <array>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "analysis/pressure.hpp"
#include "analysis/sampling_limits.hpp"
#include "analysis/slab_centre.hpp"
#include "system/units.hpp"

namespace nfold::analysis {
namespace {

constexpr double slice_mass_quantum_amu = 0x1p-16, tension_quantum = 0x1p-20;
constexpr double phase_not_known = std::numeric_limits<double>::quiet_NaN();
constexpr SampledEstimate phase_estimate_not_known{phase_not_known, phase_not_known,
                                                   phase_not_known};
constexpr std::size_t tension_at = 1, masses_at = 2;
// Fewest independent visits of the dilute phase for a value: a relative error of a third.
constexpr double fewest_visits = 9;
constexpr std::size_t parts_of_time = 32;

}  // namespace

const char* describe(SlabState state) {
  switch (state) {
    case SlabState::no_samples:
      return "too few frames for a profile";
    case SlabState::one_phase:
      return "no interface: the profile has one phase";
    case SlabState::thin_slab:
      return "too little of the slab lies between its interfaces";
    case SlabState::short_box:
      return "too little of the box lies beyond the interfaces";
    case SlabState::two_phases:
      break;
  }
  return "two phases";
}

double dilute_relaxation_ps(double length_nm, double chain_mass_amu,
                            const SlabConditions& conditions) {
  const double kt = system::k_boltzmann * conditions.temperature_kelvin;
  const double diffusion = kt / (chain_mass_amu * conditions.friction_per_ps);  // [nm2/ps]
  const double diffusing =
      conditions.friction_per_ps > 0
          ? length_nm * length_nm / (std::numbers::pi * std::numbers::pi * diffusion)
          : 0;
  return diffusing + length_nm / std::sqrt(kt / chain_mass_amu);
}

double transfer_free_energy_kj_mol(double dilute, double dense, double kelvin) {
  return system::k_boltzmann * kelvin * std::log(dilute / dense);
}

double poisson_upper_limit(double count) {
  constexpr double confidence = 0.95;
  return boost::math::gamma_p_inv(count + 1, confidence);
}

SlabCoexistence::SlabCoexistence(const topology::Topology& topology, std::size_t axis,
                                 const SlabConditions& conditions)
    : topology_(topology),
      species_(chain_kinds(topology)),
      axis_(axis),
      bins_(0),
      conditions_(conditions),
      chain_mass_amu_(species_.size(), 0) {
  if (topology.box.volume_nm3() <= 0) {
    throw AnalysisError("two phases need a box that is periodic along x, y and z");
  }
  // An even number, so that both sides of the slab have the same distances.
  bins_ = 2 * static_cast<std::size_t>(
                  std::ceil(topology.box.length_nm[axis] / (2 * largest_slice_nm)));
  for (const auto& residue : topology.residues) {
    chain_mass_amu_[species_.of(residue)] += residue.concentration_mass_amu();
  }
  for (std::size_t s = 0; s < species_.size(); ++s) {
    chain_mass_amu_[s] /= static_cast<double>(species_.kinds[s].chains.size());
  }
  sums_.assign(most_blocks * columns(), 0);
}

std::int64_t SlabCoexistence::block_length(std::int64_t frames) {
  std::int64_t length = 1;
  while (length * static_cast<std::int64_t>(most_blocks) < frames) length *= 2;
  return length;
}

bool SlabCoexistence::is_decision_due(std::int64_t frames) {
  constexpr std::int64_t fewest_frames = 64, blocks_between = most_blocks / 16;
  return frames >= fewest_frames && frames % (blocks_between * block_length(frames)) == 0;
}

std::size_t SlabCoexistence::blocks() const {
  return static_cast<std::size_t>(frames_ / block_length(frames_));
}

void SlabCoexistence::add(const Frame& frame) {
  const double length = topology_.box.length_nm[axis_];
  std::vector<double> along_nm;  // positions of the first species
  for (std::size_t i = 0; i < frame.x_nm.size(); ++i) {
    if (species_.of(topology_.residues[i]) == 0) along_nm.push_back(frame.x_nm[i][axis_]);
  }
  const double centre = slab_centre_nm(along_nm, length);
  std::vector<std::int64_t> row(columns(), 0);
  row[0] = 1;
  if (frame.pressure_bar) {
    row[tension_at] = to_fixed_point(surface_tension_mn_m(*frame.pressure_bar, axis_, length),
                                     tension_quantum, "the surface tension in mN/m");
  }
  for (std::size_t i = 0; i < frame.x_nm.size(); ++i) {
    const double turns = (frame.x_nm[i][axis_] - centre) / length;
    const double fraction = turns - std::nearbyint(turns) + 0.5;  // 0 .. 1, slab centre at 0.5
    const auto bin = std::min(
        static_cast<std::size_t>(std::max(0.0, fraction * static_cast<double>(bins_))), bins_ - 1);
    const auto& residue = topology_.residues[i];
    row[masses_at + species_.of(residue) * bins_ + bin] += to_fixed_point(
        residue.concentration_mass_amu(), slice_mass_quantum_amu, "a residue's mass");
  }
  if (block_length(frames_ + 1) > block_length(std::max<std::int64_t>(frames_, 1))) {
    for (std::size_t block = 0; block < most_blocks; ++block) {
      for (std::size_t c = 0; c < columns(); ++c) {
        auto& to = sums_[block * columns() + c];
        to = 2 * block < most_blocks ? sum_within_range(sums_[2 * block * columns() + c],
                                                        sums_[(2 * block + 1) * columns() + c])
                                     : 0;
      }
    }
  }
  const auto block = static_cast<std::size_t>(frames_ / block_length(frames_ + 1));
  for (std::size_t c = 0; c < columns(); ++c) {
    auto& to = sums_[block * columns() + c];
    to = sum_within_range(to, row[c]);
  }
  ++frames_;
}

double SlabCoexistence::sum(std::size_t block, std::size_t column) const {
  return static_cast<double>(sums_[block * columns() + column]);
}

double SlabCoexistence::slice_nm3() const {
  return topology_.box.volume_nm3() / static_cast<double>(bins_);
}

/// Shorter of the edges across the normal.
double SlabCoexistence::edge_nm() const {
  const auto& length = topology_.box.length_nm;
  return std::min(length[(axis_ + 1) % 3], length[(axis_ + 2) % 3]);
}

double SlabCoexistence::distance_nm(std::size_t slice) const {
  const double at = (static_cast<double>(slice) + 0.5) / static_cast<double>(bins_) - 0.5;
  return std::abs(at) * topology_.box.length_nm[axis_];
}

/// (slices) density [mg/ml] over some blocks.
std::vector<double> SlabCoexistence::mean_profile(std::size_t species, std::size_t first,
                                                  std::size_t last) const {
  std::vector<double> profile(bins_, 0);
  double frames = 0;
  for (std::size_t block = first; block < last; ++block) {
    frames += frames_in(block);
    for (std::size_t k = 0; k < bins_; ++k) {
      profile[k] += sum(block, masses_at + species * bins_ + k);
    }
  }
  const double unit =
      slice_mass_quantum_amu * system::mg_per_ml_of_amu_per_nm3 / (slice_nm3() * frames);
  for (double& density : profile) density *= unit;
  return profile;
}

/// Fits the mean of both sides of the first species.
Interface SlabCoexistence::fit(std::size_t first, std::size_t last) const {
  const auto profile = mean_profile(0, first, last);
  const std::size_t half = bins_ / 2;
  std::vector<double> distance(half), density(half);
  for (std::size_t k = 0; k < half; ++k) {
    distance[k] = distance_nm(half + k);
    density[k] = 0.5 * (profile[half + k] + profile[half - 1 - k]);
  }
  return fit_interface(distance, density);
}

SlabState SlabCoexistence::judge(const Interface& interface) const {
  const double length = topology_.box.length_nm[axis_];
  constexpr double widest_share = 0.125, least_contrast = 2;
  if (!(interface.dense > least_contrast * interface.dilute) ||
      interface.width_nm > widest_share * length) {
    return SlabState::one_phase;
  }
  const double plateau = 2 * (interface.half_nm - inside_widths * interface.width_nm);
  if (plateau < std::max(0.25 * edge_nm(), 2 * largest_slice_nm)) return SlabState::thin_slab;
  const double rest = length - 2 * (interface.half_nm + outside_widths * interface.width_nm);
  if (rest < std::max(edge_nm(), 2 * largest_slice_nm)) return SlabState::short_box;
  return SlabState::two_phases;
}

SlabCoexistence::Regions SlabCoexistence::regions(const Interface& interface) const {
  Regions found;
  for (std::size_t k = 0; k < bins_; ++k) {
    const double distance = distance_nm(k);
    if (distance < interface.half_nm - inside_widths * interface.width_nm) {
      found.dense.push_back(k);
    } else if (distance > interface.half_nm + outside_widths * interface.width_nm) {
      found.dilute.push_back(k);
    }
  }
  return found;
}

/// (blocks) mean density [mg/ml] in some slices.
std::vector<double> SlabCoexistence::series(std::size_t species,
                                            std::span<const std::size_t> slices) const {
  const double unit = slice_mass_quantum_amu * system::mg_per_ml_of_amu_per_nm3 /
                      (slice_nm3() * static_cast<double>(slices.size()));
  std::vector<double> values;
  for (std::size_t block = 0; block < blocks(); ++block) {
    double mass = 0;
    for (const auto k : slices) mass += sum(block, masses_at + species * bins_ + k);
    values.push_back(unit * mass / frames_in(block));
  }
  return values;
}

void SlabCoexistence::measure_species(std::size_t species, const Regions& regions,
                                      Coexistence& found) const {
  auto& of = found.species[species];
  const auto dense = series(species, regions.dense), dilute = series(species, regions.dilute);
  of.dense_mg_ml = replica_mean(std::span(dense).subspan(found.first_block), 1).estimate;
  const auto [estimate, inefficiency] =
      replica_mean(std::span(dilute).subspan(found.first_block), 1);
  const auto left = static_cast<double>(dilute.size() - found.first_block);
  const double independent =
      std::max(1.0, left / std::max(inefficiency, 2 * found.relaxation_blocks));
  const double volume = static_cast<double>(regions.dilute.size()) * slice_nm3();
  const double mg_ml_of_chain = of.chain_mass_amu * system::mg_per_ml_of_amu_per_nm3 / volume;
  const double chains = estimate.value / mg_ml_of_chain, visits = chains * independent;
  of.dilute_mg_ml = estimate;
  of.dilute_mg_ml.independent = independent;
  if (visits >= fewest_visits && independent >= fewest_independent_samples) {
    // Chains of an ideal gas scatter as a Poisson distribution; a short series may show less.
    const double least_error = estimate.value / std::sqrt(visits);
    of.dilute_mg_ml.error = estimate.error > least_error ? estimate.error : least_error;
  } else {
    of.dilute_mg_ml.error = phase_not_known;
    of.dilute_bound_mg_ml = poisson_upper_limit(visits) / independent * mg_ml_of_chain;
  }
  if (species == 0) found.independent = independent;
}

/// Errors of the interface by the spread of fits to consecutive parts of time, and the tension.
void SlabCoexistence::measure_interface(Coexistence& found) const {
  const std::size_t last = blocks(), left = last - found.first_block;
  std::vector<double> tension;
  for (std::size_t block = found.first_block; block < last; ++block) {
    tension.push_back(tension_quantum * sum(block, tension_at) / frames_in(block));
  }
  found.tension_mn_m = replica_mean(tension, 1).estimate;
  found.half_nm = found.width_nm = phase_estimate_not_known;
  if (left >= parts_of_time) {
    std::vector<double> halves, widths;
    for (std::size_t part = 0; part < parts_of_time; ++part) {
      const auto one = fit(found.first_block + part * left / parts_of_time,
                           found.first_block + (part + 1) * left / parts_of_time);
      halves.push_back(one.half_nm);
      widths.push_back(one.width_nm);
    }
    found.half_nm = replica_mean(halves, 1).estimate;
    found.width_nm = replica_mean(widths, 1).estimate;
  }
  found.half_nm.value = found.interface.half_nm;
  found.width_nm.value = found.interface.width_nm;
}

Coexistence SlabCoexistence::find() const {
  Coexistence found;
  found.half_nm = found.width_nm = found.tension_mn_m = phase_estimate_not_known;
  for (const double mass : chain_mass_amu_) {
    found.species.push_back(
        {mass, phase_estimate_not_known, phase_estimate_not_known, phase_not_known});
  }
  const std::size_t last = blocks();
  constexpr std::size_t fewest_blocks_of_time = 8;
  if (last < fewest_blocks_of_time) return found;
  // The later half says where the phases are, and so when their concentrations became steady.
  found.first_block = last / 2;
  found.interface = fit(found.first_block, last);
  found.state = judge(found.interface);
  const double length = topology_.box.length_nm[axis_];
  const double block_ps = static_cast<double>(block_length(frames_)) * conditions_.sample_ps;
  const double stretch = found.state == SlabState::one_phase
                             ? length
                             : std::max(length - 2 * found.interface.half_nm, 0.0);
  found.relaxation_blocks =
      dilute_relaxation_ps(stretch, chain_mass_amu_[0], conditions_) / block_ps;
  const auto early = regions(found.interface);
  if (!early.dense.empty() && !early.dilute.empty()) {
    const std::size_t half = last / 2;
    const auto relaxed = static_cast<std::size_t>(
        std::min(std::ceil(found.relaxation_blocks), static_cast<double>(half)));
    found.first_block = std::max({equilibration_times(series(0, early.dense), 1, 1),
                                  equilibration_times(series(0, early.dilute), 1, 1), relaxed});
    found.interface = fit(found.first_block, last);
    found.state = judge(found.interface);
  }
  const auto left = static_cast<double>(last - found.first_block);
  found.independent = std::max(1.0, left / std::max(1.0, 2 * found.relaxation_blocks));
  if (found.state == SlabState::two_phases) {
    const auto late = regions(found.interface);
    for (std::size_t s = 0; s < species_.size(); ++s) measure_species(s, late, found);
  }
  return found;
}

bool SlabCoexistence::is_decided(double relative_error) const {
  const auto found = find();
  if (found.state == SlabState::no_samples) return false;
  if (found.state != SlabState::two_phases) {
    return found.independent >= fewest_independent_samples;
  }
  const auto& dilute = found.species[0].dilute_mg_ml;
  return dilute.error <= relative_error * dilute.value;
}

std::vector<Result> SlabCoexistence::results() const {
  auto found = find();
  if (found.state != SlabState::no_samples && found.state != SlabState::one_phase) {
    measure_interface(found);
  }
  const auto count = static_cast<std::int64_t>(species_.size());
  const auto slices = static_cast<std::int64_t>(bins_);
  std::vector<Result> results;
  const auto add = [&results](const char* name, const char* unit, std::string text,
                              std::vector<std::int64_t> extent, std::vector<double> values) {
    results.push_back({std::string("coexistence/") + name, unit, std::move(text), std::move(extent),
                       std::move(values)});
  };
  const auto add_estimate = [&](const char* name, const char* unit, const std::string& text,
                                const SampledEstimate& one) {
    add(name, unit, text + "; its standard error; number of independent samples", {3},
        {one.value, one.error, one.independent});
  };
  add("state", "", "0: too few frames, 1: one phase, 2: thin slab, 3: short box, 4: two phases", {},
      {static_cast<double>(found.state)});
  std::vector<double> masses, dense, dilute, bounds, profiles, errors;
  for (std::size_t s = 0; s < species_.size(); ++s) {
    const auto& one = found.species[s];
    masses.push_back(one.chain_mass_amu);
    for (const auto& [to, estimate] :
         {std::pair(&dense, one.dense_mg_ml), std::pair(&dilute, one.dilute_mg_ml)}) {
      to->insert(to->end(), {estimate.value, estimate.error, estimate.independent});
    }
    bounds.push_back(one.dilute_bound_mg_ml);
    const auto last = blocks();
    const auto profile = last > found.first_block ? mean_profile(s, found.first_block, last)
                                                  : std::vector<double>(bins_, phase_not_known);
    profiles.insert(profiles.end(), profile.begin(), profile.end());
    for (std::size_t k = 0; k < bins_; ++k) {
      if (last < found.first_block + static_cast<std::size_t>(fewest_blocks)) {
        errors.push_back(phase_not_known);
        continue;
      }
      const std::array<std::size_t, 1> slice{k};
      const auto values = series(s, slice);
      errors.push_back(
          replica_mean(std::span(values).subspan(found.first_block), 1).estimate.error);
    }
  }
  const std::string three =
      "; standard error; number of independent samples. Not a number: unknown";
  add("chain_mass", "g mol-1", "(species) mass of a chain", {count}, std::move(masses));
  add("dense", "mg ml-1", "(species, 3) concentration of the dense phase" + three, {count, 3},
      std::move(dense));
  add("dilute", "mg ml-1", "(species, 3) concentration of the dilute phase" + three, {count, 3},
      std::move(dilute));
  add("dilute_upper_bound", "mg ml-1",
      "(species) 95 % upper bound of the dilute concentration, by Poisson's distribution of the "
      "chains in independent samples; not a number where the concentration is known",
      {count}, std::move(bounds));
  add_estimate("half_thickness", "nm", "half the distance of both interfaces", found.half_nm);
  add_estimate("interface_width", "nm",
               "width of the tanh of an interface; from 10 to 90 % it rises within 2.197 widths",
               found.width_nm);
  add_estimate("surface_tension", "mN m-1", "of one of the two interfaces", found.tension_mn_m);
  add("independent", "", "number of independent samples of the dilute phase", {},
      {found.independent});
  add("first_frame", "", "frames left out as equilibration", {},
      {static_cast<double>(found.first_block) * static_cast<double>(block_length(frames_))});
  add("relaxation_time", "ps",
      "time in which free chains diffuse through the dilute phase; samples further apart are "
      "independent",
      {},
      {found.relaxation_blocks * static_cast<double>(block_length(frames_)) *
       conditions_.sample_ps});
  Result position{
      "coexistence/position", "nm", "middle of each slice; 0: centre of the slab", {slices}, {}};
  for (std::size_t k = 0; k < bins_; ++k) {
    position.values.push_back(k < bins_ / 2 ? -distance_nm(k) : distance_nm(k));
  }
  results.push_back(std::move(position));
  add("density", "mg ml-1", "(species, slices) mean after equilibration", {count, slices},
      std::move(profiles));
  add("density_error", "mg ml-1", "(species, slices) its standard error", {count, slices},
      std::move(errors));
  return results;
}

/// Number of blocks with frames, of which the last may be incomplete.
std::size_t SlabCoexistence::rows(std::int64_t frames) {
  const auto length = block_length(frames);
  return static_cast<std::size_t>((frames + length - 1) / length);
}

void SlabCoexistence::save_parameters(WordWriter& to) const {
  to.put(static_cast<std::int64_t>(axis_));
  to.put(static_cast<std::int64_t>(bins_));
}

void SlabCoexistence::save_sums(WordWriter& to) const {
  to.put(frames_);
  to.put_all(std::span(sums_).first(rows(frames_) * columns()));
}

void SlabCoexistence::restore_sums(WordReader& from) {
  const auto frames = from.get();
  auto sums = from.get_all();
  if (frames < 0 || sums.size() != rows(frames) * columns()) {
    throw std::out_of_range("saved profiles are those of another system");
  }
  frames_ = frames;
  sums.resize(most_blocks * columns(), 0);
  sums_ = std::move(sums);
}

}  // namespace nfold::analysis
