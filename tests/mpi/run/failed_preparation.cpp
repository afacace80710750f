// Program whose preparation thread fails on rank 1: all ranks end with its one message.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <stdexcept>

#include "comm/rank_record.hpp"
#include "device/compute_environment.hpp"
#include "model/start/initial_state.hpp"
#include "session/job/collective_work.hpp"
#include "session/run/preparation.hpp"
#include "session/run/repartition.hpp"
#include "support/condensates.hpp"

namespace nfold::run {

/// Replaces src/session/run/preparation.cpp at link time.
engine::RepartitionPreparation preparation(const engine::Engine& engine, domain::Ownership owner) {
  return [prepare = engine.repartition_preparation(std::move(owner))] {
    if (comm::own_record().rank == 1) throw std::runtime_error("tables find no room");
    return prepare();
  };
}

namespace {

/// Runs a system large enough for background preparation; all residues start on rank 0.
core::ExitCode move_residues() {
  const auto world = comm::Communicator::world();
  test::CondensateOptions options;
  options.box = {{5.2, 4.8, 112.2}};
  options.layers = 102;
  const auto topology = test::condensate(options);
  auto start = start::native_start(topology);
  start::draw_velocities(topology, 300, 1, 0, start);
  input::Settings settings;
  settings.partition.rebalance_every_steps = 20;
  settings.partition.balance.by = input::BalanceBy::work;
  settings.partition.balance.patience = 1;
  engine::EngineSettings engine_settings;
  engine_settings.time_step_ps = 0.01;
  engine::Engine engine(world, topology, engine_settings, start,
                        std::vector<int>(topology.residues.size(), 0));
  Repartition repartition(world, settings, topology);
  for (int k = 0; k < 30; ++k) {
    if (!repartition.run_if_due(engine).log_line.empty()) break;
    engine.advance(10);
  }
  std::puts("residues have moved");
  return core::ExitCode::done;
}

}  // namespace
}  // namespace nfold::run

int main(int argc, char** argv) {
  const nfold::comm::Environment mpi(argc, argv);
  const auto world = nfold::comm::Communicator::world();
  const nfold::device::ComputeEnvironment kokkos(world);
  return static_cast<int>(nfold::job::run_collectively(world, nfold::run::move_residues,
                                                       [](const auto& /*failure*/) {}));
}
