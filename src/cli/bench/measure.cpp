// Timers around Engine::advance(), between barriers.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/bench/measure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "device/device_memory.hpp"
#include "device/hardware/processor_time.hpp"
#include "session/job/collective_work.hpp"
#include "session/run/repartition.hpp"

namespace nfold::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Collective. Returns the number of steps that take about `seconds` on the slowest rank. Advances:
/// an engine or a set of replicas.
template <class Advances>
std::int64_t steps_for(const comm::Communicator& communicator, Advances& engine, double seconds) {
  std::int64_t steps = 64;
  while (true) {
    const auto start = Clock::now();
    engine.advance(steps);
    const auto microseconds = static_cast<std::int64_t>(seconds_since(start) * 1e6);
    const double taken =
        static_cast<double>(std::max<std::int64_t>(1, communicator.max(microseconds))) * 1e-6;
    if (taken >= 0.1 * seconds || steps > (std::int64_t{1} << 40U)) {
      return std::max<std::int64_t>(1, std::llround(static_cast<double>(steps) * seconds / taken));
    }
    steps *= 2;
  }
}

/// Collective. Times steps between barriers.
template <class Advances>
TimedBlock time_block(const comm::Communicator& communicator, Advances& engine,
                      std::int64_t steps) {
  TimedBlock block;
  block.steps = steps;
  communicator.barrier();
  const double used = hardware::processor_seconds();
  const auto start = Clock::now();
  engine.advance(steps);
  communicator.barrier();
  block.seconds = seconds_since(start);
  block.processor_seconds = hardware::processor_seconds() - used;
  return block;
}

/// Replicas of all ranks. An explosion on one rank fails on all ranks.
struct ReplicasOnRanks {
  const comm::Communicator& communicator;
  replicas::ReplicaSet& replicas;
  void advance(std::int64_t steps) const {
    job::on_all(communicator, [&] { replicas.advance(steps); });
  }
};

}  // namespace

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

double Measurement::median_steps_per_second() const {
  std::vector<double> speeds;
  speeds.reserve(blocks.size());
  for (const auto& block : blocks) speeds.push_back(block.steps_per_second());
  return median(std::move(speeds));
}
double Measurement::slowest_steps_per_second() const {
  return std::ranges::min(blocks, {}, &TimedBlock::steps_per_second).steps_per_second();
}
double Measurement::fastest_steps_per_second() const {
  return std::ranges::max(blocks, {}, &TimedBlock::steps_per_second).steps_per_second();
}

double most_settling_seconds() { return device::computes_on_gpu() ? 12 : 4; }

void settle(const comm::Communicator& communicator, engine::Engine& engine,
            input::Settings settings, const topology::Topology& topology, std::int64_t steps,
            double most_seconds) {
  settings.dynamics.steps = std::numeric_limits<std::int64_t>::max();  // a repartition pays off
  run::Repartition balance(communicator, settings, topology);
  const auto advance = [&](std::int64_t by) {
    for (const auto end = engine.step() + by; engine.step() < end;) {
      engine.advance(std::min(end, balance.next_check(engine.step())) - engine.step());
      (void)balance.run_if_due(engine);
    }
  };
  advance(steps);
  const auto start = Clock::now();
  std::int64_t more = std::max<std::int64_t>(1, steps / 8);
  while (!engine.statistics().skin_is_settled || !balance.is_settled()) {
    const auto milliseconds = communicator.max(std::llround(1e3 * seconds_since(start)));
    if (static_cast<double>(milliseconds) > 1e3 * most_seconds) return;
    advance(more);
    more *= 2;
  }
}

Measurement measure(const comm::Communicator& communicator, engine::Engine& engine,
                    const Timing& timing) {
  const auto steps = steps_for(communicator, engine, timing.seconds);
  Measurement found;
  for (int repeat = 0; repeat < timing.repeats; ++repeat) {
    const auto before = engine.statistics();
    auto& block = found.blocks.emplace_back(time_block(communicator, engine, steps));
    const auto after = engine.statistics();
    block.rebuilds = after.rebuilds - before.rebuilds;
    block.replayed_blocks = after.replayed_blocks - before.replayed_blocks;
    block.halo_plans = after.halo_plans - before.halo_plans;
    block.halo_plan_seconds = after.halo_plan_seconds - before.halo_plan_seconds;
  }
  const auto statistics = engine.statistics();
  found.skin_nm = statistics.skin_nm;
  found.transport = statistics.transport;
  found.transport_trials = statistics.transport_trials;
  found.pair_entries = communicator.sum(statistics.pair_entries);
  found.memory_bytes = communicator.sum(statistics.memory_bytes);
  if (timing.with_parts) found.parts = engine.part_times();
  found.temperature_kelvin = engine.energies().temperature_kelvin;
  return found;
}

Measurement measure(const comm::Communicator& communicator, replicas::ReplicaSet& replicas,
                    const Timing& timing) {
  ReplicasOnRanks on_ranks{communicator, replicas};
  const auto steps = steps_for(communicator, on_ranks, timing.seconds);
  Measurement found;
  for (int repeat = 0; repeat < timing.repeats; ++repeat) {
    found.blocks.push_back(time_block(communicator, on_ranks, steps));
  }
  found.memory_bytes = communicator.sum(device::device_bytes_held());
  found.form = replicas.description();
  double sum = 0;
  for (const auto& one : replicas.energies()) sum += one.energies.temperature_kelvin;
  found.temperature_kelvin = sum / replicas.size();
  return found;
}

}  // namespace nfold::bench
