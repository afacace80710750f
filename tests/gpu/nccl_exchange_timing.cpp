// Timing program: microseconds of one NCCL exchange, the lower bound of a halo exchange.
// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/nccl_transport.hpp"
#include "comm/transport_choice.hpp"
#include "device/compute_environment.hpp"
#include "device/cuda/graph_capture.hpp"
#include "device/device_array.hpp"
#include "device/launch.hpp"

namespace nfold::comm {
namespace {

constexpr int exchanges_a_round = 32, rounds = 6;
constexpr std::size_t bytes_per_residue = 12;  // coordinates in mixed precision

/// Time of the slowest rank in the fastest round [us]; the first round warms up.
double microseconds(const Communicator& world, cudaGraphExec_t graph) {
  using Clock = std::chrono::steady_clock;
  auto least = std::numeric_limits<std::int64_t>::max();
  for (int round = 0; round <= rounds; ++round) {
    world.barrier();
    const auto start = Clock::now();
    device::check_cuda(cudaGraphLaunch(graph, device::device_stream()), "starting exchanges");
    device::fence();
    const std::chrono::nanoseconds taken = Clock::now() - start;
    const auto slowest = world.max(taken.count());
    if (round > 0) least = std::min<std::int64_t>(least, slowest);
  }
  return 1e-3 * static_cast<double>(least) / exchanges_a_round;
}

void time_exchanges() {
  const auto world = Communicator::world();
  if (const auto reason = NcclTransport::unavailable(world)) {
    if (world.is_root()) fmt::print("no NCCL: {}\n", *reason);
    return;
  }
  NcclTransport nccl(world);
  const device::CaptureStream capture;
  for (const int residues : trial_residues) {
    const std::size_t bytes = bytes_per_residue * static_cast<std::size_t>(residues);
    std::vector<Route> routes;
    for (const int peer : {world.rank() - 1, world.rank() + 1}) {
      if (peer < 0 || peer >= world.size()) continue;
      const std::size_t offset = bytes * routes.size();
      routes.push_back({peer, offset, bytes, offset, bytes});
    }
    device::DeviceArray<std::byte> sent("timing.sent"), received("timing.received");
    sent.reserve(static_cast<std::int64_t>(2 * bytes));
    received.reserve(static_cast<std::int64_t>(2 * bytes));
    nccl.connect(routes, device::device_stream());
    device::fence();
    const auto graph = capture.captured([&] {
      for (int i = 0; i < exchanges_a_round; ++i) {
        nccl.enqueue(sent.data(), received.data(), routes, device::device_stream());
      }
    });
    const double taken = microseconds(world, graph.get());
    if (world.is_root()) {
      fmt::print("{} residues to each neighbour: {:.1f} us\n", residues, taken);
    }
  }
}

}  // namespace
}  // namespace nfold::comm

int main(int argc, char** argv) {
  const nfold::comm::Environment mpi(argc, argv);
  const nfold::device::ComputeEnvironment kokkos(nfold::comm::Communicator::world());
  nfold::comm::time_exchanges();
  return 0;
}
