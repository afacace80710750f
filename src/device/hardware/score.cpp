// Scores of devices.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/hardware/score.hpp"

#include <algorithm>

#include "device/hardware/health.hpp"

namespace nfold::hardware {
namespace {

struct Reference {
  int units, clock_mhz;
};
constexpr Reference h100{132, 1980}, cores_of_h200{960, 3700};

double score_against(const Reference& reference, std::optional<int> units,
                     std::optional<int> clock_mhz) {
  const double units_share = static_cast<double>(units.value_or(0)) / reference.units;
  const double clock_share =
      static_cast<double>(clock_mhz.value_or(reference.clock_mhz)) / reference.clock_mhz;
  return 100 * units_share * clock_share;
}

double left_by_others(double score, std::optional<double> use) {
  return score * (1 - std::clamp(use.value_or(0), 0.0, 1.0));
}

double clock_share(const Gpu& gpu) {
  if (describe_throttling(gpu).empty() || !gpu.clock_mhz || gpu.most_clock_mhz.value_or(0) <= 0)
    return 1;
  return std::min(1.0, static_cast<double>(*gpu.clock_mhz) / *gpu.most_clock_mhz);
}

}  // namespace

double score_of(const Gpu& gpu) {
  return score_against(h100, gpu.compute_units, gpu.most_clock_mhz);
}
double score_of(const Cpu& cpu) {
  return score_against(cores_of_h200, cpu.cores, cpu.most_clock_mhz);
}

double available_score(const Gpu& gpu) {
  return left_by_others(score_of(gpu) * clock_share(gpu), gpu.utilisation);
}
double available_score(const Cpu& cpu) { return left_by_others(score_of(cpu), cpu.utilisation); }

}  // namespace nfold::hardware
