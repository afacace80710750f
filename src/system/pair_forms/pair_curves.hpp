// Tables of sums of pair functions, one for all pairs that share a curve.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "system/pair_forms/pair_function.hpp"

namespace nfold::pair_forms {

/// Tables of the energy of each pair of types and of its force.
///
/// A pair with the scale s is tabulated in q = s^2/r^2, so that cores of powers of r are smooth:
/// the bins divide each octave of q evenly, and a number's bits are its bin. A pair has two halves,
/// nearer and farther than its split, where a derivative of low order may jump. Each half is
/// amplitude * row(q) + offset; pairs of equal curves share a row. With F/r = amplitude q^3
/// G(q)/r^2, a row holds G as cubics for single precision (a Lennard-Jones force is one cubic), and
/// the energy in polynomials of degree 7 in double precision, whose derivative is the force there:
/// G = 2 q^-2 dU/dq.
struct PairCurves {
  static constexpr std::size_t force_coefficients = 4, energy_coefficients = 8;
  struct Half {
    double scale_squared_nm2 = 1, amplitude = 0, offset_kj_mol = 0;
    std::size_t row = 0;
  };
  struct Pair {
    Half inner, outer;                                     ///< outer: from the split on
    double split_squared_nm2 = 0, cutoff_squared_nm2 = 0;  ///< cutoff 0: the pair does not interact
  };
  /// One curve for all pairs: the scale and the outer amplitude of a pair are the sums of both
  /// types' halves, the inner amplitude is 1. Its row has the inner half in q >= 1.
  struct Mixing {
    std::vector<double> half_scale_nm, half_outer_amplitude;  ///< (types)
    double inner_amplitude = 1;
    double cutoff_squared_nm2 = 0, cutoff_over_scale_squared = 0;  ///< one of them is 0
    std::size_t row = 0;
  };

  int octaves_log2 = 0, force_bins_log2 = 0, energy_bins_log2 = 0;
  double largest_q = 1;  ///< representable in single precision; the core is logarithmic beyond it
  std::vector<Pair> pairs;     ///< (types, types)
  std::vector<double> force;   ///< (rows, octaves * bins, 4), in t from 1 to 2 within a bin
  std::vector<double> energy;  ///< (rows, octaves * bins, 8) [kJ/mol], in t from -1/2 to 1/2
  std::optional<Mixing> mixing;
  double cutoff_nm = 0;  ///< longest of all pairs
  /// Largest error of a tabulated force over max(|F|, force_scale), without rounding of distances.
  double force_error = 0, exact_force_error = 0;
  static constexpr double force_scale_kj_mol_nm = 5;  ///< about kT over a residue's size
  /// (distances) Largest |dU/dr| of any pair at or beyond shortest * step^k.
  std::vector<double> steepest_slope;
  static constexpr double shortest_nm = 0.02, slope_step = 1.01;

  [[nodiscard]] std::size_t rows() const {
    return energy.size() / (energy_coefficients << (octaves_log2 + energy_bins_log2));
  }
  /// Returns an upper bound of |dU/dr| of any pair at r or beyond.
  [[nodiscard]] double slope_bound(double r_nm) const;
};

/// Tabulates the sum of the functions of each pair of types; (types, types), symmetric. Throws
/// std::runtime_error, which names the pair and the distance, if the error would exceed 1e-4 or a
/// function is not finite in its range: a table of functions that are smooth between two breaks has
/// an error below 1e-6, one with nodes below 1e-5.
[[nodiscard]] PairCurves make_pair_curves(std::span<const std::vector<PairFunction>> functions,
                                          std::span<const std::string> type_names);

}  // namespace nfold::pair_forms
