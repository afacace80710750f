// Charge decoration and charge segregation of a chain.
// SPDX-License-Identifier: BSD-3-Clause

#include "analysis/chain_charges.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <vector>

namespace nfold::analysis {
namespace {

using Signs = std::vector<signed char>;

/// (f+ - f-)^2 / (f+ + f-) of so many charges of each sign among n residues.
double charge_asymmetry(double positive, double negative, double n) {
  const double charged = positive + negative, net = positive - negative;
  return charged == 0 ? 0 : net * net / (charged * n);
}

/// Mean squared deviation of the asymmetry of all pieces of consecutive residues from that of the
/// chain; mean over pieces of 5 and of 6 residues.
double asymmetry_variance(const Signs& signs) {
  const auto count = [&](auto first, auto last, int sign) {
    return static_cast<double>(std::count(first, last, static_cast<signed char>(sign)));
  };
  const auto n = static_cast<double>(signs.size());
  const double whole = charge_asymmetry(count(signs.begin(), signs.end(), 1),
                                        count(signs.begin(), signs.end(), -1), n);
  double mean = 0;
  for (const std::ptrdiff_t piece : {5, 6}) {
    double sum = 0, pieces = 0;
    for (auto first = signs.begin(); signs.end() - first >= piece; ++first, ++pieces) {
      const auto last = first + piece;
      const double own = charge_asymmetry(count(first, last, 1), count(first, last, -1),
                                          static_cast<double>(piece));
      sum += (own - whole) * (own - whole);
    }
    mean += sum / pieces / 2;
  }
  return mean;
}

/// Largest asymmetry_variance() of chains with these charges in one block of each sign. Many
/// neutral residues stand between the blocks, few at any place.
double largest_asymmetry_variance(const Signs& signs) {
  const auto positive = static_cast<std::size_t>(std::ranges::count(signs, 1));
  const auto negative = static_cast<std::size_t>(std::ranges::count(signs, -1));
  const std::size_t neutral = signs.size() - positive - negative;
  constexpr std::size_t many = 18, longest_end = 6;
  const std::size_t most = neutral >= many ? longest_end : neutral;
  double largest = 0;
  for (std::size_t before = 0; before <= most; ++before) {
    for (std::size_t after = 0; after <= std::min(most, neutral - before); ++after) {
      Signs blocks(signs.size(), 0);
      std::fill_n(blocks.begin() + static_cast<std::ptrdiff_t>(before), positive,
                  static_cast<signed char>(1));
      std::fill_n(blocks.rbegin() + static_cast<std::ptrdiff_t>(after), negative,
                  static_cast<signed char>(-1));
      largest = std::max(largest, asymmetry_variance(blocks));
    }
  }
  return largest;
}

double charge_segregation(const std::vector<double>& charges) {
  constexpr double least = 0.5;  // a histidine at a pH above its pKa counts for none
  constexpr std::size_t fewest_residues = 6;
  Signs signs;
  for (const double q : charges) {
    signs.push_back(static_cast<signed char>(q >= least ? 1 : (q <= -least ? -1 : 0)));
  }
  const bool has_both = std::ranges::count(signs, 1) > 0 && std::ranges::count(signs, -1) > 0;
  if (!has_both || signs.size() < fewest_residues) return std::numeric_limits<double>::quiet_NaN();
  return asymmetry_variance(signs) / largest_asymmetry_variance(signs);
}

}  // namespace

ChainCharges chain_charges(const topology::Topology& topology) {
  std::vector<double> q;
  for (const auto& residue : topology.residues) q.push_back(residue.charge_e);
  const auto n = static_cast<double>(q.size());
  ChainCharges charges{.kappa = charge_segregation(q)};
  for (std::size_t j = 0; j < q.size(); ++j) {
    charges.net += q[j];
    (q[j] > 0 ? charges.positive : charges.negative) += std::abs(q[j]) / n;
    for (std::size_t i = 0; i < j && q[j] != 0; ++i) {
      charges.decoration += q[i] * q[j] * std::sqrt(static_cast<double>(j - i)) / n;
    }
  }
  return charges;
}

}  // namespace nfold::analysis
