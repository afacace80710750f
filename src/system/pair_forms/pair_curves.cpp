// Construction of the tables of pair functions, to a bound of their error.
// SPDX-License-Identifier: BSD-3-Clause
#include "system/pair_forms/pair_curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <utility>

namespace nfold::pair_forms {
namespace {

/// Errors of forces over max(|F|, force scale): asked, asked of the double table, and at most.
constexpr double asked_error = 1e-6, asked_exact_error = 1e-8, accepted_error = 1e-4;
/// Relative difference of curves that share a row.
constexpr double equal_curves = 1e-8;
/// Beyond this force [kJ/mol/nm] a run has exploded, so the table need not be exact.
constexpr double exact_up_to_force = 1 << 15;
/// A core of r^-12 begins at this force or energy [kJ/mol].
constexpr double core_force = 1 << 18, core_energy = 4000;
/// A function may end in NaN below a distance where its energy [kJ/mol] keeps all beads away.
constexpr double least_wall_energy = 25;
constexpr std::size_t most_bytes = std::size_t{1} << 26;
constexpr int samples_per_octave = 8;

/// Returns the polynomial's coefficients, constant first, through the values of f at Chebyshev
/// nodes between from and to.
template <std::size_t size, class Function>
std::array<double, size> fit(const Function& f, double from, double to, std::size_t used = size) {
  std::array<double, size> x{}, c{};
  for (std::size_t k = 0; k < used; ++k) {
    const double angle =
        std::numbers::pi * (static_cast<double>(k) + 0.5) / static_cast<double>(used);
    x.at(k) = 0.5 * (from + to) - 0.5 * (to - from) * std::cos(angle);
    c.at(k) = f(x.at(k));
  }
  for (std::size_t order = 1; order < used; ++order) {  // divided differences
    for (std::size_t k = used - 1; k >= order; --k) {
      c.at(k) = (c.at(k) - c.at(k - 1)) / (x.at(k) - x.at(k - order));
    }
  }
  std::array<double, size> power{};
  power[0] = used > 0 ? c.at(used - 1) : 0;
  for (std::size_t k = used - 1; k-- > 0;) {  // multiplies by (t - x_k) and adds c_k
    for (std::size_t n = used - 1; n > 0; --n)
      power.at(n) = power.at(n - 1) - x.at(k) * power.at(n);
    power[0] = c.at(k) - x.at(k) * power[0];
  }
  return power;
}

template <class Coefficients>
double polynomial(const Coefficients& c, double t) {
  double sum = 0;
  for (std::size_t k = std::size(c); k-- > 0;) sum = sum * t + c[k];
  return sum;
}
template <class Coefficients>
double derivative(const Coefficients& c, double t) {
  double sum = 0;
  for (std::size_t k = std::size(c); k-- > 1;) sum = sum * t + static_cast<double>(k) * c[k];
  return sum;
}

/// Sum of the functions of a pair, continued by a core at short distances.
class PairSum {
 public:
  PairSum(const std::vector<PairFunction>& functions, std::string name)
      : functions_(functions), name_(std::move(name)) {
    for (const auto& f : functions_) cutoff_nm_ = std::max(cutoff_nm_, f.cutoff_nm);
    continues_ = std::ranges::all_of(functions_, [](const PairFunction& f) {
      const bool is_cut =
          f.cutoff_form == CutoffForm::truncated || f.cutoff_form == CutoffForm::shifted;
      return is_cut && f.kind != FunctionKind::wang_frenkel && f.custom == nullptr;
    });
    const double zero_nm = find_core();
    choose_scales(zero_nm);
  }
  [[nodiscard]] double cutoff_nm() const { return cutoff_nm_; }
  [[nodiscard]] double split_nm() const { return split_nm_; }
  [[nodiscard]] double inner_scale_nm() const { return inner_scale_nm_; }
  [[nodiscard]] double outer_scale_nm() const { return outer_scale_nm_; }
  /// Shortest distance at which the table is exact.
  [[nodiscard]] double shortest_nm() const { return exact_nm_; }
  [[nodiscard]] double core_nm() const { return core_nm_; }
  /// True if the function is smooth beyond its cutoff too.
  [[nodiscard]] bool continues() const { return continues_; }
  [[nodiscard]] const std::string& name() const { return name_; }

