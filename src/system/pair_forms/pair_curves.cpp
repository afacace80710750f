// Construction of the tables of pair functions, to a bound of their error.
// SPDX-License-Identifier: BSD-3-Clause
#include "system/pair_forms/pair_curves.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "system/pair_forms/curve_table.hpp"
#include "system/pair_forms/pair_sum.hpp"

namespace nfold::pair_forms {
namespace {

/// Errors of forces over max(|F|, force scale): asked, asked of the double table, and at most.
constexpr double asked_error = 1e-6, asked_exact_error = 1e-10, accepted_error = 1e-4;
/// Errors asked if there is a table of nodes, where third derivatives jump: finer bins would not
/// fit into a GPU's cache.
constexpr double asked_error_of_nodes = 1e-5, asked_exact_error_of_nodes = 1e-7;
/// Relative difference of curves that share a row.
constexpr double equal_curves = 1e-10;
constexpr std::size_t most_bytes = std::size_t{1} << 26;
/// Samples by which equal curves are found.
constexpr int samples_per_octave = 32;
constexpr std::size_t least_samples = 4;

/// One half of a pair: a smooth function of q between two limits.
struct HalfCurve {
  const PairSum* sum;
  std::size_t pair;
  bool is_inner;
  double scale_nm, lowest_q, highest_q;
  double exact_up_to_q;         // the table must be exact up to it
  std::vector<double> samples;  // (sample numbers from first_sample on) dU/dq
  int first_sample = 0;

  [[nodiscard]] double distance_nm(double q) const { return scale_nm / std::sqrt(q); }
  [[nodiscard]] double energy(double q) const { return sum->energy(distance_nm(q)); }
  [[nodiscard]] bool is_empty() const { return !(lowest_q < highest_q); }
  /// Returns dU/dq of the force scale.
  [[nodiscard]] double slope_scale(double q) const {
    return PairCurves::force_scale_kj_mol_nm * distance_nm(q) / (2 * q);
  }
  static double sample_q(int sample) {
    return std::exp2((sample + 0.37) / static_cast<double>(samples_per_octave));
  }
  void take_samples() {
    first_sample =
        static_cast<int>(std::ceil(samples_per_octave * std::log2(lowest_q) - 0.37 - 1e-6));
    samples.clear();
    for (int n = first_sample; sample_q(n) < highest_q; ++n) samples.push_back(slope(sample_q(n)));
  }
  /// Returns dU/dq, by a polynomial through energies nearby.
  [[nodiscard]] double slope(double q) const {
    constexpr double width = 0.02;
    const double from = std::max(lowest_q, q * (1 - width)),
                 to = std::min(highest_q, q * (1 + width));
    const auto c = fit<8>([&](double t) { return energy(q * (1 + t)); }, from / q - 1, to / q - 1);
    return c[1] / q;
  }
  /// Sets amplitude and offset with which this curve is the other's. Returns false if it is not.
  [[nodiscard]] bool equals(const HalfCurve& other, PairCurves::Half& half) const {
    if (lowest_q < other.lowest_q * (1 - 1e-9)) return false;
    const auto theirs = [&](std::size_t k) {
      return other.samples[static_cast<std::size_t>(first_sample - other.first_sample) + k];
    };
    if (first_sample < other.first_sample) return false;
    std::size_t used = 0, largest = 0;
    while (used < samples.size() &&
           sample_q(first_sample + static_cast<int>(used)) < exact_up_to_q) {
      if (std::abs(samples[used]) > std::abs(samples[largest])) largest = used;
      ++used;
    }
    const auto available =
        other.samples.size() -
        std::min(other.samples.size(), static_cast<std::size_t>(first_sample - other.first_sample));
    if (used < least_samples || used > available || theirs(largest) == 0) return false;
    const double amplitude = samples[largest] / theirs(largest);
    for (std::size_t k = 0; k < used; ++k) {
      const double q = sample_q(first_sample + static_cast<int>(k));
      const double near = equal_curves * std::max(std::abs(samples[k]), slope_scale(q));
      if (!(std::abs(samples[k] - amplitude * theirs(k)) <= near)) return false;
    }
    const double q = std::min(sample_q(first_sample), exact_up_to_q);
    half.amplitude = amplitude;
    half.offset_kj_mol = energy(q) - amplitude * other.energy(q);
    return true;
  }
  [[nodiscard]] bool is_constant() const {
    for (std::size_t k = 0; k < samples.size(); ++k) {
      const double q = sample_q(first_sample + static_cast<int>(k));
      if (std::abs(samples[k]) > 1e-9 * slope_scale(q)) return false;
    }
    return true;
  }
};

using EnergyTable = Table<PairCurves::energy_coefficients>;
using ForceTable = Table<PairCurves::force_coefficients>;

class Builder {
 public:
  Builder(std::span<const std::vector<PairFunction>> functions,
          std::span<const std::string> type_names)
      : types_(type_names.size()) {
    result_.pairs.resize(types_ * types_);
    sums_.reserve(types_ * (types_ + 1) / 2);
    for (std::size_t a = 0; a < types_; ++a) {
      for (std::size_t b = a; b < types_; ++b) {
        const auto& all = functions[a * types_ + b];
        if (all.empty()) continue;
        for (const auto& one : all) {
          has_nodes_ = has_nodes_ || one.kind == FunctionKind::tabulated;
        }
        sums_.emplace_back(all, type_names[a] + " " + type_names[b]);
        sum_pair_.push_back(a * types_ + b);
      }
    }
  }
  PairCurves build() {
    choose_octaves();
    find_rows();
    auto energies = make_energies();
    auto forces = make_forces(energies);
    result_.octaves_log2 = octaves_log2_;
    find_mixing();
    if (result_.mixing.has_value()) add_mixed_row(energies, forces);
    result_.energy_bins_log2 = energies.bins().bins_log2;
    result_.force_bins_log2 = forces.bins().bins_log2;
    find_slopes(energies);
    result_.energy = energies.take();
    result_.force = forces.take();
    return std::move(result_);
  }

