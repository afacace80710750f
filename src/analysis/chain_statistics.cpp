// Sums over conformations, and averages with errors from them.
// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/chain_statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <utility>

#include "analysis/blocked_sums.hpp"
#include "analysis/sampling_limits.hpp"

namespace nfold::analysis {
namespace {

constexpr double quantum = 0x1p-24, value_not_known = std::numeric_limits<double>::quiet_NaN();
const SampledEstimate estimate_not_known{value_not_known, value_not_known, value_not_known};

/// Columns of a row before the squared distances. Invariants of the gyration tensor: first = Rg^2,
/// second = sum of its principal minors.
enum Column : std::size_t {
  count,
  end_to_end,
  end_to_end_squared,
  inverse_distance,
  inverse_distance_squared,
  anisotropy,
  anisotropy_squared,
  first_invariant_squared,
  second_invariant,
  distances
};

/// Exponent and prefactor of r_s = prefactor s^exponent by least squares, s ascending from
/// `first`.
struct PowerLaw {
  double exponent, prefactor;
};
PowerLaw fit_power_law(std::span<const double> r, int first) {
  std::vector<double> log_s;
  log_s.reserve(r.size());
  for (std::size_t k = 0; k < r.size(); ++k) {
    log_s.push_back(std::log(static_cast<double>(first) + static_cast<double>(k)));
  }
  // The prefactor follows from the exponent; the sum of squares has one minimum.
  const auto fit = [&](double exponent) {
    double products = 0, squares = 0, all = 0;
    for (std::size_t k = 0; k < r.size(); ++k) {
      const double power = std::exp(exponent * log_s[k]);
      products += power * r[k];
      squares += power * power;
      all += r[k] * r[k];
    }
    return std::pair(products / squares, all - products * products / squares);
  };
  constexpr double golden = 0.6180339887498949, tolerance = 1e-7;
  double low = 0, high = 1.5;
  double left = high - golden * (high - low), right = low + golden * (high - low);
  double at_left = fit(left).second, at_right = fit(right).second;
  while (high - low > tolerance) {
    if (at_left < at_right) {
      high = std::exchange(right, left);
      at_right = std::exchange(at_left, 0);
      left = high - golden * (high - low);
      at_left = fit(left).second;
    } else {
      low = std::exchange(left, right);
      at_left = std::exchange(at_right, 0);
      right = low + golden * (high - low);
      at_right = fit(right).second;
    }
  }
  const double exponent = 0.5 * (low + high);
  return {exponent, fit(exponent).first};
}

}  // namespace

ChainStatistics::ChainStatistics(const topology::Topology& topology)
    : columns_(distances + topology.residues.size() - 1),
      sums_(most_blocks * groups * columns_, 0),
      row_(columns_) {
  if (topology.chains.size() != 1 || topology.residues.size() < 2) {
    throw std::invalid_argument("statistics of one chain for another system");
  }
  for (const auto& residue : topology.residues) mass_.push_back(residue.mass_amu);
}

/// Computes row_.
void ChainStatistics::compute_row(std::span<const Point> x_nm) {
  const std::size_t n = mass_.size();
  // Relative to the first residue, so that a chain far from the origin loses no digits.
  std::vector<Point> x(n);
  Point centre{};
  double mass = 0;
  for (std::size_t i = 0; i < n; ++i) {
    mass += mass_[i];
    for (std::size_t k = 0; k < 3; ++k) {
      x[i][k] = x_nm[i][k] - x_nm[0][k];
      centre[k] += mass_[i] * x[i][k];
    }
  }
  for (double& c : centre) c /= mass;
  double xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double m = mass_[i] / mass;
    const double a = x[i][0] - centre[0], b = x[i][1] - centre[1], c = x[i][2] - centre[2];
    xx += m * a * a, yy += m * b * b, zz += m * c * c;
    xy += m * a * b, xz += m * a * c, yz += m * b * c;
  }
  const double first = xx + yy + zz;
  const double second = xx * yy + yy * zz + zz * xx - xy * xy - xz * xz - yz * yz;
  double inverse = 0;
  for (std::size_t s = 1; s < n; ++s) {
    double squares = 0;
    for (std::size_t i = 0; i + s < n; ++i) {
      double r2 = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        const double d = x[i + s][k] - x[i][k];
        r2 += d * d;
      }
      squares += r2;
      inverse += 1 / std::sqrt(r2);
    }
    row_[distances + s - 1] = squares / static_cast<double>(n - s);
  }
  const double pairs = 0.5 * static_cast<double>(n) * static_cast<double>(n - 1);
  row_[count] = 1;
  row_[end_to_end_squared] = row_.back();
  row_[end_to_end] = std::sqrt(row_.back());
  row_[inverse_distance] = inverse / pairs;
  row_[inverse_distance_squared] = row_[inverse_distance] * row_[inverse_distance];
  row_[anisotropy] = 1 - 3 * second / (first * first);
  row_[anisotropy_squared] = row_[anisotropy] * row_[anisotropy];
  row_[first_invariant_squared] = first * first;
  row_[second_invariant] = second;
}

std::int64_t ChainStatistics::block_length(std::int64_t times) {
  std::int64_t length = 1;
  while (length * std::int64_t{most_blocks} <= times) length *= 2;
  return length;
}

