// Search of the lags for diffusive growth of the displacement.
// SPDX-License-Identifier: BSD-3-Clause

#include "analysis/diffusion.hpp"

#include <cmath>
#include <cstddef>
#include <optional>

namespace nfold::analysis {
namespace {

class Displacements {
 public:
  Displacements(std::span<const double> lag_ps, std::span<const double> value_nm2,
                std::span<const double> error_nm2)
      : lag_ps_(lag_ps), value_nm2_(value_nm2), error_nm2_(error_nm2) {}

  [[nodiscard]] bool is_known(std::size_t k) const {
    return value_nm2_[k] > 0 && relative_error(k) <= Diffusion::largest_relative_error;
  }
  /// Returns the longest lag of at most half of this one; nothing if it is not known well enough.
  [[nodiscard]] std::optional<std::size_t> find_half_lag(std::size_t last) const {
    std::size_t end = last;
    while (end > 0 && 2 * lag_ps_[end - 1] > lag_ps_[last]) --end;
    return end > 0 && is_known(end - 1) ? std::optional(end - 1) : std::nullopt;
  }
  [[nodiscard]] Diffusion between(std::size_t first, std::size_t last) const {
    Diffusion found;
    const double octaves = std::log(lag_ps_[last] / lag_ps_[first]);
    found.exponent = std::log(value_nm2_[last] / value_nm2_[first]) / octaves;
    const double tolerance = Diffusion::tolerance_of_exponent +
                             std::hypot(relative_error(first), relative_error(last)) / octaves;
    if (std::abs(found.exponent - 1) > tolerance) return found;
    const double six_times = 6 * (lag_ps_[last] - lag_ps_[first]);
    found.coefficient = (value_nm2_[last] - value_nm2_[first]) / six_times;
    found.error = std::hypot(error_nm2_[first], error_nm2_[last]) / six_times;
    return found;
  }

 private:
  [[nodiscard]] double relative_error(std::size_t k) const { return error_nm2_[k] / value_nm2_[k]; }

  std::span<const double> lag_ps_, value_nm2_, error_nm2_;
};

}  // namespace

Diffusion diffusion(std::span<const double> lag_ps, std::span<const double> value_nm2,
                    std::span<const double> error_nm2) {
  const Displacements all(lag_ps, value_nm2, error_nm2);
  std::size_t end = lag_ps.size();
  while (end > 0 && !all.is_known(end - 1)) --end;
  Diffusion found;
  for (; end > 0 && all.is_known(end - 1); --end) {
    const auto half = all.find_half_lag(end - 1);
    if (!half) break;
    const auto shorter = all.between(*half, end - 1);
    if (std::isnan(found.exponent)) found = shorter;
    if (std::isnan(shorter.coefficient)) break;
    if (shorter.error <= found.error) found = {found.exponent, shorter.coefficient, shorter.error};
  }
  return found;
}

}  // namespace nfold::analysis
