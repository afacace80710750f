// Layout of resident replicas on the processor, and the launch that advances them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>

#include "device/device_array.hpp"
#include "device/launch.hpp"
#include "replicas/resident_tables.hpp"
#include "replicas/side_by_side.hpp"
#ifdef KOKKOS_ENABLE_CUDA
#include "replicas/cuda/resident_kernel.hpp"
#else
#include "kernels/resident/resident_chains.hpp"
#include "kernels/resident/resident_lanes.hpp"
#endif

namespace nfold::replicas {

/// Default skin of resident lists. On an H200 and on a CPU lists are rebuilt every 15 to 30 steps
/// with it, and are a third longer than the interacting pairs.
template <class Contact>
inline constexpr double resident_skin_nm =
    device::on_host || kernels::ResidentModel<Contact>::is_sticky ? 0.2 : 0.12;

struct ResidentShape {
  int width = 0;  ///< replicas of a group
  int groups = 0;
#ifdef KOKKOS_ENABLE_CUDA
  ResidentRoles roles;
#endif
};

#ifdef KOKKOS_ENABLE_CUDA

/// Returns the number of multiprocessors; memory estimates without a GPU assume an H100.
[[nodiscard]] inline int multiprocessor_count() {
  constexpr int of_h100 = 132;
  return Kokkos::is_initialized() ? device::Space().cuda_device_prop().multiProcessorCount
                                  : of_h100;
}

/// Chooses the width, among those that fit into a thread block, whose rounds of groups over the
/// multiprocessors have the shortest estimated step. Lanes of a warp that are replicas never
/// diverge.
template <class Contact>
[[nodiscard]] ResidentShape resident_shape(int residues, int replicas, int group_size) {
  const int multiprocessors = multiprocessor_count();
  int width = group_size > 0 ? group_size : 1;
  if (group_size == 0) {
    double shortest = 1e30;
    for (int of = 1; of <= 32 && residues * of <= kernels::resident_capacity; of *= 2) {
      const auto roles = choose_roles<Contact>(residues, of);
      const int groups = (replicas + of - 1) / of;
      const int rounds = (groups + multiprocessors - 1) / multiprocessors;
      const double cycles = rounds * roles.cycles;
      if (roles.threads == 0 || cycles >= shortest) continue;
      shortest = cycles;
      width = of;
    }
  }
  if (residues * width > kernels::resident_capacity) {
    throw std::invalid_argument(
        fmt::format("a thread block cannot hold {} replicas of {} residues", width, residues));
  }
  return {width, (replicas + width - 1) / width, choose_roles<Contact>(residues, width)};
}

/// Cost of a step of so many replicas: rounds of groups over the multiprocessors, in predicted
/// cycles.
template <class Contact>
[[nodiscard]] double resident_cost(int residues, int replicas) {
  const auto shape = resident_shape<Contact>(residues, replicas, 0);
  const int multiprocessors = multiprocessor_count();
  const int rounds = (shape.groups + multiprocessors - 1) / multiprocessors;
  return rounds * shape.roles.cycles;
}

template <class Contact>
class ResidentLauncher {
 public:
  ResidentLauncher(const ResidentTables<Contact>& tables, const ResidentShape& shape,
                   int /*threads*/)
      : tables_(tables), shape_(shape) {
    lists_.reserve(shape.groups * resident_list_sizes(tables.system()).entries(shape.width));
    if (device::counting_estimate() != nullptr) return;  // there may be no GPU
    for (const auto position_format :
         {kernels::ResidentPositionFormat::floats, kernels::ResidentPositionFormat::counts}) {
      device::check_cuda(
          cudaFuncSetAttribute(kernel(position_format), cudaFuncAttributeMaxDynamicSharedMemorySize,
                               kernels::resident_shared_bytes),
          "shared memory of resident replicas");
    }
  }
  void advance(const kernels::ResidentReplicas& replicas, std::uint64_t first_step,
               std::int64_t steps) const {
    auto* const start = kernel(position_format());
    start<<<static_cast<unsigned>(shape_.groups), static_cast<unsigned>(shape_.roles.threads),
            static_cast<std::size_t>(kernels::resident_shared_bytes), device::device_stream()>>>(
        resident_run(tables_.system(), replicas, first_step, steps, shape_.width, shape_.roles,
                     lists_.data()));
    device::check_cuda(cudaGetLastError(), "the launch of resident replicas");
  }
  /// Call after each launch, with its flags. Returns true if repeating the launch from its start
  /// would leave fewer replicas unsure.
  [[nodiscard]] bool should_repeat(const std::vector<int>& unsure) {
    if (position_format() == kernels::ResidentPositionFormat::counts) {
      --launches_in_counts_;
      return false;
    }
    const bool any = std::any_of(unsure.begin(), unsure.end(), [](int bits) {
      return (bits & kernels::ResidentUnsure::too_far) != 0;
    });
    if (any) launches_in_counts_ = launches_before_floats;
    return any;
  }

