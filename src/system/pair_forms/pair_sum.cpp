// Core, scales and breaks of a sum of pair functions.
// SPDX-License-Identifier: BSD-3-Clause
#include "system/pair_forms/pair_sum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "system/pair_forms/curve_table.hpp"
#include "system/pair_forms/pair_curves.hpp"

namespace nfold::pair_forms {
namespace {

/// Beyond this force [kJ/mol/nm] or energy [kJ/mol] a run has exploded, so the table need not be
/// exact.
constexpr double exact_up_to_force = 1 << 15, exact_up_to_energy = 2000;
/// A core of r^-12 begins at this force or energy [kJ/mol].
constexpr double core_force = 1 << 18, core_energy = 4000;
/// A function may end in NaN below a distance where its energy [kJ/mol] keeps all beads away.
constexpr double least_wall_energy = 25;

}  // namespace

PairSum::PairSum(const std::vector<PairFunction>& functions, std::string name)
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

double PairSum::energy(double r) const {
  if (r < core_nm_) {
    const double over = std::pow(core_nm_ / r, 12) - 1;
    return core_.energy + core_force_over_12_ * core_nm_ * over;
  }
  double sum = 0;
  for (const auto& f : functions_) {
    if (counts(f, r)) sum += f.energy_beyond_cutoff(r);
  }
  if (!std::isfinite(sum)) refuse(r, "is not finite");
  return sum;
}

void PairSum::refuse(double r, const std::string& problem, const std::string& remedy) const {
  throw std::runtime_error(
      fmt::format("the potential of the pair {} {} near r = {:.5g} nm, below its cutoff of {:.5g} "
                  "nm; {}",
                  name_, problem, r, cutoff_nm_, remedy));
}

PairValue PairSum::value(double r) const {
  PairValue sum;
  for (const auto& f : functions_) {
    if (!counts(f, r)) continue;
    const auto one = f.beyond_cutoff(r);
    sum.energy += one.energy;
    sum.slope += one.slope;
  }
  return sum;
}

double PairSum::find_core() {
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
      // The bins where the core begins are less exact.
      if (is_exact) exact_nm_ = last_r / step;
      break;
    }
    if (zero_nm == 0 && last_r > 0 && here.slope < 0 && last.slope >= 0 && last.slope != 0) {
      zero_nm = r;
    }
    const bool is_beyond =
        -here.slope > exact_up_to_force || (here.slope < 0 && here.energy > exact_up_to_energy);
    if (is_exact && is_beyond) {
      is_exact = false;
      exact_nm_ = r / step;
    }
    if (here.slope < 0 && (-here.slope >= core_force || here.energy >= core_energy)) {
      begin_core(r, here);
      if (is_exact) exact_nm_ = r / step;
      break;
    }
    last_r = r;
    last = here;
  }
  return zero_nm;
}

void PairSum::begin_core(double r, const PairValue& at) {
  core_nm_ = r;
  core_ = at;
  core_force_over_12_ = -at.slope / 12;
}

std::vector<double> PairSum::known_breaks_nm() const {
  std::vector<double> breaks;
  for (const auto& f : functions_) {
    for (const double r : f.breaks_nm()) breaks.push_back(r);
    if (f.cutoff_nm < cutoff_nm_ * (1 - 1e-9)) breaks.push_back(f.cutoff_nm);
  }
  std::ranges::sort(breaks);
  return breaks;
}

std::vector<double> PairSum::kinks_nm(const std::vector<double>& known_nm) const {
  const auto is_unknown = [](const PairFunction& f) { return f.kind == FunctionKind::expression; };
  if (std::ranges::none_of(functions_, is_unknown)) return {};
  // Relative error of the polynomial through the energies between two distances: large with a kink.
  const auto error = [this](double from, double to) {
    const auto at = [&](double t) { return energy(0.5 * (from + to) + 0.5 * t * (to - from)); };
    const auto c = fit<8>(at, -1, 1);
    double largest = 0;
    for (const double t : {-0.96, -0.7, -0.3, 0.0, 0.3, 0.7, 0.96}) {
      const double exact = at(t);
      largest =
          std::max(largest, std::abs(polynomial(c, t) - exact) / std::max(1.0, std::abs(exact)));
    }
    return largest;
  };
  constexpr double suspect = 1e-7, none = 1e-13, narrow = 1e-4;
  const double step = std::exp2(-1.0 / 8);
  std::vector<double> kinks;
  double low = cutoff_nm_;
  while (low > exact_nm_) {
    // A range ends at a known break, which may be a jump.
    double high = low * (1 - 1e-9);
    low = std::max(high * step, exact_nm_);
    const auto known = std::ranges::lower_bound(known_nm, high);
    if (known != known_nm.begin()) low = std::max(low, *(known - 1));
    if (!(error(low, high) > suspect)) continue;
    double from = low, to = high;
    for (int halvings = 0; halvings < 40; ++halvings) {
      const double middle = 0.5 * (from + to);
      const double left = error(from, middle), right = error(middle, to);
      if (std::max(left, right) < none) break;
      (left > right ? to : from) = middle;
    }
    if (to - from < narrow * to) kinks.push_back(refined_kink(0.5 * (from + to)));
  }
  return kinks;
}

double PairSum::refined_kink(double r) const {
  // The polynomials of both sides have equal slopes where only the slope has a kink.
  constexpr double width = 0.02, gap = 1e-3;
  const auto near = [&](double t) { return energy(r * (1 + width * t)); };
  const auto left = fit<8>(near, -1, -gap), right = fit<8>(near, gap, 1);
  std::array<double, 8> change{}, slope{};
  for (std::size_t k = 0; k < 8; ++k) change.at(k) = left.at(k) - right.at(k);
  for (std::size_t k = 1; k < 8; ++k) slope.at(k - 1) = static_cast<double>(k) * change.at(k);
  constexpr double largest_jump = 1e-6, largest_force_jump = 1e-2;
  const double force_jump = std::abs(slope[0]) / (width * r);
  if (std::abs(change[0]) > largest_jump || force_jump > largest_force_jump) refuse(r, "jumps");
  double t = 0;
  for (int steps = 0; steps < 5; ++steps) t -= polynomial(slope, t) / derivative(slope, t);
  return std::abs(t) < gap ? r * (1 + width * t) : r;
}

void PairSum::choose_scales(double zero_nm) {
  auto breaks = known_breaks_nm();
  const auto kinks = kinks_nm(breaks);
  breaks.insert(breaks.end(), kinks.begin(), kinks.end());
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

double PairSum::unevenness(double r) const {
  constexpr double step = 1e-4;
  return std::abs(value(r * (1 + step)).slope + value(r * (1 - step)).slope - 2 * value(r).slope);
}

double PairSum::refined_zero(double r) const {
  double low = r, high = r * std::exp2(1.0 / 32);
  for (int halvings = 0; halvings < 50; ++halvings) {
    const double middle = 0.5 * (low + high);
    (value(middle).slope < 0 ? low : high) = middle;
  }
  return low;
}

}  // namespace nfold::pair_forms
