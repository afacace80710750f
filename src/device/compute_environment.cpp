// Lifetime of Kokkos: choice of threads or GPU for each rank.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/compute_environment.hpp"

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "comm/gpu_identity.hpp"
#include "comm/rank_record.hpp"
#include "device/device_array.hpp"
#include "device/hardware/gpu_readings.hpp"
#include "device/hardware/node.hpp"
#include "device/hardware/nvml.hpp"
#include "device/hardware/processors.hpp"
#include "device/hardware/score.hpp"
#include "device/hardware/topology.hpp"
#include "device/host_threads.hpp"

namespace nfold::device {

namespace {

#ifdef KOKKOS_ENABLE_CUDA
/// GPU chosen for this rank, among those it sees.
struct OwnGpu {
  int number = 0;  ///< CUDA device number
  hardware::ProcessorSet near;
  double score = 0;  ///< 0: unknown
  std::string details, warning;
};

OwnGpu choose_gpu(const comm::Communicator& job, const comm::Communicator& alike,
                  const hardware::DeviceWish& wish) {
  const auto seen = comm::find_visible_gpus();
  hardware::NodeInventory node;
  const hardware::nvml::Library library;
  hardware::read_gpus(library, node);
  const auto mine = hardware::list_offers(seen, node, wish);
  const auto choice = hardware::choose_gpus(alike, mine, wish);
  OwnGpu own;
  const auto at = choice.by_rank[static_cast<std::size_t>(alike.rank())];
  own.number = static_cast<int>(at);
  const auto uuid = comm::format_uuid(seen[at]);
  for (auto& gpu : node.gpus) {
    if (gpu.uuid != uuid) continue;
    const hardware::Topology topology(hardware::Topology::Depth::devices);
    if (topology.is_of_this_machine()) topology.locate(gpu);
    own.near = gpu.processors.value_or(hardware::ProcessorSet());
    own.score = hardware::available_score(gpu);
    own.details = hardware::choice_text(gpu, job.rank());
    own.warning = hardware::choice_warning(gpu, job.rank());
  }
  return own;
}
#endif

/// Gathers the lines of all ranks in rank order, without empty ones. Collective.
std::vector<std::string> gather_lines(const comm::Communicator& job, const std::string& mine) {
  const std::string line = mine.empty() ? "" : mine + "\n";
  const auto all = job.all_gather(std::span<const char>(line.data(), line.size()));
  std::vector<std::string> lines;
  std::istringstream text(std::string(all.begin(), all.end()));
  for (std::string one; std::getline(text, one);) lines.push_back(one);
  return lines;
}

}  // namespace

ComputeEnvironment::ComputeEnvironment(const comm::Communicator& job,
                                       const comm::Communicator& alike, int threads,
                                       const hardware::DeviceWish& wish) {
  Kokkos::InitializationSettings settings;
  settings.set_disable_warnings(true);
  hardware::ProcessorSet near;
  std::string details, warning;
#ifdef KOKKOS_ENABLE_CUDA
  const auto own = choose_gpu(job, alike, wish);
  settings.set_device_id(own.number);
  near = own.near;
  details = own.details;
  warning = own.warning;
#endif
  const auto binding = bind_rank(alike, near, wish.keeps_binding);
  const auto taken = choose_threads(threads > 0 ? threads : binding.threads,
                                    static_cast<int>(hardware::bound_processors().count()));
  set_threads_of_process(taken.threads);
  if (on_host && !taken.warning.empty()) {
    warning += (warning.empty() ? "" : "; ") + ("rank " + std::to_string(job.rank()) + " ") +
               taken.warning;
  }
  if (binding.processors.any()) {
    details += (details.empty() ? "rank " + std::to_string(job.rank()) + " keeps" : "; it keeps") +
               " to processors " + hardware::list_text(binding.processors);
  }
  if constexpr (on_host) settings.set_num_threads(taken.threads);
  Kokkos::initialize(settings);
#ifdef KOKKOS_ENABLE_CUDA
  comm::GpuIdentity place;
  if (comm::find_own_gpu(place).empty()) comm::set_record_device(comm::format_uuid(place.id));
#endif
  devices_ = std::make_shared<JobDevices>(job);
#ifdef KOKKOS_ENABLE_CUDA
  if (own.score > 0) devices_->set_score(own.score);
#else
  hardware::Cpu own;
  own.cores = thread_count();
  own.most_clock_mhz = hardware::highest_clock_mhz();
  devices_->set_score(hardware::score_of(own));
#endif
  if (!binding.note.empty()) notes_.push_back(binding.note);
  details_ = gather_lines(job, details);
  warnings_ = gather_lines(job, warning);
  const auto sharing = devices_->note();
  if (!sharing.empty()) warnings_.push_back(sharing);
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