 private:
  /// Residues too far apart for floats stay so for some time, and a trial costs a launch.
  static constexpr int launches_before_floats = 40;

  [[nodiscard]] kernels::ResidentPositionFormat position_format() const {
    return launches_in_counts_ > 0 ? kernels::ResidentPositionFormat::counts
                                   : kernels::ResidentPositionFormat::floats;
  }
  [[nodiscard]] ResidentKernel<Contact>* kernel(
      kernels::ResidentPositionFormat position_format) const {
    return resident_kernel<Contact>(shape_.roles, shape_.width, position_format);
  }

  const ResidentTables<Contact>& tables_;
  ResidentShape shape_;
  int launches_in_counts_ = 0;  // remaining launches in counts
  device::DeviceArray<std::uint32_t> lists_{"resident.lists"};
};

#else

/// Chooses groups of a fixed number of replicas: the lanes of a few vector registers, or one
/// replica whose residues are the lanes.
template <class Contact>
[[nodiscard]] ResidentShape resident_shape(int /*residues*/, int replicas, int group_size) {
  constexpr int width = kernels::ResidentModel<Contact>::is_sticky ? 1 : kernels::resident_lanes;
  if (group_size > 0 && group_size != width) {
    throw std::invalid_argument(
        fmt::format("on a CPU {} replicas are a group, not {}", width, group_size));
  }
  return {width, (replicas + width - 1) / width};
}

/// Cost of a step of so many replicas: rounds of groups over the threads.
template <class Contact>
[[nodiscard]] double resident_cost(int residues, int replicas) {
  const int groups = resident_shape<Contact>(residues, replicas, 0).groups;
  const int threads = device::Space().concurrency();
  const int rounds = (groups + threads - 1) / threads;
  return rounds;
}

template <class Contact>
class ResidentLauncher {
  static constexpr bool is_sticky = kernels::ResidentModel<Contact>::is_sticky;
  using Group = std::conditional_t<is_sticky, kernels::ResidentChains<Contact>,
                                   kernels::ResidentGroup<Contact>>;

 public:
  ResidentLauncher(const ResidentTables<Contact>& tables, const ResidentShape& shape, int threads)
      : tables_(tables),
        threads_(std::min(threads, shape.groups)),
        thread_bytes_(Group::scratch_bytes(tables.system())) {
    scratch_.reserve(threads_ * thread_bytes_);
  }
  /// A thread takes the next group when it has advanced one, since they and cores are unequal.
  void advance(const kernels::ResidentReplicas& replicas, std::uint64_t first_step,
               std::int64_t steps) {
    const auto system = tables_.system();
    std::atomic<int> next = 0;
    loop_concurrently(threads_, [&](int thread) {
      Group group(system, replicas, scratch_.data() + thread * thread_bytes_);
      for (int k = next++; k < replicas.groups; k = next++) group.advance(k, first_step, steps);
    });
  }
  [[nodiscard]] static bool should_repeat(const std::vector<int>& /*unsure*/) { return false; }

 private:
  const ResidentTables<Contact>& tables_;
  int threads_;
  std::int64_t thread_bytes_;
  device::DeviceArray<std::byte> scratch_{"resident.scratch"};
};

#endif

}  // namespace nfold::replicas
