// Fractions of the budget and parameters of the stages.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/ensemble/folding_protocol.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "estimate/layouts.hpp"
#include "estimate/machine.hpp"
#include "system/units.hpp"

namespace nfold::ensemble {
namespace {

// Replicas that fill a GPU: each of the 132 multiprocessors of an H200 has a group of 1, 2, 4 or 8,
// about 600 residues. More would only shorten the time of each replica, and the number of times
// that each folds counts; a few more would need a second round of groups.
constexpr std::int64_t multiprocessors = 132, residues_each = 608;
constexpr std::int64_t fewest_steps = 20'000, most_steps = 100'000'000'000'000, step_unit = 500;
// More samples would be correlated, and files large.
constexpr std::int64_t most_samples = 500;

std::int64_t most_replicas(const SystemSize& size, int temperatures) {
  if (!size.is_resident) return 2 * std::int64_t{temperatures};
  std::int64_t group = 8;
  while (group > 1 && group * size.residues > residues_each) group /= 2;
  return multiprocessors * group;
}

struct Shape {
  double share;  // fraction of the budget
  int temperatures, fewest_temperatures;
  int unit;            // number of ladders is a multiple of it
  int fewest_ladders;  // smallest number with useful steps
  int least_ladders;   // smallest number with the fewest steps
  // Bounds of the temperatures, relative to epsilon/k_B (scan), to the scan's melting temperature,
  // which lies above the folding temperature (ladder), or to the folding temperature (kinetics).
  double lowest, highest;
  bool exchanges;
};
Shape stage_shape(Stage stage, std::int64_t residues) {
  switch (stage) {
    case Stage::scan:
      return {0.08, 24, 12, 1, 1, 1, 0.6, 1.8, false};
    case Stage::ladder: {
      // Energies of neighbours overlap equally if the number of temperatures grows with the root of
      // the size: ubiquitin's 12 exchange in 7 of 10 attempts; two thirds of them would in half.
      const double wanted = 12 * std::sqrt(static_cast<double>(residues) / 76);
      const auto temperatures = static_cast<int>(std::clamp(wanted, 12.0, 64.0));
      // Ladders start from both ends, in pairs.
      return {0.72, temperatures, 2 * temperatures / 3, 2, 2, 2, 0.80, 1.08, true};
    }
    case Stage::kinetics:
      break;
  }
  return {0.20, 1, 1, 1, 16, 4, 0.85, 0.85, false};
}

const estimate::MachineTable& budget_machine() {
  static const auto table = estimate::builtin_machine(estimate::default_machine).speeds;
  return table;
}

/// Returns the sampling interval: step_unit, doubled as often as needed. Steps can be rounded to a
/// multiple of it without changing it.
std::int64_t sample_every(std::int64_t steps) {
  std::int64_t every = step_unit;
  while (every * most_samples < steps) every *= 2;
  return every;
}

}  // namespace

double budget_gpu_seconds(std::int64_t residues) {
  if (residues < 100) return 10;
  if (residues <= 500) return 300;
  return residues <= 2000 ? 7200 : 86'400;
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

double stage_share(Stage stage) { return stage_shape(stage, 1).share; }

std::int64_t useful_steps(std::int64_t residues) {
  // Steps of 10 fs, at 0.85 of the folding temperature: src/README.md has the measurement.
  constexpr double residues_measured = 222, steps_measured = 750'000, power = 2.4;
  const double steps =
      steps_measured * std::pow(static_cast<double>(residues) / residues_measured, power);
  return std::max(fewest_steps,
                  static_cast<std::int64_t>(std::min(steps, 1e12)) / step_unit * step_unit);
}

FoldingProtocol::FoldingProtocol(const SystemSize& size, double budget_gpu_seconds)
    : size_(size), budget_seconds_(budget_gpu_seconds) {
  // A stage whose fraction is less than its minimum takes the rest from the others.
  double left = budget_seconds_, shares = 0;
  std::array<bool, all_stages.size()> has_least{};
  for (const auto stage : all_stages) shares += stage_share(stage);
  for (bool any = true; any;) {
    any = false;
    for (const auto stage : all_stages) {
      auto& is_least = has_least.at(static_cast<std::size_t>(stage));
      const auto least = smallest_part(stage);
      const double needs = estimate_seconds(stage, least);
      if (is_least || needs <= stage_share(stage) * left / shares) continue;
      part(stage) = least;
      any = is_least = true;
      left = std::max(0.0, left - needs);
      shares -= stage_share(stage);
    }
  }
  for (const auto stage : all_stages) {
    if (has_least.at(static_cast<std::size_t>(stage))) continue;
    part(stage) = best_within(stage, stage_share(stage) * left / shares);
  }
}

estimate::TargetPart FoldingProtocol::target_part(Stage stage, const Part& part) const {
  estimate::TargetPart estimated_part;
  estimated_part.replicas = std::int64_t{part.ladders} * part.temperatures;
  estimated_part.steps = part.steps;
  estimated_part.samples = part.steps / sample_every(part.steps);
  estimated_part.energy_gathers = stage_shape(stage, size_.residues).exchanges
                                      ? part.steps / step_unit
                                      : estimated_part.samples;
  estimated_part.temperatures = part.temperatures;
  estimated_part.counts_contacts = stage == Stage::ladder;
  return estimated_part;
}

/// Returns the work without parts.
estimate::TargetWork FoldingProtocol::system_work() const {
  return {size_.residues, size_.terms, true, size_.is_resident, {}, size_.repulsion_nm};
}

estimate::TargetWork FoldingProtocol::work() const {
  auto work = system_work();
  for (const auto stage : all_stages) work.parts.push_back(target_part(stage, part(stage)));
  return work;
}

double FoldingProtocol::estimate_seconds(Stage stage, const Part& part) const {
  auto work = system_work();
  work.parts.push_back(target_part(stage, part));
  return estimate::work_seconds(work, budget_machine(), {0, 1, 0}, estimate::Backend::gpu, 1).all();
}

FoldingProtocol::Part FoldingProtocol::smallest_part(Stage stage) const {
  const auto shape = stage_shape(stage, size_.residues);
  return {shape.fewest_temperatures, shape.least_ladders, fewest_steps};
}

FoldingProtocol::Part FoldingProtocol::with_steps(Stage stage, Part part, double seconds) const {
  std::int64_t pays = fewest_steps / step_unit, too_many = most_steps / step_unit;
  while (too_many - pays > 1) {
    const auto tried = pays + (too_many - pays) / 2;
    part.steps = step_unit * tried;
    (estimate_seconds(stage, part) <= seconds ? pays : too_many) = tried;
  }
  part.steps = step_unit * pays;
  const auto every = sample_every(part.steps);
  part.steps = part.steps / every * every;
  return part;
}

FoldingProtocol::Part FoldingProtocol::best_within(Stage stage, double seconds) const {
  const auto shape = stage_shape(stage, size_.residues);
  const auto useful = useful_steps(size_.residues);
  const auto with = [&](int temperatures, std::int64_t units) {
    return with_steps(stage, {temperatures, static_cast<int>(shape.unit * units), 0}, seconds);
  };
  // The largest number of ladders that leaves each the useful steps.
  std::int64_t fewest = shape.fewest_ladders / shape.unit;
  std::int64_t most = std::max(fewest, most_replicas(size_, shape.temperatures) /
                                           (std::int64_t{shape.unit} * shape.temperatures));
  while (fewest < most) {
    const auto tried = most - (most - fewest) / 2;
    if (with(shape.temperatures, tried).steps >= useful) {
      fewest = tried;
    } else {
      most = tried - 1;
    }
  }
  auto best = with(shape.temperatures, fewest);
  for (int temperatures = shape.temperatures;
       best.steps < useful && temperatures >= shape.fewest_temperatures; --temperatures) {
    best = with(temperatures, fewest);
  }
  // Accepts fewer steps than useful, to stay within the seconds.
  for (auto units = fewest;
       units > shape.least_ladders / shape.unit && estimate_seconds(stage, best) > seconds;) {
    best = with(shape.fewest_temperatures, --units);
  }
  return best;
}

StageParameters FoldingProtocol::stage_parameters(Stage stage, double kelvin) const {
  const auto shape = stage_shape(stage, size_.residues);
  const auto& one = part(stage);
  const double unit_kelvin =
      stage == Stage::scan ? size_.epsilon_kj_mol / system::k_boltzmann : kelvin;
  StageParameters plan;
  plan.temperatures = one.temperatures;
  plan.ladders = one.ladders;
  plan.lowest_kelvin = shape.lowest * unit_kelvin;
  plan.highest_kelvin = shape.highest * unit_kelvin;
  plan.steps = one.steps;
  plan.sample_every_steps = sample_every(one.steps);
  plan.exchange_every_steps = shape.exchanges ? step_unit : 0;
  if (stage != Stage::kinetics) {
    const auto samples = one.steps / plan.sample_every_steps;
    plan.equilibration_steps = std::max<std::int64_t>(1, samples / 3) * plan.sample_every_steps;
  }
  return plan;
}

double FoldingProtocol::predicted_seconds(Stage stage) const {
  return estimate_seconds(stage, part(stage));
}

double FoldingProtocol::predicted_seconds() const {
  double seconds = 0;
  for (const auto stage : all_stages) seconds += predicted_seconds(stage);
  return seconds;
}

std::string FoldingProtocol::describe() const {
  std::string text;
  for (const auto stage : all_stages) {
    const auto& one = part(stage);
    const auto shape = one.temperatures == 1
                           ? fmt::format("{} replicas", one.ladders)
                           : fmt::format("{} x {} temperatures", one.ladders, one.temperatures);
    text += fmt::format("{}{} {}, {:.4g} steps, {}", text.empty() ? "" : "; ", stage_name(stage),
                        shape, static_cast<double>(one.steps),
                        estimate::format_time_span(predicted_seconds(stage)));
  }
  const double all = predicted_seconds();
  constexpr double more = 1.1;
  const auto least = all > more * budget_seconds_ ? ", the least that it can be" : "";
  return fmt::format("budget {} of an H200, predicted {}{}: {}",
                     estimate::format_time_span(budget_seconds_), estimate::format_time_span(all),
                     least, text);
}

}  // namespace nfold::ensemble
