// Timing program: milliseconds of a halo plan in a condensate.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <random>

#include "device/compute_environment.hpp"
#include "domain/space_partition.hpp"
#include "engine/engine.hpp"
#include "engine/halo/halo_planner.hpp"

namespace nfold::halo {
namespace {

constexpr double density_per_nm3 = 2, short_nm = 2.3, charged_nm = 4.3;
constexpr int chain_length = 150, times = 10;

/// Chains as random walks with bonds.
struct Condensate {
  topology::Topology topology;
  std::vector<system::FixedPosition> positions;

  explicit Condensate(int residues) {
    const double length_nm = std::cbrt(residues / density_per_nm3);
    topology.box.length_nm = {length_nm, length_nm, length_nm};
    std::mt19937 random(5);
    std::uniform_real_distribution<double> anywhere(0, length_nm);
    std::normal_distribution<double> bond(0, 0.22);
    std::array<double, 3> x{};
    for (int id = 0; id < residues; ++id) {
      for (double& along : x)
        along = id % chain_length == 0 ? anywhere(random) : along + bond(random);
      positions.push_back(system::coarse_position(topology.box, x));
      topology::Residue residue{"ALA", id + 1, ' ', 0, 0, 110.0, 0.0};
      residue.charge_e = random() % 4 == 0 ? 1 : 0;
      topology.residues.push_back(residue);
      if (id % chain_length != 0) topology.bonds.push_back({id - 1, id, 0.38, 8033});
    }
  }
};

/// Minimum over repeats of the slowest rank's time [ms]. Processor time is more reliable on busy
/// cores.
struct Milliseconds {
  double wall = 1e300, processor = 1e300;
};

Milliseconds measure(const comm::Communicator& world, const std::function<void()>& work) {
  Milliseconds best;
  const auto slowest = [&](double ms) {
    return 1e-6 * static_cast<double>(world.max(std::llround(1e6 * ms)));
  };
  for (int k = 0; k < times; ++k) {
    world.barrier();
    const auto start = std::chrono::steady_clock::now();
    const auto processor_start = std::clock();
    work();
    const auto processor_end = std::clock();
    const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - start;
    best.wall = std::min(best.wall, slowest(wall.count()));
    best.processor = std::min(
        best.processor,
        slowest(1e3 * static_cast<double>(processor_end - processor_start) / CLOCKS_PER_SEC));
  }
  return best;
}

void time_plans(int residues) {
  const auto world = comm::Communicator::world();
  const Condensate system(residues);
  const auto owner =
      domain::recursive_bisection(system.topology.box, system.positions,
                                  std::vector<double>(system.positions.size(), 1), world.size());
  const auto terms = domain::local_terms(system.topology, owner, world.rank(), world.size());
  std::vector<int> owned;
  std::vector<char> charged;
  std::vector<system::FixedPosition> mine;
  for (int id = 0; id < residues; ++id) {
    const auto at = static_cast<std::size_t>(id);
    if (owner[at] != world.rank()) continue;
    owned.push_back(id);
    charged.push_back(system.topology.residues[at].charge_e != 0 ? 1 : 0);
    mine.push_back(system.positions[at]);
  }
  device::DeviceColumns<std::int64_t> position("position");
  position.upload(mine);
  HaloPlanner planner(world, system.topology.box);
  planner.set_rows(fixed_rows(owned, terms, owner, charged));
  const auto time_planner = [&](double margin_nm) {
    return measure(world, [&] {
      planner.plan(position.read(), {short_nm, charged_nm, margin_nm});
      device::fence();
    });
  };
  const auto with_margin = time_planner(0.3);
  const auto more_ghosts = world.max(planner.rows() - planner.owned());
  const auto plain = time_planner(0);
  const auto ghosts = world.max(planner.rows() - planner.owned());
  if (!world.is_root()) return;
  fmt::print("{} residues, {} ranks, milliseconds by the clock and of the processor\n", residues,
             world.size());
  const auto print = [](const char* what, const Milliseconds& ms, std::int64_t ghosts_of_rank) {
    fmt::print("{:24} {:8.2f} {:8.2f}   {} ghosts\n", what, ms.wall, ms.processor, ghosts_of_rank);
  };
  print("planner", plain, ghosts);
  print("planner, margin 0.3 nm", with_margin, more_ghosts);
}

}  // namespace
}  // namespace nfold::halo

int main(int argc, char** argv) {
  const nfold::comm::Environment mpi(argc, argv);
  const nfold::device::ComputeEnvironment kokkos(nfold::comm::Communicator::world());
  nfold::halo::time_plans(argc > 1 ? std::atoi(argv[1]) : 1'000'000);
  return 0;
}
