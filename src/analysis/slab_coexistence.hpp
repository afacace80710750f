// Two phases of a slab: concentrations, interface and surface tension over time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "analysis/blocked_sums.hpp"
#include "analysis/chain_kinds.hpp"
#include "analysis/frame.hpp"
#include "analysis/interface_fit.hpp"
#include "analysis/replica_series.hpp"

namespace nfold::analysis {

/// State of a slab by its profile. The order is that of the numbers in tables.
enum class SlabState {
  no_samples,  ///< too few frames to say
  one_phase,   ///< no interface, or one as wide as the box allows
  thin_slab,   ///< too little of the slab lies between its interfaces
  short_box,   ///< too little of the box lies beyond the interfaces
  two_phases
};
[[nodiscard]] const char* describe(SlabState state);

struct SpeciesPhases {
  double chain_mass_amu = 0;
  SampledEstimate dense_mg_ml{}, dilute_mg_ml{};  ///< errors are NaN if unknown
  /// 95 % upper bound of the dilute concentration where too few chains visited for a value; NaN if
  /// dilute_mg_ml is known.
  double dilute_bound_mg_ml = std::numeric_limits<double>::quiet_NaN();
};

struct Coexistence {
  SlabState state = SlabState::no_samples;
  Interface interface {};  ///< profile of the first species [mg/ml]
  SampledEstimate half_nm{}, width_nm{};
  SampledEstimate tension_mn_m{};
  std::vector<SpeciesPhases> species;
  std::size_t first_block = 0;   ///< blocks before are equilibration
  double relaxation_blocks = 0;  ///< time in which chains forget their place in the dilute phase
  double independent = 0;        ///< independent samples of the dilute phase
};

/// Conditions on which the relaxation of the dilute phase depends.
struct SlabConditions {
  double temperature_kelvin, friction_per_ps;
  double sample_ps;  ///< time between frames
};

/// Returns the time [ps] in which chains of a mass leave a stretch of dilute phase between two
/// interfaces: that of the slowest mode of diffusion, length^2 / (pi^2 D) with D = kT / (mass
/// friction), plus the time in which a free chain flies that far.
[[nodiscard]] double dilute_relaxation_ps(double length_nm, double chain_mass_amu,
                                          const SlabConditions& conditions);

/// Returns kT ln(dilute / dense), the free energy [kJ/mol] of the transfer of a chain into the
/// dense phase.
[[nodiscard]] double transfer_free_energy_kj_mol(double dilute, double dense, double kelvin);

/// Returns the upper limit at 95 % of the mean of a Poisson distribution of which `count` (>= 0,
/// not necessarily whole) events were seen: 3.00 for none.
[[nodiscard]] double poisson_upper_limit(double count);

/// Sums profiles of mass by species, and the surface tension, in up to 256 blocks of time, so that
/// equilibration and the extents of the phases can be chosen afterwards.
class SlabCoexistence final : public Accumulator {
 public:
  static constexpr std::size_t most_blocks = 256;
  static constexpr double largest_slice_nm = 0.5;
  /// Distances of both phases from the interface, in its widths: the tanh has come within 2 % of
  /// the difference on the dense side, and within 0.02 % on the dilute side.
  static constexpr double inside_widths = 2, outside_widths = 4.5;
  /// Throws AnalysisError unless the box is periodic along all axes. axis: normal of the slab.
  SlabCoexistence(const topology::Topology& topology, std::size_t axis,
                  const SlabConditions& conditions);

  [[nodiscard]] std::string name() const override { return "coexistence"; }
  void add(const Frame& frame) override;
  [[nodiscard]] std::vector<Result> results() const override;
  [[nodiscard]] Coexistence find() const;
  /// True if a run may end: the error of the dilute concentration of the first species is
  /// `relative_error` of it, or the profile has shown for long that it has no two phases.
  [[nodiscard]] bool is_decided(double relative_error) const;
  /// True if a decision is due after so many frames: 8 times in each doubling of their number, so
  /// that a lucky moment is rarely the end.
  [[nodiscard]] static bool is_decision_due(std::int64_t frames);

 protected:
  void save_parameters(WordWriter& to) const override;
  void save_sums(WordWriter& to) const override;
  void restore_sums(WordReader& from) override;

 private:
  /// Returns the frames of a block after so many frames, a power of two.
  [[nodiscard]] static std::int64_t block_length(std::int64_t frames);
  /// Slices of both phases.
  struct Regions {
    std::vector<std::size_t> dense, dilute;
  };
  [[nodiscard]] std::size_t columns() const { return species_.size() * bins_ + 2; }
  /// Number of complete blocks.
  [[nodiscard]] std::size_t blocks() const;
  [[nodiscard]] static std::size_t rows(std::int64_t frames);
  [[nodiscard]] double sum(std::size_t block, std::size_t column) const;
  [[nodiscard]] double frames_in(std::size_t block) const { return sum(block, 0); }
  [[nodiscard]] std::vector<double> mean_profile(std::size_t species, std::size_t first,
                                                 std::size_t last) const;
  [[nodiscard]] Interface fit(std::size_t first, std::size_t last) const;
  [[nodiscard]] SlabState judge(const Interface& interface) const;
  [[nodiscard]] Regions regions(const Interface& interface) const;
  [[nodiscard]] std::vector<double> series(std::size_t species,
                                           std::span<const std::size_t> slices) const;
  [[nodiscard]] double slice_nm3() const;
  [[nodiscard]] double edge_nm() const;
  void measure_species(std::size_t species, const Regions& regions, Coexistence& found) const;
  void measure_interface(Coexistence& found) const;
  [[nodiscard]] double distance_nm(std::size_t slice) const;

  const topology::Topology& topology_;
  ChainKinds species_;
  std::size_t axis_, bins_;
  SlabConditions conditions_;
  std::vector<double> chain_mass_amu_;  // (species)
  std::int64_t frames_ = 0;
  // (blocks, columns): frames, surface tension, mass of each species in each slice.
  std::vector<std::int64_t> sums_;
};

}  // namespace nfold::analysis