  [[nodiscard]] double energy(double r) const {
    if (r < core_nm_) {
      const double over = std::pow(core_nm_ / r, 12) - 1;
      return core_.energy + core_force_over_12_ * core_nm_ * over;
    }
    double sum = 0;
    for (const auto& f : functions_) {
      if (counts(f, r)) sum += f.beyond_cutoff(r).energy;
    }
    if (!std::isfinite(sum)) refuse(r, "is not finite");
    return sum;
  }
  [[noreturn]] void refuse(double r, const std::string& problem) const {
    throw std::runtime_error(fmt::format(
        "the potential of the pair {} {} near r = {:.5g} nm, below its cutoff of {:.5g} "
        "nm; it must be finite and have a continuous force there",
        name_, problem, r, cutoff_nm_));
  }

 private:
  /// The longest functions continue beyond their cutoff.
  [[nodiscard]] bool counts(const PairFunction& f, double r) const {
    return r < f.cutoff_nm || f.cutoff_nm >= cutoff_nm_ * (1 - 1e-12);
  }
  [[nodiscard]] PairValue value(double r) const {
    PairValue sum;
    for (const auto& f : functions_) {
      if (!counts(f, r)) continue;
      const auto one = f.beyond_cutoff(r);
      sum.energy += one.energy;
      sum.slope += one.slope;
    }
    return sum;
  }
  /// Finds where the core begins and where the table must be exact. Returns the longest distance at
  /// which the force changes from repulsion to attraction; 0: none.
  [[nodiscard]] double find_core() {
    const double step = std::exp2(-1.0 / 32);
    double zero_nm = 0, last_r = 0;
    PairValue last;
    core_nm_ = 0;
    exact_nm_ = PairCurves::shortest_nm;
    bool is_exact = true;
    for (double r = cutoff_nm_ * (1 - 1e-9); r > PairCurves::shortest_nm; r *= step) {
      const auto here = value(r);
      const bool is_finite = std::isfinite(here.energy) && std::isfinite(here.slope);
      if (!is_finite) {
        const bool is_wall = last_r > 0 && last.slope < 0 && last.energy >= least_wall_energy;
        if (!is_wall) refuse(r, "is not finite");
        begin_core(last_r, last);
        if (is_exact) exact_nm_ = last_r;
        break;
      }
      if (zero_nm == 0 && last_r > 0 && here.slope < 0 && last.slope >= 0 && last.slope != 0) {
        zero_nm = r;
      }
      if (is_exact && -here.slope > exact_up_to_force) {
        is_exact = false;
        exact_nm_ = r / step;
      }
      if (here.slope < 0 && (-here.slope >= core_force || here.energy >= core_energy)) {
        begin_core(r, here);
        if (is_exact) exact_nm_ = r;
        break;
      }
      last_r = r;
      last = here;
    }
    return zero_nm;
  }
  void begin_core(double r, const PairValue& at) {
    core_nm_ = r;
    core_ = at;
    core_force_over_12_ = -at.slope / 12;
  }
  void choose_scales(double zero_nm) {
    std::vector<double> breaks;
    for (const auto& f : functions_) {
      for (const double r : f.breaks_nm()) breaks.push_back(r);
      if (f.cutoff_nm < cutoff_nm_ * (1 - 1e-9)) breaks.push_back(f.cutoff_nm);
    }
    std::erase_if(breaks, [&](double r) { return r <= exact_nm_ || r >= cutoff_nm_ * (1 - 1e-9); });
    std::ranges::sort(breaks);
    breaks.erase(std::unique(breaks.begin(), breaks.end(),
                             [](double a, double b) { return b - a < 1e-9 * b; }),
                 breaks.end());
    if (breaks.size() > 2) {  // the two that bins would resolve worst
      std::ranges::sort(breaks, {}, [this](double r) { return -unevenness(r); });
      breaks.resize(2);
      std::ranges::sort(breaks);
    }
    if (!breaks.empty()) {
      inner_scale_nm_ = split_nm_ = breaks.front();
      outer_scale_nm_ = breaks.back();
      return;
    }
    double scale = zero_nm > 0 ? refined_zero(zero_nm) : functions_.front().length_nm();
    if (!(scale < cutoff_nm_)) scale = cutoff_nm_;
    inner_scale_nm_ = outer_scale_nm_ = split_nm_ = scale;
  }
  /// Returns the second difference of the slope: the jump of the slope, or its kink.
  [[nodiscard]] double unevenness(double r) const {
    constexpr double step = 1e-4;
    return std::abs(value(r * (1 + step)).slope + value(r * (1 - step)).slope - 2 * value(r).slope);
  }
  /// Returns the distance without force between r, where there is repulsion, and the next one where
  /// there is none. The energy nearer than it decides, since a derivative may jump there.
  [[nodiscard]] double refined_zero(double r) const {
    double low = r, high = r * std::exp2(1.0 / 32);
    for (int halvings = 0; halvings < 50; ++halvings) {
      const double middle = 0.5 * (low + high);
      (value(middle).slope < 0 ? low : high) = middle;
    }
    if (std::ranges::none_of(functions_, [](const auto& f) { return f.custom != nullptr; })) {
      return low;
    }
    constexpr double width = 0.06, gap = 1e-3;  // differences are not used near a jump
    const auto near = fit<8>([&](double t) { return energy(low * (1 + t)); }, -width, -gap);
    double t = 0;
    for (int steps = 0; steps < 20; ++steps) {
      std::array<double, 7> slope{};
      for (std::size_t k = 1; k < 8; ++k) slope.at(k - 1) = static_cast<double>(k) * near.at(k);
      const double change = polynomial(slope, t) / derivative(slope, t);
      if (!std::isfinite(change) || std::abs(change) > width) return low;
      t -= change;
    }
    return std::abs(t) < gap ? low * (1 + t) : low;
  }