 private:
  void choose_octaves() {
    double lowest = 0.5, highest = 1;
    for (const auto& sum : sums_) {
      result_.cutoff_nm = std::max(result_.cutoff_nm, sum.cutoff_nm());
      const double near = std::max(sum.core_nm(), PairCurves::shortest_nm);
      lowest = std::min(lowest, std::pow(sum.inner_scale_nm() / sum.cutoff_nm(), 2));
      lowest = std::min(lowest, std::pow(sum.outer_scale_nm() / sum.cutoff_nm(), 2));
      highest = std::max(highest, std::pow(sum.inner_scale_nm() / near, 2));
      highest = std::max(highest, std::pow(sum.outer_scale_nm() / sum.split_nm(), 2));
    }
    first_octave_ = std::ilogb(lowest);
    const int octaves = std::ilogb(highest) - first_octave_ + 1;
    while ((1 << octaves_log2_) < octaves) ++octaves_log2_;
    const int last = first_octave_ + (1 << octaves_log2_) - 1;
    result_.largest_q = std::nextafter(std::ldexp(1.0F, last + 1), 0.0F);
  }
  [[nodiscard]] HalfCurve make_half(std::size_t k, bool is_inner) const {
    const PairSum& sum = sums_[k];
    HalfCurve half{};
    half.sum = &sum;
    half.pair = sum_pair_[k];
    half.is_inner = is_inner;
    half.scale_nm = is_inner ? sum.inner_scale_nm() : sum.outer_scale_nm();
    const double at_split = std::pow(half.scale_nm / sum.split_nm(), 2);
    if (is_inner) {
      half.lowest_q = at_split;
      half.highest_q = std::ldexp(1.0, first_octave_ + (1 << octaves_log2_));
      half.exact_up_to_q = std::pow(half.scale_nm / sum.shortest_nm(), 2);
    } else {
      const double at_cutoff = std::pow(half.scale_nm / sum.cutoff_nm(), 2);
      half.lowest_q = sum.continues() ? std::ldexp(1.0, first_octave_) : at_cutoff;
      half.highest_q = half.exact_up_to_q = at_split;
      if (!(at_cutoff < at_split)) half.lowest_q = half.highest_q;
    }
    return half;
  }
  /// Gives each half its row, its amplitude and its offset.
  void find_rows() {
    std::vector<HalfCurve> halves;
    for (std::size_t k = 0; k < sums_.size(); ++k) {
      for (const bool is_inner : {true, false}) halves.push_back(make_half(k, is_inner));
    }
    // A row must reach as far as those that share it.
    std::ranges::stable_sort(halves, {}, &HalfCurve::lowest_q);
    rows_.assign(1, {});  // row 0: no force
    for (auto& half : halves) {
      PairCurves::Half found{half.scale_nm * half.scale_nm, 0, 0, 0};
      if (!half.is_empty()) {
        half.take_samples();
        if (half.is_constant()) {
          found.offset_kj_mol = half.energy(std::sqrt(half.lowest_q * half.highest_q));
        } else {
          find_row(half, found);
        }
      }
      auto& pair = result_.pairs[half.pair];
      (half.is_inner ? pair.inner : pair.outer) = found;
    }
    for (std::size_t k = 0; k < sums_.size(); ++k) {
      const auto at = sum_pair_[k];
      auto& pair = result_.pairs[at];
      pair.split_squared_nm2 = sums_[k].split_nm() * sums_[k].split_nm();
      pair.cutoff_squared_nm2 = sums_[k].cutoff_nm() * sums_[k].cutoff_nm();
      result_.pairs[at % types_ * types_ + at / types_] = pair;
    }
  }
  void find_row(HalfCurve& half, PairCurves::Half& found) {
    for (std::size_t row = 1; row < rows_.size(); ++row) {
      if (rows_[row].is_inner != half.is_inner || !half.equals(rows_[row], found)) continue;
      found.row = row;
      rows_[row].exact_up_to_q = std::max(rows_[row].exact_up_to_q, half.exact_up_to_q);
      return;
    }
    found.row = rows_.size();
    found.amplitude = 1;
    found.offset_kj_mol = 0;
    rows_.push_back(half);
  }
  [[nodiscard]] std::size_t bytes(int bins_log2, std::size_t coefficients) const {
    return rows_.size() * (coefficients * sizeof(double) << (octaves_log2_ + bins_log2));
  }
  /// Calls visit(row, curve, q) for points within the bins, where the table must be exact.
  template <class Visit>
  void for_each_point(const Bins& bins, const Visit& visit) const {
    for (std::size_t row = 1; row < rows_.size(); ++row) {
      const HalfCurve& curve = rows_[row];
      const double highest = std::min(curve.highest_q, curve.exact_up_to_q);
      const double at_cutoff = std::pow(curve.scale_nm / curve.sum->cutoff_nm(), 2);
      const double lowest = std::max(curve.lowest_q, at_cutoff);
      bins.for_each([&](const Bins::Range& bin) {
        const double low = std::max(bin.from, lowest), high = std::min(bin.to, highest);
        if (!(low < high)) return;
        for (const double share : {0.02, 0.3, 0.5, 0.81, 0.98}) {
          visit(row, curve, low + share * (high - low));
        }
      });
    }
  }
  /// Returns |F - F'| over max(|F|, force scale), from dU/dq.
  static double force_error(const HalfCurve& curve, double q, double slope, double other) {
    const double error = std::abs(slope - other) / std::max(std::abs(slope), curve.slope_scale(q));
    return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
  }
  struct Worst {
    double error = 0, q = 1;
    const HalfCurve* curve = nullptr;
    void take(double one, const HalfCurve& of, double at) {
      if (one > error) *this = {one, at, &of};
    }
    void require_accepted() const {
      if (!(error <= accepted_error)) {
        curve->sum->refuse(curve->distance_nm(q), "is not smooth enough for a table",
                           "of all distances where terms end or a force has a kink, a table can "
                           "have two: give terms the same cutoff, or cutoff_form: smooth-step");
      }
    }
  };
  [[nodiscard]] EnergyTable fill_energies(int bins_log2) const {
    EnergyTable table({first_octave_, octaves_log2_, bins_log2}, -0.5, rows_.size());
    for (std::size_t row = 1; row < rows_.size(); ++row) {
      const HalfCurve& curve = rows_[row];
      table.fill(row, curve.lowest_q, curve.highest_q, 4,
                 [&](double q) { return curve.energy(q); });
    }
    return table;
  }
  EnergyTable make_energies() {
    int bins_log2 = 3;
    EnergyTable coarse = fill_energies(bins_log2);
    double last_error = std::numeric_limits<double>::infinity();
    while (true) {
      EnergyTable fine = fill_energies(++bins_log2);
      Worst worst;
      for_each_point(fine.bins(), [&](std::size_t row, const HalfCurve& curve, double q) {
        const double exact = curve.energy(q);
        const double error = std::abs(fine.at(row, q) - exact) / std::max(1.0, std::abs(exact));
        worst.take(error, curve, q);
        worst.take(force_error(curve, q, fine.slope_at(row, q), coarse.slope_at(row, q)), curve, q);
      });
      result_.exact_force_error = worst.error;
      if (worst.error <= (has_nodes_ ? asked_exact_error_of_nodes : asked_exact_error)) return fine;
      // A jump in a bin stays as large in smaller bins.
      if (bins_log2 >= 7 && worst.error > 0.4 * last_error) worst.require_accepted();
      last_error = worst.error;
      if (bytes(bins_log2 + 1, PairCurves::energy_coefficients) > most_bytes || bins_log2 == 12) {
        worst.require_accepted();
        return fine;
      }
      coarse = std::move(fine);
    }
  }
  ForceTable make_forces(const EnergyTable& energies) {
    for (int bins_log2 = 0;; ++bins_log2) {
      ForceTable table({first_octave_, octaves_log2_, bins_log2}, 1, rows_.size());
      for (std::size_t row = 1; row < rows_.size(); ++row) {
        const HalfCurve& curve = rows_[row];
        table.fill(row, curve.lowest_q, curve.highest_q, 3,
                   [&](double q) { return 2 / (q * q) * energies.slope_at(row, q); });
      }
      table.round();
      Worst worst;
      for_each_point(table.bins(), [&](std::size_t row, const HalfCurve& curve, double q) {
        const double slope = 0.5 * q * q * table.at(row, q);
        worst.take(force_error(curve, q, energies.slope_at(row, q), slope), curve, q);
      });
      result_.force_error = worst.error;
      if (worst.error <= (has_nodes_ ? asked_error_of_nodes : asked_error)) return table;
      if (bytes(bins_log2 + 1, PairCurves::force_coefficients) > most_bytes || bins_log2 == 12) {
        worst.require_accepted();
        return table;
      }
    }
  }
  /// Finds scales and outer amplitudes of types whose sums are those of all pairs.
  void find_mixing() {
    constexpr double equal = 1e-8;
    const auto& pairs = result_.pairs;
    if (sums_.empty() || sums_.size() != types_ * (types_ + 1) / 2) return;
    PairCurves::Mixing mixing;
    std::size_t outer_row = 0;
    double largest_outer = 0;
    for (const auto& pair : pairs) {
      if (pair.outer.amplitude != 0) outer_row = pair.outer.row;
      largest_outer = std::max(largest_outer, std::abs(pair.outer.amplitude));
    }
    for (std::size_t type = 0; type < types_; ++type) {
      const auto& pair = pairs[type * types_ + type];
      mixing.half_scale_nm.push_back(0.5 * std::sqrt(pair.inner.scale_squared_nm2));
      mixing.half_outer_amplitude.push_back(0.5 * pair.outer.amplitude);
    }
    mixing.inner_amplitude = pairs.front().inner.amplitude;
    const auto is_near = [](double a, double b, double scale) {
      return std::abs(a - b) <= equal * std::abs(scale);
    };
    const auto& first = pairs.front();
    const double over_scale = first.cutoff_squared_nm2 / first.inner.scale_squared_nm2;
    bool has_one_cutoff = true, has_cutoffs_by_scale = true;
    for (std::size_t a = 0; a < types_; ++a) {
      for (std::size_t b = 0; b < types_; ++b) {
        const auto& [inner, outer, split, cutoff] = pairs[a * types_ + b];
        const double scale = std::sqrt(inner.scale_squared_nm2);
        const bool is_mixed =
            inner.scale_squared_nm2 == outer.scale_squared_nm2 && inner.row == first.inner.row &&
            (outer.row == outer_row || outer.amplitude == 0) &&
            is_near(inner.amplitude, mixing.inner_amplitude, mixing.inner_amplitude) &&
            is_near(scale, mixing.half_scale_nm[a] + mixing.half_scale_nm[b], scale) &&
            is_near(outer.amplitude,
                    mixing.half_outer_amplitude[a] + mixing.half_outer_amplitude[b], largest_outer);
        if (!is_mixed) return;
        has_one_cutoff = has_one_cutoff && cutoff == first.cutoff_squared_nm2;
        has_cutoffs_by_scale =
            has_cutoffs_by_scale && is_near(cutoff, over_scale * inner.scale_squared_nm2, cutoff);
      }
    }
    if (has_one_cutoff) {
      mixing.cutoff_squared_nm2 = first.cutoff_squared_nm2;
    } else if (has_cutoffs_by_scale) {
      mixing.cutoff_over_scale_squared = over_scale;
    } else {
      return;
    }
    mixing.row = rows_.size();
    result_.mixing = std::move(mixing);
    mixed_outer_row_ = outer_row;
  }
  /// Appends the row with the inner half in q >= 1 and the outer half below.
  template <std::size_t coefficients>
  void append_mixed(Table<coefficients>& table) const {
    Table<coefficients> longer(table.bins(), table.begin(), rows_.size() + 1);
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      std::ranges::copy(table.row(row), longer.row(row).begin());
    }
    table.bins().for_each([&](const Bins::Range& bin) {
      const auto from = bin.from >= 1 ? result_.pairs.front().inner.row : mixed_outer_row_;
      const auto c = table.row(from).subspan(bin.place * coefficients, coefficients);
      std::ranges::copy(c, longer.row(rows_.size()).subspan(bin.place * coefficients).begin());
    });
    table = std::move(longer);
  }
  void add_mixed_row(EnergyTable& energies, ForceTable& forces) const {
    append_mixed(energies);
    append_mixed(forces);
  }
  void find_slopes(const EnergyTable& energies) {
    constexpr double margin = 1.1;  // for what lies between two distances
    auto& slopes = result_.steepest_slope;
    for (double r = PairCurves::shortest_nm; r < result_.cutoff_nm; r *= PairCurves::slope_step) {
      double largest = 0;
      for (const auto place : sum_pair_) {
        const auto& pair = result_.pairs[place];
        if (!(r * r < pair.cutoff_squared_nm2)) continue;
        const auto& half = r * r < pair.split_squared_nm2 ? pair.inner : pair.outer;
        const double q = half.scale_squared_nm2 / (r * r);
        const double inside = std::min(q, result_.largest_q);
        // Continued as in the kernel: F r is constant beyond the largest q.
        const double slope = energies.slope_at(half.row, inside) * 2 * inside / r;
        largest = std::max(largest, std::abs(half.amplitude * slope));
      }
      slopes.push_back(margin * largest);
    }
    for (std::size_t k = slopes.size(); k-- > 1;) {
      slopes[k - 1] = std::max(slopes[k - 1], slopes[k]);
    }
  }

  std::size_t types_;
  std::vector<PairSum> sums_;
  std::vector<std::size_t> sum_pair_;
  std::vector<HalfCurve> rows_;
  bool has_nodes_ = false;
  int first_octave_ = 0, octaves_log2_ = 0;
  std::size_t mixed_outer_row_ = 0;
  PairCurves result_;
};

}  // namespace

double PairCurves::slope_bound(double r_nm) const {
  if (steepest_slope.empty()) return 0;
  if (r_nm < shortest_nm) return steepest_slope.front() * std::pow(shortest_nm / r_nm, 13);
  const double step = std::floor(std::log(r_nm / shortest_nm) / std::log(slope_step) - 1e-9);
  const auto k = static_cast<std::size_t>(std::max(0.0, step));
  return k < steepest_slope.size() ? steepest_slope[k] : 0;
}

PairCurves make_pair_curves(std::span<const std::vector<PairFunction>> functions,
                            std::span<const std::string> type_names) {
  return Builder(functions, type_names).build();
}

}  // namespace nfold::pair_forms
