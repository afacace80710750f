// MBAR by Newton's method, and autocorrelation.
// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/reweighting.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "analysis/frame.hpp"

namespace nfold::analysis {
namespace {

constexpr int most_iterations = 200;
constexpr std::size_t samples_per_part = 1024, numbers_of_parts = std::size_t{1} << 21U;

/// Returns ln sum exp, without overflow.
double log_sum(std::span<const double> values) {
  const double largest = *std::max_element(values.begin(), values.end());
  if (!std::isfinite(largest)) return largest;
  double sum = 0;
  for (const double v : values) sum += std::exp(v - largest);
  return largest + std::log(sum);
}

/// Solves the symmetric positive system a x = b of n unknowns by Cholesky factorisation, in place.
/// Returns false if it is not positive.
bool solve_symmetric(std::vector<double>& a, std::vector<double>& b, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = j; i < n; ++i) {
      double sum = a[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
      if (i == j) {
        if (!(sum > 0)) return false;
        a[j * n + j] = std::sqrt(sum);
      } else {
        a[i * n + j] = sum / a[j * n + j];
      }
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i * n + k] * b[k];
    b[i] /= a[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= a[k * n + i] * b[k];
    b[i] /= a[i * n + i];
  }
  return true;
}

void add(const std::vector<double>& part, std::vector<double>& to) {
  for (std::size_t k = 0; k < to.size(); ++k) to[k] += part[k];
}

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(what);
}

}  // namespace

void run_sequentially(std::size_t items, const std::function<void(std::size_t k)>& item) {
  for (std::size_t k = 0; k < items; ++k) item(k);
}

Reweighting::Reweighting(SampledStates states, std::vector<double> start, const Loop& loop)
    : states_(std::move(states)), free_energy_(std::move(start)) {
  require(states_.features > 0 && states_.states() > 0 && states_.samples() > 0,
          "reweighting needs states and samples");
  require(states_.coefficient.size() == states_.states() * states_.features &&
              states_.feature.size() % states_.features == 0,
          "the tables of reweighting have unequal sizes");
  require(std::all_of(states_.count.begin(), states_.count.end(),
                      [](double n) { return n > 0 && std::isfinite(n); }),
          "reweighting needs samples of every state");
  const auto is_finite = [](double x) { return std::isfinite(x); };
  require(std::all_of(states_.feature.begin(), states_.feature.end(), is_finite) &&
              std::all_of(states_.coefficient.begin(), states_.coefficient.end(), is_finite),
          "reweighting needs finite numbers");
  if (free_energy_.size() != states_.states()) guess(loop);
  solve(loop);
}

double Reweighting::reduced(std::span<const double> coefficient, std::size_t sample) const {
  double u = 0;
  for (std::size_t f = 0; f < states_.features; ++f) {
    u += coefficient[f] * states_.feature[sample * states_.features + f];
  }
  return u;
}
double Reweighting::reduced(std::size_t state, std::size_t sample) const {
  return reduced(std::span(states_.coefficient).subspan(state * states_.features, states_.features),
                 sample);
}

double Reweighting::share() const {
  double total = 0;
  for (const double n : states_.count) total += n;
  return total / static_cast<double>(states_.samples());
}

std::vector<double> Reweighting::log_weights(std::span<const double> coefficient) const {
  std::vector<double> w(states_.samples());
  for (std::size_t n = 0; n < w.size(); ++n) w[n] = -reduced(coefficient, n) - log_denominator_[n];
  return w;
}

/// Convex function minimised by the free energies, in units of samples, with its gradient sum_n
/// p_nk - N_k and its Hessian diag(sum p) - sum p p^T (lower triangle).
struct Reweighting::Objective {
  double value = 0;
  std::vector<double> gradient, hessian;
};

Reweighting::Objective Reweighting::objective(const Loop& loop) {
  const std::size_t count = states_.states(), samples = states_.samples();
  log_denominator_.resize(samples);
  // The number of partial sums does not depend on the loop. It is limited for many states, as each
  // takes memory.
  const std::size_t most_parts = std::max<std::size_t>(1, numbers_of_parts / (count * count));
  const std::size_t parts = std::clamp<std::size_t>(samples / samples_per_part, 1, most_parts);
  std::vector<Objective> part(parts);
  loop(parts, [&](std::size_t k) {
    add_samples(samples * k / parts, samples * (k + 1) / parts, part[k]);
  });
  Objective found = std::move(part.front());
  for (std::size_t k = 1; k < parts; ++k) {
    found.value += part[k].value;
    add(part[k].gradient, found.gradient);
    add(part[k].hessian, found.hessian);
  }
  for (std::size_t k = 0; k < count; ++k) {
    found.value -= states_.count[k] * free_energy_[k];
    found.gradient[k] -= states_.count[k];
  }
  return found;
}

