// Shares of the budget and shapes of the parts.
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/folding_protocol.hpp"

#include <algorithm>
#include <cmath>

#include "system/units.hpp"

namespace nfold::ensemble {
namespace {

// Replicas that fill a GPU: each of an H200's 132 multiprocessors has a group of 1, 2, 4 or 8,
// about 600 residues. More would only shorten each one's time, and what counts is how often each
// folds; a few more would make a second round of groups.
constexpr std::int64_t multiprocessors = 132, residues_each = 608;
constexpr std::int64_t fewest_steps = 20'000, step_unit = 500;

std::int64_t most_replicas(const SystemSize& size, int temperatures) {
  if (!size.is_resident) return 2 * std::int64_t{temperatures};
  std::int64_t group = 8;
  while (group > 1 && group * size.residues > residues_each) group /= 2;
  return multiprocessors * group;
}

struct Shape {
  double share;  // of the budget
  int temperatures;
  // Over epsilon/k_B (scan), the scan's melting temperature, which lies above the folding
  // temperature (ladder), or the folding temperature (kinetics).
  double lowest, highest;
  bool exchanges;
};
Shape shape_of(Stage stage, std::int64_t residues) {
  switch (stage) {
    case Stage::scan:
      return {0.08, 24, 0.6, 1.8, false};
    case Stage::ladder: {
      // Energies of neighbours overlap alike if there are as many as the root of the size asks for:
      // ubiquitin's 12 trade in 7 of 10 attempts.
      const double wanted = 12 * std::sqrt(static_cast<double>(residues) / 76);
      return {0.72, static_cast<int>(std::clamp(wanted, 12.0, 64.0)), 0.80, 1.08, true};
    }
    case Stage::kinetics:
      break;
  }
  return {0.20, 1, 0.85, 0.85, false};
}

std::int64_t rounded_to(std::int64_t value, std::int64_t unit) {
  return std::max(unit, value / unit * unit);
}

}  // namespace

double budget_gpu_seconds(std::int64_t residues) {
  if (residues < 100) return 10;
  if (residues <= 500) return 300;
  return residues <= 2000 ? 7200 : 86'400;
}

double residue_steps_per_gpu_second(const SystemSize& size) {
  return size.is_resident ? 1e10 : 4e8;
}

const char* stage_name(Stage stage) {
  switch (stage) {
    case Stage::scan:
      return "scan";
    case Stage::ladder:
      return "ladder";
    case Stage::kinetics:
      break;
  }
  return "kinetics";
}

double stage_share(Stage stage) { return shape_of(stage, 1).share; }

StagePlan plan_of(Stage stage, const SystemSize& size, double gpu_seconds, double folding_kelvin) {
  const Shape shape = shape_of(stage, size.residues);
  const double unit_kelvin =
      stage == Stage::scan ? size.epsilon_kj_mol / system::k_boltzmann : folding_kelvin;
  StagePlan plan;
  plan.temperatures = shape.temperatures;
  plan.lowest_kelvin = shape.lowest * unit_kelvin;
  plan.highest_kelvin = shape.highest * unit_kelvin;
  const double replica_steps = shape.share * gpu_seconds * residue_steps_per_gpu_second(size) /
                               static_cast<double>(std::max<std::int64_t>(1, size.residues));
  const auto wanted = static_cast<std::int64_t>(replica_steps / fewest_steps);
  const std::int64_t most = most_replicas(size, shape.temperatures);
  // Ladders from both ends come in pairs.
  const int unit = stage == Stage::ladder ? 2 : 1;
  const std::int64_t units = std::min(wanted, most) / (std::int64_t{unit} * shape.temperatures);
  plan.ladders = static_cast<int>(unit * std::max<std::int64_t>(1, units));
  const auto replicas = static_cast<double>(plan.ladders) * plan.temperatures;
  // More samples would be correlated, and files large.
  constexpr std::int64_t most_samples = 500;
  plan.steps = rounded_to(
      std::max(fewest_steps, static_cast<std::int64_t>(replica_steps / replicas)), step_unit);
  plan.sample_every_steps =
      std::max<std::int64_t>(step_unit, rounded_to(plan.steps / most_samples, step_unit));
  plan.steps = rounded_to(plan.steps, plan.sample_every_steps);
  plan.exchange_every_steps = shape.exchanges ? step_unit : 0;
  plan.equilibration_steps =
      stage == Stage::kinetics ? 0 : rounded_to(plan.steps / 3, plan.sample_every_steps);
  return plan;
}

}  // namespace nfold::ensemble
