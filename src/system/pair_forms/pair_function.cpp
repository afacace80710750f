// Values of pair potentials, by standard functions.
// SPDX-License-Identifier: BSD-3-Clause
#include "system/pair_forms/pair_function.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace nfold::pair_forms {
namespace {

constexpr FunctionNumber epsilon{"epsilon_kj_mol", 0, 1000};
constexpr FunctionNumber sigma{"sigma_nm", 0.01, 5};
constexpr FunctionNumber ashbaugh_hatch_numbers[] = {epsilon, sigma, {"lambda", -10, 10}};
constexpr FunctionNumber wang_frenkel_numbers[] = {
    {"epsilon_kj_mol", -1000, 1000}, sigma, {"mu", 1, 15}};
constexpr FunctionNumber epsilon_and_sigma[] = {epsilon, sigma};
constexpr FunctionNumber moff_numbers[] = {{"alpha_kj_mol_nm12", 0, 1000},
                                           {"epsilon_kj_mol", -1000, 1000}};
constexpr FunctionNumber yukawa_numbers[] = {{"a_kj_mol_nm", -1e4, 1e4}, {"length_nm", 1e-3, 1e6}};

/// Order of FunctionKind.
constexpr FunctionEntry entries[] = {{"ashbaugh-hatch", ashbaugh_hatch_numbers},
                                     {"wang-frenkel", wang_frenkel_numbers},
                                     {"lennard-jones", epsilon_and_sigma},
                                     {"12-10", epsilon_and_sigma},
                                     {"10-5", epsilon_and_sigma},
                                     {"repulsion-12", epsilon_and_sigma},
                                     {"moff", moff_numbers},
                                     {"yukawa", yukawa_numbers},
                                     {"table", {}},
                                     {"expression", {}}};
static_assert(std::size(entries) == static_cast<std::size_t>(FunctionKind::expression) + 1);

/// Returns x^n by multiplication, so that its bits depend on no library.
double whole_power(double x, int n) {
  double power = 1;
  for (; n > 0; n /= 2, x *= x) {
    if (n % 2 == 1) power *= x;
  }
  return power;
}
double power(double x, double exponent) {
  const double whole = std::floor(exponent);
  return exponent == whole && whole >= 0 && whole < 64 ? whole_power(x, static_cast<int>(whole))
                                                       : std::pow(x, exponent);
}

struct Value {
  double energy = 0, slope = 0;
  [[nodiscard]] Value times(double factor) const { return {factor * energy, factor * slope}; }
};

/// Returns the sum of two powers, a (s/r)^n + b (s/r)^m.
Value two_powers(double a, int n, double b, int m, double s, double r) {
  const double first = a * whole_power(s / r, n), second = b * whole_power(s / r, m);
  return {first + second, -(n * first + m * second) / r};
}

constexpr double minimum_over_sigma = 1.1224620483093729814;  // 2^(1/6)

Value ashbaugh_hatch(double depth, double s, double lambda, double r) {
  const Value lj = two_powers(4 * depth, 12, -4 * depth, 6, s, r);
  if (r <= minimum_over_sigma * s) return {lj.energy + depth * (1 - lambda), lj.slope};
  return lj.times(lambda);
}

double wang_frenkel_minimum_nm(double s, double mu) {
  return 3 * s * std::pow(3 / (1 + 2 * power(9, mu)), 1 / (2 * mu));
}

Value wang_frenkel(double depth, double s, double mu, double r) {
  if (!(r < 3 * s)) return {};
  const double inverse_x = 1 / power(9, mu), y = power(s * s / (r * r), mu);
  const double a = std::abs(depth) * 6.75 / whole_power(1 - inverse_x, 3), reach = y - inverse_x;
  const Value whole{a * (y - 1) * reach * reach,
                    -2 * mu * y / r * a * reach * (reach + 2 * (y - 1))};
  if (depth >= 0) return whole;
  if (r > wang_frenkel_minimum_nm(s, mu)) return {};
  return {whole.energy - depth, whole.slope};
}

Value moff(double alpha, double depth, double r) {
  constexpr double steepness_per_nm = 7, middle_nm = 0.8;
  const Value core = two_powers(alpha, 12, 0, 0, 1, r);
  const double edge = std::tanh(steepness_per_nm * (middle_nm - r));
  return {core.energy - 0.5 * depth * (1 + edge),
          core.slope + 0.5 * depth * steepness_per_nm * (1 - edge * edge)};
}

Value yukawa(double amplitude, double length_nm, double r) {
  const double energy = amplitude * std::exp(-r / length_nm) / r;
  return {energy, -energy * (1 / r + 1 / length_nm)};
}

/// Returns the function without its cutoff and factor.
Value whole_value(const PairFunction& f, double r) {
  const auto& n = f.numbers;
  switch (f.kind) {
    case FunctionKind::ashbaugh_hatch:
      return ashbaugh_hatch(n[0], n[1], n[2], r);
    case FunctionKind::wang_frenkel:
      return wang_frenkel(n[0], n[1], n[2], r);
    case FunctionKind::lennard_jones:
      return two_powers(4 * n[0], 12, -4 * n[0], 6, n[1], r);
    case FunctionKind::power_12_10:
      return two_powers(5 * n[0], 12, -6 * n[0], 10, n[1], r);
    case FunctionKind::power_10_5:
      return two_powers(4 * n[0], 10, -4 * n[0], 5, n[1], r);
    case FunctionKind::repulsion_12:
      return two_powers(n[0], 12, 0, 0, n[1], r);
    case FunctionKind::moff:
      return moff(n[0], n[1], r);
    case FunctionKind::yukawa:
      return yukawa(n[0], n[1], r);
    case FunctionKind::tabulated:
    case FunctionKind::expression:
      if (f.custom == nullptr) throw std::logic_error("a table or expression without its values");
      return {f.custom->energy(r), f.custom->slope(r)};
  }
  throw std::logic_error("no such pair function");
}

/// Returns the energy of whole_value(), without a slope by differences.
double whole_energy(const PairFunction& f, double r) {
  return f.custom != nullptr ? f.custom->energy(r) : whole_value(f, r).energy;
}

/// Returns the switched function above the switch, times 1 - 10 x^3 + 15 x^4 - 6 x^5.
Value smoothly_ended(const PairFunction& f, const Value& whole, double r) {
  if (r <= f.switch_nm) return whole;
  const double width = f.cutoff_nm - f.switch_nm, x = (r - f.switch_nm) / width;
  const double share = 1 - x * x * x * (10 - x * (15 - 6 * x));
  const double share_slope = -30 * x * x * (1 - x) * (1 - x) / width;
  return {whole.energy * share, whole.slope * share + whole.energy * share_slope};
}

/// Returns COCOMO's end: both parts have the same energy and slope at the switch.
Value force_matched(const PairFunction& f, const Value& whole, double r) {
  const auto end = [&](double at) {
    const double gap = 1 / whole_power(at, 3) - 1 / whole_power(f.cutoff_nm, 3);
    return Value{gap * gap, -6 * gap / whole_power(at, 4)};
  };
  const Value at_switch = whole_value(f, f.switch_nm), end_at_switch = end(f.switch_nm);
  const double strength = at_switch.slope / end_at_switch.slope;
  if (r >= f.switch_nm) return end(r).times(strength);
  return {whole.energy + strength * end_at_switch.energy - at_switch.energy, whole.slope};
}

/// Returns the function with its end at the cutoff and its factor.
PairValue ended(const PairFunction& f, Value value, double r) {
  const bool has_own_end =
      f.cutoff_form == CutoffForm::smooth_step || f.cutoff_form == CutoffForm::force_matched;
  if (has_own_end && !(r < f.cutoff_nm)) return {};
  switch (f.cutoff_form) {
    case CutoffForm::truncated:
      break;
    case CutoffForm::shifted:
      value.energy -= whole_energy(f, f.cutoff_nm);
      break;
    case CutoffForm::smooth_step:
      value = smoothly_ended(f, value, r);
      break;
    case CutoffForm::force_matched:
      value = force_matched(f, value, r);
      break;
  }
  return {true, f.factor * value.energy, f.factor * value.slope};
}

}  // namespace

