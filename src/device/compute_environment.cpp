// Kokkos for the life of the program: threads or device by the rank's place on its node.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/compute_environment.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <strings.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "comm/gpu_place.hpp"
#include "comm/rank_record.hpp"
#include "device/device_array.hpp"
#include "device/devices_of_job.hpp"
#include "device/host_threads.hpp"

namespace nfold::device {

ProcessorSet own_processors() {
  ProcessorSet own;
  cpu_set_t bound;
  // Where it is asked to, OpenMP has bound the main thread itself, to one of its places.
  const char* const binds = std::getenv("OMP_PROC_BIND");
  const bool by_openmp = binds != nullptr && strcasecmp(binds, "false") != 0;
  if (by_openmp || std::getenv("GOMP_CPU_AFFINITY") != nullptr) return own;
  if (sched_getaffinity(0, sizeof(bound), &bound) != 0) return own;
  static_assert(CPU_SETSIZE == ProcessorSet().size());
  for (std::size_t k = 0; k < own.size(); ++k) own[k] = CPU_ISSET(k, &bound);
  return own;
}

int share_of_processors(std::span<const ProcessorSet> by_process, std::size_t own) {
  const auto& mine = by_process[own];
  double share = 0;
  for (std::size_t k = 0; k < mine.size(); ++k) {
    if (!mine[k]) continue;
    share += 1.0 / static_cast<double>(
                       std::count_if(by_process.begin(), by_process.end(),
                                     [k](const ProcessorSet& other) { return other[k]; }));
  }
  constexpr double rounding = 1e-6;
  return std::max(1, static_cast<int>(share + rounding));
}

int host_threads(const comm::Communicator& ranks) {
  const char* const asked = std::getenv("OMP_NUM_THREADS");
  const int count = asked != nullptr ? std::atoi(asked) : 0;
  struct Seat {
    int node;
    ProcessorSet processors;
  };
  const Seat mine{ranks.node_place().first, own_processors()};
  std::vector<ProcessorSet> on_node;
  std::size_t own = 0;
  int rank = 0;
  for (const auto& seat : ranks.all_gather(std::span<const Seat>(&mine, 1))) {
    if (rank++ == ranks.rank()) own = on_node.size();
    if (seat.node == mine.node) on_node.push_back(seat.processors);
  }
  if (count > 0) return count;  // each rank has an environment of its own
  if (mine.processors.any()) return share_of_processors(on_node, own);
  const auto all = static_cast<int>(std::thread::hardware_concurrency());
  return std::max(1, all / static_cast<int>(on_node.size()));
}

namespace {

int& threads_of_process() {
  static int threads = host_threads(comm::Communicator());
  return threads;
}
int& processes_that_wait() {
  static int processes = 1;
  return processes;
}

}  // namespace

int host_threads_alone() { return threads_of_process() * processes_that_wait(); }
void set_processes_that_wait(int processes) { processes_that_wait() = processes; }

std::string binding_note(int processes) {
  cpu_set_t bound, free;
  if (sched_getaffinity(0, sizeof(bound), &bound) != 0) return {};
  // What is asked for beyond what the job was given is left out: that tells how much that is.
  std::memset(&free, 0xff, sizeof(free));
  if (sched_setaffinity(0, sizeof(free), &free) != 0) return {};
  const bool is_known = sched_getaffinity(0, sizeof(free), &free) == 0;
  (void)sched_setaffinity(0, sizeof(bound), &bound);
  const int mine = CPU_COUNT(&bound), all = CPU_COUNT(&free);
  if (!is_known || 2 * mine * processes > all) return {};
  return fmt::format(
      "{} bound to {} of {} processors, so that {} idle; with mpirun --bind-to none they are used",
      processes == 1 ? "this rank is" : fmt::format("each of {} ranks is", processes), mine, all,
      all - mine * processes == 1 ? "one is" : fmt::format("{} are", all - mine * processes));
}

ComputeEnvironment::ComputeEnvironment(const comm::Communicator& job,
                                       const comm::Communicator& alike, int threads) {
  Kokkos::InitializationSettings settings;
  settings.set_disable_warnings(true);
  const int share = host_threads(alike);
  threads_of_process() = threads > 0 ? threads : share;
  if constexpr (on_host) {
    settings.set_num_threads(threads_of_process());
  } else {
#ifdef KOKKOS_ENABLE_CUDA
    const auto seen = comm::seen_gpus();
    if (seen.empty()) {
      throw std::runtime_error("this nfold was built for CUDA, but rank " +
                               std::to_string(job.rank()) +
                               " finds no CUDA device; run on a GPU node or use a CPU build");
    }
    settings.set_device_id(static_cast<int>(comm::choose_gpu(alike, seen)));
#endif
  }
  Kokkos::initialize(settings);
#ifdef KOKKOS_ENABLE_CUDA
  comm::GpuPlace own;
  if (comm::find_own_gpu(own).empty()) comm::tell_device(comm::uuid_text(own.id));
#endif
  devices_ = std::make_shared<DevicesOfJob>(job);
}

ComputeEnvironment::~ComputeEnvironment() { Kokkos::finalize(); }

std::string execution_space_name() {
#ifdef KOKKOS_ENABLE_CUDA
  return "Cuda (" + std::string(Space().cuda_device_prop().name) + ")";
#else
  const int threads = Space().concurrency();
  return std::string(Space::name()) + ", " + std::to_string(threads) +
         (threads == 1 ? " thread" : " threads");
#endif
}

int thread_count() { return on_host ? Space().concurrency() : 1; }

}  // namespace nfold::device