  const std::vector<PairFunction>& functions_;
  std::string name_;
  double cutoff_nm_ = 0, core_nm_ = 0, exact_nm_ = 0, core_force_over_12_ = 0;
  double split_nm_ = 0, inner_scale_nm_ = 0, outer_scale_nm_ = 0;
  bool continues_ = false;
  PairValue core_;
};

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
    if (used == 0 || used > available || theirs(largest) == 0) return false;
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

/// Bins of one row: octaves from the first on, each in even parts.
struct Bins {
  int first_octave, octaves_log2, bins_log2;
  [[nodiscard]] int octaves() const { return 1 << octaves_log2; }
  [[nodiscard]] int per_octave() const { return 1 << bins_log2; }
  [[nodiscard]] std::size_t count() const { return std::size_t{1} << (octaves_log2 + bins_log2); }
  struct Range {
    double from, to;
    std::size_t place;
  };
  /// Calls visit(Range, octave) for each bin, in ascending order.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (int octave = first_octave; octave < first_octave + octaves(); ++octave) {
      for (int part = 0; part < per_octave(); ++part) {
        const double from = std::ldexp(1 + std::ldexp(part, -bins_log2), octave);
        visit(Range{from, from + std::ldexp(1, octave - bins_log2), place(octave, part)});
      }
    }
  }
  /// Kernels take the low bits of a float's exponent, which is biased by 127 or 1023.
  [[nodiscard]] std::size_t place(int octave, int part) const {
    return static_cast<std::size_t>((((octave + 127) & (octaves() - 1)) << bins_log2) + part);
  }
  [[nodiscard]] Range range_of(double q) const {
    const int octave = std::ilogb(q);
    const int part = static_cast<int>(std::ldexp(std::ldexp(q, -octave) - 1, bins_log2));
    const double from = std::ldexp(1 + std::ldexp(part, -bins_log2), octave);
    return {from, from + std::ldexp(1, octave - bins_log2), place(octave, part)};
  }
};