const FunctionEntry& function_entry(FunctionKind kind) {
  return entries[static_cast<std::size_t>(kind)];
}

double RadialFunction::slope(double r_nm) const {
  // Ridders, Adv. Eng. Softw. 4, 75 (1982): central differences of shrinking steps, extrapolated to
  // none; the pair of neighbouring estimates that agree best ends the search.
  constexpr std::size_t steps = 12;
  constexpr double ratio = 1.5, first_share = 0.04;
  std::array<double, steps> before{};
  double best = std::numeric_limits<double>::quiet_NaN();
  double least_error = std::numeric_limits<double>::infinity();
  std::size_t rows = 0;  // differences so far, without those that left the function's range
  double h = first_share * r_nm;
  for (std::size_t n = 0; n < steps; ++n, h /= ratio) {
    const double upper = r_nm + h, lower = r_nm - h;
    double estimate = (energy(upper) - energy(lower)) / (upper - lower);
    if (!std::isfinite(estimate)) continue;
    if (rows == 0 && std::isnan(best)) best = estimate;
    double factor = ratio * ratio;
    for (std::size_t k = 0; k < rows; ++k, factor *= ratio * ratio) {
      const double next = (factor * estimate - before[k]) / (factor - 1);
      const double error = std::max(std::abs(next - estimate), std::abs(next - before[k]));
      if (error <= least_error) {
        least_error = error;
        best = next;
      }
      before[k] = estimate;
      estimate = next;
    }
    before[rows++] = estimate;
  }
  return best;
}

