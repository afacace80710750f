// Ranks regrouped as in a batch, on one GPU or several: same choice, same bits, no hang.
// SPDX-License-Identifier: BSD-3-Clause
//
// mpirun -np 3 test_gpu_regrouped. On one GPU the ranks take turns, NCCL refuses them, and peer
// memory works where it is allowed.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "comm/gpu_identity.hpp"
#include "comm/nccl_transport.hpp"
#include "comm/rank_locations.hpp"
#include "comm/transport_table.hpp"
#include "device/device_memory.hpp"
#include "device/job_devices.hpp"
#include "domain/partition.hpp"
#include "engine/engine.hpp"
#include "engine/halo/cuda/peer_memory.hpp"
#include "engine/halo/cuda/transport_trials.hpp"
#include "support/engines.hpp"
#include "support/kokkos_scope.hpp"
#include "support/systems.hpp"

namespace nfold::engine {
namespace {

const auto* const scope = test::start_kokkos();

class RegroupedRanks : public testing::Test {
 protected:
  /// Groups (0, 1), (1, 2), ..., and all ranks.
  [[nodiscard]] std::vector<std::vector<int>> groups() const {
    std::vector<std::vector<int>> found;
    std::vector<int> all{0};
    for (int rank = 1; rank < world_.size(); ++rank) {
      found.push_back({rank - 1, rank});
      all.push_back(rank);
    }
    if (world_.size() > 2) found.push_back(all);
    return found;
  }
  [[nodiscard]] bool is_in(const std::vector<int>& members) const {
    return members.front() <= world_.rank() && world_.rank() <= members.back();
  }
  [[nodiscard]] bool is_on_one_gpu() const {
    return !world_.any(devices_->sharing().of_device < world_.size());
  }

  comm::Communicator world_ = comm::Communicator::world();
  std::shared_ptr<device::JobDevices> devices_ = std::make_shared<device::JobDevices>(world_);
};

TEST_F(RegroupedRanks, MeasureOnceTogether) {
  const bool shared = is_on_one_gpu();
  for (const bool is_first : {true, false}) {
    for (const auto& members : groups()) {
      if (!is_in(members)) continue;
      const auto group = world_.group(members, 0);
      const auto peers = halo::PeerMemory::groups(group, comm::gather_rank_nodes(group, 0),
                                                  halo::SharedGpu::allowed);
      std::vector<comm::TransportTrial> trials{
          {comm::Transport::peer_memory, peers.reason, {}},
          {comm::Transport::nccl, comm::NcclTransport::unavailable(group).value_or(""), {}},
          {comm::Transport::mpi, {}, {}}};
      if (shared) {
        EXPECT_EQ(trials[0].obstacle, "");
        EXPECT_NE(trials[1].obstacle, "");
      }
      halo::TransportTrials<kernels::Mixed> measuring(group, true, peers.island);
      const bool has_measured = devices_->transports().fill(
          group, {sizeof(kernels::Mixed::Coordinate), true}, trials,
          [&](comm::TransportTrial& trial) { measuring.measure(trial); });
      EXPECT_EQ(has_measured, is_first) << members.front() << " to " << members.back();
      for (const auto& trial : trials) {
        const auto nanoseconds = static_cast<std::int64_t>(1e3 * trial.typical_microseconds());
        EXPECT_EQ(group.min(nanoseconds), group.max(nanoseconds)) << comm::name_of(trial.transport);
        EXPECT_EQ(trial.obstacle.empty(), nanoseconds > 0) << trial.obstacle;
      }
      const auto chosen =
          static_cast<std::int64_t>(comm::choose(comm::Transport::automatic, trials));
      EXPECT_EQ(group.min(chosen), group.max(chosen));
    }
  }
}

TEST_F(RegroupedRanks, MatchOneRankBitwise) {
  constexpr std::int64_t steps = 60;
  const auto topology = test::ubiquitin(2);
  const auto start = test::shaken_native(topology, 0.02, 11);
  auto settings = test::settings_of_go();
  settings.devices = devices_;
  auto one = test::engine_alone(topology, settings, start);
  one.advance(steps);
  const auto expected = one.owned_state();
  const auto work = domain::counted_work(topology);
  const bool shared = is_on_one_gpu();
  for (const auto transport :
       {comm::Transport::automatic, comm::Transport::peer_memory, comm::Transport::mpi}) {
    // GPUs of one node without access to each other refuse peer memory.
    if (transport == comm::Transport::peer_memory && !shared) continue;
    settings.transport = transport;
    for (const auto& members : groups()) {
      if (!is_in(members)) continue;
      const auto group = world_.group(members, 0);
      Engine engine(group, topology, settings, start, domain::residue_ranges(work, group.size()));
      engine.advance(steps);
      const auto mine = engine.owned_state();
      std::int64_t wrong = 0;
      for (std::size_t row = 0; row < mine.id.size(); ++row) {
        const auto id = static_cast<std::size_t>(mine.id[row]);
        wrong += mine.position[row] != expected.position[id] ? 1 : 0;
        wrong += mine.velocity[row] != expected.velocity[id] ? 1 : 0;
      }
      EXPECT_EQ(wrong, 0) << engine.statistics().transport;
    }
  }
}

TEST_F(RegroupedRanks, CountRanksSharingTheirGpu) {
  const auto gpus = comm::find_visible_gpus();
  EXPECT_FALSE(gpus.empty());
  EXPECT_EQ(devices_->note().empty(), world_.max(devices_->sharing().of_device) == 1);
  const auto memory = device::free_memory(*devices_);
  EXPECT_LE(memory.device_bytes,
            devices_->free_device_bytes_at_start() / devices_->sharing().of_device * 11 / 10);
  EXPECT_GT(memory.device_bytes, 0);
}

}  // namespace
}  // namespace nfold::engine