/// Number of coefficients that a part of a bin determines; all are expressed in the whole bin.
std::size_t coefficients_for(double share, std::size_t all, double digits) {
  if (share > 0.999) return all;
  const double lost = -std::log10(std::max(share, 1e-300));
  return std::clamp<std::size_t>(1 + static_cast<std::size_t>(digits / lost), 1, all);
}

/// One table of all rows. coefficients: per bin; begin: value of t at the lower end of a bin, whose
/// length in t is 1.
template <std::size_t coefficients>
class Table {
 public:
  Table(const Bins& bins, double begin, std::size_t rows)
      : bins_(bins), begin_(begin), values_(rows * bins.count() * coefficients) {}
  /// Fits f(q) to a row between two limits, and continues it by lines beyond them.
  template <class Function>
  void fill(std::size_t row, double lowest_q, double highest_q, double digits, const Function& f) {
    bins_.for_each([&](const Bins::Range& bin) {
      const double low = std::max(bin.from, lowest_q), high = std::min(bin.to, highest_q);
      const double length = bin.to - bin.from;
      if (!(low < high)) return;
      const auto t = [&](double q) { return begin_ + (q - bin.from) / length; };
      const auto used = coefficients_for((high - low) / length, coefficients, digits);
      const auto c = fit<coefficients>(
          [&](double at) { return f(bin.from + (at - begin_) * length); }, t(low), t(high), used);
      std::ranges::copy(c, this->bin(row, bin.place));
    });
    // Rounding of q may lead into the next bin.
    const double ends[2] = {lowest_q, highest_q};
    const auto first = bins_.range_of(lowest_q);
    const auto last = bins_.range_of(std::nextafter(highest_q, 0));
    const double value[2] = {at(row, lowest_q), at_in(row, last, highest_q)};
    const double slope[2] = {slope_at(row, lowest_q), slope_in(row, last, highest_q)};
    bins_.for_each([&](const Bins::Range& bin) {
      if (bin.to > first.from && bin.from < last.to) return;
      const std::size_t side = bin.to <= first.from ? 0 : 1;
      const double length = bin.to - bin.from;
      const double line = slope[side] * length;
      auto* const c = this->bin(row, bin.place);
      c[0] = value[side] + line * (0 - begin_) + slope[side] * (bin.from - ends[side]);
      c[1] = line;
    });
  }
  [[nodiscard]] double at(std::size_t row, double q) const {
    return at_in(row, bins_.range_of(q), q);
  }
  [[nodiscard]] double slope_at(std::size_t row, double q) const {
    return slope_in(row, bins_.range_of(q), q);
  }
  /// Rounds the coefficients to single precision.
  void round() {
    for (double& c : values_) c = static_cast<float>(c);
  }
  [[nodiscard]] const Bins& bins() const { return bins_; }
  [[nodiscard]] double begin() const { return begin_; }
  [[nodiscard]] std::vector<double> take() { return std::move(values_); }
  [[nodiscard]] std::span<double> row(std::size_t row) {
    const auto size = bins_.count() * coefficients;
    return std::span(values_).subspan(row * size, size);
  }

 private:
  double* bin(std::size_t row, std::size_t place) {
    return values_.data() + (row * bins_.count() + place) * coefficients;
  }
  [[nodiscard]] std::span<const double> bin(std::size_t row, std::size_t place) const {
    return std::span(values_).subspan((row * bins_.count() + place) * coefficients, coefficients);
  }
  [[nodiscard]] double at_in(std::size_t row, const Bins::Range& range, double q) const {
    return polynomial(bin(row, range.place), begin_ + (q - range.from) / (range.to - range.from));
  }
  [[nodiscard]] double slope_in(std::size_t row, const Bins::Range& range, double q) const {
    const double length = range.to - range.from;
    return derivative(bin(row, range.place), begin_ + (q - range.from) / length) / length;
  }

  Bins bins_;
  double begin_;
  std::vector<double> values_;
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
        curve->sum->refuse(curve->distance_nm(q), "is not smooth enough for a table");
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
      if (worst.error <= asked_exact_error) return fine;
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
      if (worst.error <= asked_error) return table;
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
    if (sums_.size() != types_ * (types_ + 1) / 2) return;
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