PairValue PairFunction::at(double r_nm) const {
  return r_nm < cutoff_nm ? beyond_cutoff(r_nm) : PairValue{};
}

PairValue PairFunction::beyond_cutoff(double r_nm) const {
  return ended(*this, whole_value(*this, r_nm), r_nm);
}

double PairFunction::energy_beyond_cutoff(double r_nm) const {
  return ended(*this, {whole_energy(*this, r_nm), 0}, r_nm).energy;
}

std::vector<double> PairFunction::breaks_nm() const {
  std::vector<double> breaks;
  if (kind == FunctionKind::ashbaugh_hatch) breaks.push_back(minimum_over_sigma * numbers[1]);
  if (kind == FunctionKind::wang_frenkel) {
    if (numbers[0] < 0) breaks.push_back(wang_frenkel_minimum_nm(numbers[1], numbers[2]));
    breaks.push_back(3 * numbers[1]);
  }
  if (custom != nullptr) breaks = custom->breaks_nm();
  const bool has_switch =
      cutoff_form == CutoffForm::smooth_step || cutoff_form == CutoffForm::force_matched;
  if (has_switch) breaks.push_back(switch_nm);
  std::erase_if(breaks, [this](double r) { return !(r > 0 && r < cutoff_nm); });
  return breaks;
}

double PairFunction::length_nm() const {
  switch (kind) {
    case FunctionKind::ashbaugh_hatch:
      return minimum_over_sigma * numbers[1];
    case FunctionKind::wang_frenkel:
    case FunctionKind::lennard_jones:
    case FunctionKind::power_12_10:
    case FunctionKind::power_10_5:
    case FunctionKind::repulsion_12:
      return numbers[1];
    case FunctionKind::moff:
    case FunctionKind::yukawa:
    case FunctionKind::tabulated:
    case FunctionKind::expression:
      break;
  }
  return 1;
}

}  // namespace nfold::pair_forms
