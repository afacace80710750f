// Timing program: milliseconds to prepare and perform a repartition of a condensate.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <span>
#include <vector>

#include "device/compute_environment.hpp"
#include "domain/space_partition.hpp"
#include "engine/engine.hpp"
#include "model/start/initial_state.hpp"
#include "support/condensates.hpp"

namespace nfold::engine {
namespace {

constexpr int chain_length = 150, steps_between = 2, moves = 4;

topology::Topology long_chains(int residues) {
  test::CondensateOptions options;
  options.columns = chain_length;
  options.rows = static_cast<int>(std::sqrt(static_cast<double>(residues) / chain_length));
  options.layers = residues / chain_length / options.rows;
  options.box = {{0.38 * chain_length + 0.4, 1.15 * options.rows, 1.08 * options.layers}};
  return test::condensate(options);
}

/// Alternates between two partitions; one of them gives rank 0 a tenth less work.
void time_moves(int residues) {
  using Clock = std::chrono::steady_clock;
  const auto world = comm::Communicator::world();
  const auto topology = long_chains(residues);
  auto start = start::native_start(topology);
  start::draw_velocities(topology, 300, 1, 0, start);
  const std::vector<double> work(topology.residues.size(), 1);
  std::vector<double> speeds(static_cast<std::size_t>(world.size()), 1);
  const auto even = domain::recursive_bisection(topology.box, start.position, work, world.size());
  speeds.front() = 0.9;
  const auto uneven =
      domain::recursive_bisection(topology.box, start.position, work, world.size(), speeds);
  EngineSettings settings;
  settings.time_step_ps = 0.01;
  settings.temperature_kelvin = 300;
  settings.friction_per_ps = 0.2;
  Engine engine(world, topology, settings, start, even);
  engine.advance(steps_between);
  if (world.is_root()) {
    fmt::print("{} residues, {} ranks\n", topology.residue_count(), world.size());
  }
  for (int move = 0; move < moves; ++move) {
    world.barrier();
    auto lap = [&, last = Clock::now()]() mutable {
      const std::chrono::duration<double, std::milli> mine = Clock::now() - last;
      const auto slowest = world.max(std::llround(1e3 * mine.count()));
      last = Clock::now();
      return 1e-3 * static_cast<double>(slowest);
    };
    auto prepared = engine.repartition_preparation(move % 2 == 0 ? uneven : even)();
    const double preparing = lap();
    engine.set_owner(std::move(prepared));
    const double pause = lap();
    if (world.is_root()) {
      fmt::print("move {}: prepared in {:.1f} ms, steps stand still for {:.1f} ms\n", move,
                 preparing, pause);
    }
    engine.advance(steps_between);
  }
}

}  // namespace
}  // namespace nfold::engine

int main(int argc, char** argv) {
  const nfold::comm::Environment mpi(argc, argv);
  const nfold::device::ComputeEnvironment kokkos(nfold::comm::Communicator::world());
  nfold::engine::time_moves(argc > 1 ? std::atoi(argv[1]) : 1'000'000);
  return 0;
}
