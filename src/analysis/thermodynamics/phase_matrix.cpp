// Phase-locking means from integer sums.
// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/thermodynamics/phase_matrix.hpp"

#include <limits>
#include <stdexcept>

#include "replicas/replica_observer.hpp"

namespace nfold::thermodynamics {

PhaseMatrix phase_matrix(std::span<const std::int64_t> sums, std::int64_t phases) {
  const std::int64_t all = phases + 1;
  const std::int64_t pairs = all * (all + 1) / 2;
  if (static_cast<std::int64_t>(sums.size()) != 4 * pairs) {
    throw std::invalid_argument("sums of another number of phases");
  }
  constexpr double counts_squared = 0x1p32;
  const auto sum = [&](int which, std::int64_t pair) {
    return static_cast<double>(sums[static_cast<std::size_t>(which * pairs + pair)]);
  };
  PhaseMatrix m;
  m.samples = sums[static_cast<std::size_t>(pairs - 1)] >> 32U;
  const double scale = m.samples > 0 ? 1 / (counts_squared * static_cast<double>(m.samples))
                                     : std::numeric_limits<double>::quiet_NaN();
  const auto kept = static_cast<std::size_t>(phases * (phases + 1) / 2);
  for (auto* column : {&m.cosine, &m.sine, &m.sum_cosine, &m.sum_sine}) column->reserve(kept);
  m.order_cosine.reserve(static_cast<std::size_t>(phases));
  m.order_sine.reserve(static_cast<std::size_t>(phases));
  for (std::int64_t i = 0; i < phases; ++i) {
    for (std::int64_t j = i; j < phases; ++j) {
      const auto p = replicas::phase_pair_index(i, j, all);
      const double cos_cos = sum(0, p), sin_sin = sum(1, p), cos_sin = sum(2, p),
                   sin_cos = sum(3, p);
      m.cosine.push_back((cos_cos + sin_sin) * scale);
      m.sine.push_back((sin_cos - cos_sin) * scale);
      m.sum_cosine.push_back((cos_cos - sin_sin) * scale);
      m.sum_sine.push_back((cos_sin + sin_cos) * scale);
    }
    const auto with_one = replicas::phase_pair_index(i, phases, all);
    m.order_cosine.push_back(sum(0, with_one) * scale);
    m.order_sine.push_back(sum(3, with_one) * scale);
  }
  return m;
}

}  // namespace nfold::thermodynamics
