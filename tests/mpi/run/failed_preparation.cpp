// A thread that prepares for a new map fails on one rank: all ranks end, with its one message.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <stdexcept>

#include "comm/rank_record.hpp"
#include "device/compute_environment.hpp"
#include "job/collective_work.hpp"
#include "run/preparation.hpp"
#include "run/repartition.hpp"
#include "start/initial_state.hpp"
#include "support/condensates.hpp"

namespace nfold::run {

/// In place of src/run/preparation.cpp.
dynamics::OwnerPreparation preparation(const dynamics::Engine& engine, domain::Ownership owner) {
  return [prepare = engine.owner_preparation(std::move(owner))] {
    if (comm::own_record().rank == 1) throw std::runtime_error("tables find no room");
    return prepare();
  };
}

namespace {

/// So large that threads prepare; all residues are on rank 0.
job::ExitCode move_residues() {
  const auto world = comm::Communicator::world();
  test::CondensateOptions options;
  options.box = {{5.2, 4.8, 112.2}};
  options.layers = 102;
  const auto topology = test::condensate(options);
  auto start = start::native_start(topology);
  start::draw_velocities(topology, 300, 1, 0, start);
  config::Settings settings;
  settings.partition.rebalance_every_steps = 20;
  settings.partition.balance.by = config::BalanceBy::work;
  settings.partition.balance.patience = 1;
  dynamics::EngineSettings engine_settings;
  engine_settings.time_step_ps = 0.01;
  dynamics::Engine engine(world, topology, engine_settings, start,
                          std::vector<int>(topology.residues.size(), 0));
  Repartition repartition(world, settings, topology);
  for (int k = 0; k < 30; ++k) {
    if (!repartition.serve(engine).told.empty()) break;
    engine.advance(10);
  }
  std::puts("residues have moved");
  return job::ExitCode::done;
}

}  // namespace
}  // namespace nfold::run

int main(int argc, char** argv) {
  const nfold::comm::Environment mpi(argc, argv);
  const auto world = nfold::comm::Communicator::world();
  const nfold::device::ComputeEnvironment kokkos(world);
  return static_cast<int>(
      nfold::job::run_together(world, nfold::run::move_residues, [](const auto& /*failure*/) {}));
}