void ChainStatistics::add(std::int64_t replica, std::span<const Point> x_nm) {
  compute_row(x_nm);
  const auto block = static_cast<std::size_t>(times_ / block_length(times_));
  auto* const sums = &sums_[at(block, static_cast<std::size_t>(replica) % groups)];
  for (std::size_t c = 0; c < columns_; ++c) {
    const auto value = to_fixed_point(row_[c], quantum, "a property of the chain");
    sums[c] = sum_within_range(sums[c], value);
  }
}

void ChainStatistics::end_time() {
  ++times_;
  if (block_length(times_) > block_length(times_ - 1)) join_blocks();
}

/// Joins blocks in pairs.
void ChainStatistics::join_blocks() {
  const std::size_t size = at(1, 0);
  for (std::size_t block = 0; block < most_blocks; ++block) {
    for (std::size_t c = 0; c < size; ++c) {
      auto& sum = sums_[block * size + c];
      sum = 2 * block < most_blocks
                ? sum_within_range(sums_[2 * block * size + c], sums_[(2 * block + 1) * size + c])
                : 0;
    }
  }
}

void ChainStatistics::restore(std::int64_t times, std::vector<std::int64_t> sums) {
  if (sums.size() != sums_.size()) throw std::invalid_argument("sums of another chain");
  times_ = times;
  sums_ = std::move(sums);
}

ChainAverages ChainStatistics::averages(std::int64_t first_time) const {
  std::vector<std::vector<double>> of_group;  // (groups with samples, columns)
  std::vector<double> all(columns_, 0);
  const auto first_block = static_cast<std::size_t>(first_time / block_length(times_));
  for (std::size_t group = 0; group < groups; ++group) {
    std::vector<double> own(columns_, 0);
    for (std::size_t block = first_block; block < most_blocks; ++block) {
      const auto* const sums = &sums_[at(block, group)];
      for (std::size_t c = 0; c < columns_; ++c) own[c] += quantum * static_cast<double>(sums[c]);
    }
    if (own[count] <= 0) continue;
    for (std::size_t c = 0; c < columns_; ++c) all[c] += own[c];
    of_group.push_back(std::move(own));
  }
  // (groups + 1, columns): means of all groups, then of all groups but one.
  std::vector<std::vector<double>> means{all};
  for (const auto& own : of_group) {
    auto& others = means.emplace_back(all);
    for (std::size_t c = 0; c < columns_; ++c) others[c] -= own[c];
  }
  for (auto& one : means) {
    for (std::size_t c = 1; c < columns_; ++c) one[c] /= one[count];
  }
  const bool has_errors = std::ssize(of_group) >= fewest_blocks;
  const auto estimate = [&](const std::function<double(std::span<const double>)>& quantity) {
    SampledEstimate found{quantity(means[0]), value_not_known, value_not_known};
    if (!has_errors) return found;
    double sum = 0, squares = 0;
    for (std::size_t g = 1; g < means.size(); ++g) sum += quantity(means[g]);
    const auto n = static_cast<double>(of_group.size());
    for (std::size_t g = 1; g < means.size(); ++g) {
      const double difference = quantity(means[g]) - sum / n;
      squares += difference * difference;
    }
    found.error = std::sqrt((n - 1) / n * squares);
    return found;
  };
  // Number of independent samples of a column with the column of its squares behind it.
  const auto independent = [&](std::size_t column) {
    const double error = estimate([column](auto mean) { return mean[column]; }).error;
    const double mean = means[0][column];
    return (means[0][column + 1] - mean * mean) / (error * error);
  };
  ChainAverages found{estimate_not_known,
                      estimate_not_known,
                      estimate_not_known,
                      estimate_not_known,
                      estimate_not_known,
                      value_not_known,
                      {},
                      {}};
  if (of_group.empty()) return found;
  found.end_to_end_nm = estimate([](auto mean) { return mean[end_to_end]; });
  found.end_to_end_nm.independent = independent(end_to_end);
  const double off_diagonal = 1 - 1 / static_cast<double>(mass_.size());
  found.hydrodynamic_radius_nm =
      estimate([&](auto mean) { return 1 / (off_diagonal * mean[inverse_distance]); });
  found.hydrodynamic_radius_nm.independent = independent(inverse_distance);
  found.asphericity = estimate(
      [](auto mean) { return 1 - 3 * mean[second_invariant] / mean[first_invariant_squared]; });
  found.shape_anisotropy = estimate([](auto mean) { return mean[anisotropy]; });
  found.shape_anisotropy.independent = independent(anisotropy);
  found.asphericity.independent = found.shape_anisotropy.independent;
  for (std::size_t c = distances; c < columns_; ++c) {
    const auto distance = estimate([c](auto mean) { return std::sqrt(mean[c]); });
    found.distance_nm.push_back(distance.value);
    found.distance_error_nm.push_back(distance.error);
  }
  if (std::ssize(mass_) < fewest_residues_to_fit) return found;
  const auto fit = [](std::span<const double> mean) {
    std::vector<double> r;
    for (const double squared : mean.subspan(distances + first_separation - 1)) {
      r.push_back(std::sqrt(squared));
    }
    return fit_power_law(r, first_separation);
  };
  found.scaling_exponent = estimate([&](auto mean) { return fit(mean).exponent; });
  found.scaling_length_nm = fit(means[0]).prefactor;
  return found;
}

}  // namespace nfold::analysis