/// Adds the terms of these samples, without those that depend on the states only.
void Reweighting::add_samples(std::size_t first, std::size_t last, Objective& to) {
  const std::size_t count = states_.states();
  const double share_of_one = share();
  std::vector<double> offset(count), p(count);
  for (std::size_t k = 0; k < count; ++k) offset[k] = std::log(states_.count[k]) + free_energy_[k];
  to.gradient.assign(count, 0);
  to.hessian.assign(count * count, 0);
  for (std::size_t n = first; n < last; ++n) {
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < count; ++k) {
      p[k] = offset[k] - reduced(k, n);
      largest = std::max(largest, p[k]);
    }
    double sum = 0;
    for (double& x : p) sum += x = std::exp(x - largest);
    log_denominator_[n] = largest + std::log(sum);
    to.value += share_of_one * log_denominator_[n];
    for (double& x : p) x /= sum;
    for (std::size_t k = 0; k < count; ++k) {
      const double weight = share_of_one * p[k];
      if (weight < 1e-14) continue;
      to.gradient[k] += weight;
      double* const row = to.hessian.data() + k * count;
      row[k] += weight;
      for (std::size_t l = 0; l <= k; ++l) row[l] -= weight * p[l];
    }
  }
}

void Reweighting::guess(const Loop& loop) {
  const std::size_t count = states_.states();
  free_energy_.assign(count, 0);
  // Differences from the medians of the reduced energies.
  loop(count, [&](std::size_t k) {
    std::vector<double> energy(states_.samples());
    for (std::size_t n = 0; n < energy.size(); ++n) energy[n] = reduced(k, n);
    const auto middle = energy.begin() + static_cast<std::ptrdiff_t>(energy.size() / 2);
    std::nth_element(energy.begin(), middle, energy.end());
    free_energy_[k] = *middle;
  });
  for (std::size_t k = count; k-- > 0;) free_energy_[k] -= free_energy_[0];
}

void Reweighting::solve(const Loop& loop) {
  const std::size_t count = states_.states();
  const double total = share() * static_cast<double>(states_.samples());
  Objective now = objective(loop);
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    double largest = 0;
    for (std::size_t k = 0; k < count; ++k) {
      largest = std::max(largest, std::abs(now.gradient[k]) / states_.count[k]);
    }
    if (count == 1 || largest < 1e-9) return;
    // f_0 stays 0.
    const std::size_t free = count - 1;
    std::vector<double> a(free * free), step(free);
    for (std::size_t i = 0; i < free; ++i) {
      step[i] = now.gradient[i + 1];
      for (std::size_t j = 0; j <= i; ++j) a[i * free + j] = now.hessian[(i + 1) * count + j + 1];
      a[i * free + i] += 1e-12 * total;
    }
    if (!solve_symmetric(a, step, free)) {
      for (std::size_t i = 0; i < free; ++i) step[i] = now.gradient[i + 1] / states_.count[i + 1];
    }
    const auto before = free_energy_;
    const double value = now.value;
    bool improved = false;
    for (double scale = 1; scale > 1e-9 && !improved; scale *= 0.5) {
      for (std::size_t i = 0; i < free; ++i) {
        free_energy_[i + 1] = before[i + 1] - scale * std::clamp(step[i], -50.0, 50.0);
      }
      now = objective(loop);
      improved = now.value <= value + 1e-12 * std::abs(value);
    }
    // Converged to the rounding error.
    if (!improved && largest < 1e-6) {
      free_energy_ = before;
      (void)objective(loop);
      return;
    }
  }
  throw AnalysisError(
      "the free energies of the states do not converge: neighbours share too few "
      "samples; take more temperatures or a longer run");
}

double Reweighting::free_energy(std::span<const double> coefficient) const {
  return -log_sum(log_weights(coefficient)) - std::log(share());
}

std::vector<double> Reweighting::weights(std::span<const double> coefficient) const {
  auto w = log_weights(coefficient);
  const double total = log_sum(w);
  for (double& x : w) x = std::exp(x - total);
  return w;
}

std::vector<double> Reweighting::overlap() const {
  const std::size_t count = states_.states();
  std::vector<double> sums(count * count, 0), weight(count);
  const double share_of_one = share();
  for (std::size_t n = 0; n < states_.samples(); ++n) {
    for (std::size_t k = 0; k < count; ++k) {
      weight[k] = std::exp(free_energy_[k] - reduced(k, n) - log_denominator_[n]);
    }
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t l = 0; l < count; ++l) {
        sums[k * count + l] += share_of_one * weight[k] * weight[l] * states_.count[l];
      }
    }
  }
  return sums;
}

double mean_of(std::span<const double> series) {
  double sum = 0;
  for (const double x : series) sum += x;
  return sum / static_cast<double>(series.size());
}

double squares_about(std::span<const double> series, double mean) {
  double sum = 0;
  for (const double x : series) sum += (x - mean) * (x - mean);
  return sum;
}

double statistical_inefficiency(std::span<const double> series) {
  const std::size_t count = series.size();
  if (count < 3) return 1;
  const double mean = mean_of(series);
  const double variance = squares_about(series, mean) / static_cast<double>(count);
  if (!(variance > 0)) return 1;
  double g = 1;
  for (std::size_t lag = 1; lag + 1 < count; ++lag) {
    double sum = 0;
    for (std::size_t n = 0; n + lag < count; ++n) {
      sum += (series[n] - mean) * (series[n + lag] - mean);
    }
    const double correlation = sum / (static_cast<double>(count - lag) * variance);
    if (correlation <= 0) break;
    g += 2 * correlation * (1 - static_cast<double>(lag) / static_cast<double>(count));
  }
  return std::max(g, 1.0);
}

}  // namespace nfold::analysis
