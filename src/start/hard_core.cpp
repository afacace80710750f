// The hard core of each pair of types, from the short-range potential.
// SPDX-License-Identifier: BSD-3-Clause

#include "start/hard_core.hpp"

#include <algorithm>
#include <cmath>

namespace nfold::start {
namespace {

constexpr double repulsion_factor = 1.2;  // of sigma: there the repulsion is 0.11 epsilon
constexpr double default_sigma_nm = 0.4;  // for a model without repulsion

double distance_nm(const topology::ShortRange& form, int a, int b, double fraction) {
  switch (form.form) {
    case topology::ShortRangeForm::ashbaugh_hatch: {
      const auto& sigma = form.type_sigma_nm;
      return fraction * 0.5 *
             (sigma[static_cast<std::size_t>(a)] + sigma[static_cast<std::size_t>(b)]);
    }
    case topology::ShortRangeForm::wang_frenkel: {
      const auto& pair = form.pair(a, b);
      if (pair.mu <= 2) return fraction * pair.sigma_nm;
      // mu 4 or 11: the same (sigma/r)^(2 mu), by square roots, which have the same bits anywhere.
      double root = std::sqrt(fraction);
      if (pair.mu > 4) root = std::sqrt(std::sqrt(root));  // 8 is on the safe side of 11 / 2
      return root * pair.sigma_nm;
    }
    case topology::ShortRangeForm::repulsion_12:
      break;
  }
  return fraction * repulsion_factor * (form.sigma_nm > 0 ? form.sigma_nm : default_sigma_nm);
}

}  // namespace

HardCore::HardCore(const topology::Topology& topology, double fraction) {
  int last_type = 0;
  for (const auto& residue : topology.residues) last_type = std::max(last_type, residue.type);
  types_ = static_cast<std::size_t>(last_type) + 1;
  squared_.reserve(types_ * types_);
  for (int a = 0; a <= last_type; ++a) {
    for (int b = 0; b <= last_type; ++b) {
      const double distance = distance_nm(topology.short_range, a, b, fraction);
      largest_nm_ = std::max(largest_nm_, distance);
      squared_.push_back(distance * distance);
    }
  }
}

}  // namespace nfold::start
