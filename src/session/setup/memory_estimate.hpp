// Memory estimate of a run on each rank, by group of arrays, before the first allocation.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "device/device_memory.hpp"
#include "device/memory_estimate.hpp"
#include "domain/partition.hpp"
#include "domain/rank_counts.hpp"
#include "input/settings.hpp"
#include "session/setup/species_setup.hpp"
#include "system/state.hpp"

namespace nfold::setup {

/// Memory estimate of a run.
struct RunMemory {
  std::vector<device::MemoryEstimate> ranks;  ///< one per rank, or one if all are equal
  int rank_count = 1;
  std::int64_t residues = 0;
  bool is_sampled = false;  ///< counted on a part of the system
  [[nodiscard]] const device::MemoryEstimate& of(int rank) const {
    return ranks[ranks.size() == 1 ? 0 : static_cast<std::size_t>(rank)];
  }
  /// Estimate for the fullest rank.
  [[nodiscard]] std::int64_t device_bytes() const {
    return fullest(&device::MemoryEstimate::device_bytes);
  }
  /// Estimate for the fullest rank, without arrays that are made only if there is memory for them.
  [[nodiscard]] std::int64_t needed_device_bytes() const {
    return fullest(&device::MemoryEstimate::needed_device_bytes);
  }
  /// Estimate for the fullest rank, without those and without arrays that can move to the host.
  [[nodiscard]] std::int64_t least_device_bytes() const {
    return fullest(&device::MemoryEstimate::least_device_bytes);
  }
  /// Returns the estimate with arrays of the first `uses` of device::moving_order on the host.
  [[nodiscard]] RunMemory with_moved(std::size_t uses) const;
  [[nodiscard]] std::int64_t host_bytes() const {
    return fullest(&device::MemoryEstimate::host_bytes);
  }

 private:
  [[nodiscard]] std::int64_t fullest(std::int64_t (device::MemoryEstimate::*bytes)() const) const;
};

/// Memory estimates of one system on any number of ranks.
class MemoryEstimator {
 public:
  /// Estimator of a known system, which must outlive it with its state. on_gpu: true for ranks on
  /// GPUs, whatever this build's backend.
  MemoryEstimator(const input::Settings& settings, const topology::Topology& topology,
                  const system::State& state, bool on_gpu = device::computes_on_gpu());
  /// Estimator of a part of a large system, with a first state of its own.
  MemoryEstimator(const input::Settings& settings, const std::filesystem::path& input_file,
                  SystemPart part, bool on_gpu = device::computes_on_gpu());
  ~MemoryEstimator();
  MemoryEstimator(MemoryEstimator&&) noexcept;
  MemoryEstimator& operator=(MemoryEstimator&&) noexcept;
  /// Returns an estimator of the same system on GPUs or on cores, which shares its state.
  [[nodiscard]] MemoryEstimator on_backend(bool on_gpu) const;

  /// Returns the estimate with the partition that the run would use. For a part: about().
  [[nodiscard]] RunMemory on(int rank_count) const;
  [[nodiscard]] RunMemory on(int rank_count, const domain::Ownership& owner) const;
  /// Returns the estimate for ranks that are all like the fullest; fast, for searches over layouts.
  /// A further call for a layout takes no time; not thread-safe.
  [[nodiscard]] const RunMemory& about(int rank_count, int nodes = 1) const;
  /// Returns about() with another precision or skin.
  [[nodiscard]] RunMemory with(system::Precision precision, double skin_nm, int rank_count) const;
  [[nodiscard]] double first_skin_nm() const;
  /// Returns the counts of the ranks with most ghosts and most peers, on equal nodes, by recursive
  /// bisection of the density. A first call for a layout takes about a millisecond, a further one
  /// no time; not thread-safe.
  [[nodiscard]] const std::vector<domain::RankCounts>& counts(int rank_count, int nodes = 1) const;
  /// Topology of the system or of its part.
  [[nodiscard]] const topology::Topology& topology() const;

  struct Parts;

 private:
  explicit MemoryEstimator(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

/// Residues above which a system of many copies is estimated by a part of it.
inline constexpr std::int64_t max_whole_residues = 2'000'000;
/// True if a system of `residues` residues is estimated by a part: it is large, no ensemble, and
/// its start is no checkpoint.
[[nodiscard]] bool is_estimated_by_part(const input::Settings& settings, std::int64_t residues);
/// Residues of that part.
inline constexpr std::int64_t part_residues = 20'000;
/// Residues of the part for step time estimates, whatever the size of the whole.
inline constexpr std::int64_t predicted_residues = 6'000;
/// True if the part represents a larger system: copies were left out, and the start is no
/// checkpoint.
[[nodiscard]] bool stands_for_whole(const SystemPart& part, const input::Settings& settings);

/// Returns the memory of a process beside its arrays: the program with MPI; on a GPU the CUDA
/// context, and NCCL between nodes.
[[nodiscard]] device::MemoryEstimate runtime_memory(int rank_count,
                                                    bool on_gpu = device::computes_on_gpu(),
                                                    int nodes = 1);

/// Memory of a rank for its arrays; with_host: including host arrays.
struct MemoryCapacity {
  std::int64_t bytes = 0;
  bool with_host = false;
};
/// Returns advice for a run without enough memory: fewer residues, more ranks, options.
[[nodiscard]] std::string memory_advice(const MemoryEstimator& estimator,
                                        const input::Settings& settings, int rank_count,
                                        const MemoryCapacity& capacity);

/// Returns a table by group of arrays: least and most of any rank, on device and host.
[[nodiscard]] std::vector<std::string> memory_table(const RunMemory& memory,
                                                    const device::MemoryEstimate& runtime);
/// Returns the free memory here, and a warning if it is less than the estimate for one rank.
/// estimator: null for an ensemble.
[[nodiscard]] std::vector<std::string> compare_with_free_memory(
    const RunMemory& memory, const device::MemoryEstimate& runtime,
    const MemoryEstimator* estimator, const input::Settings& settings);
/// Throws InputError if a run on this machine would reject the estimate for a rank: arrays beyond
/// --device-memory or devices.memory_limit_gb or, without a GPU, beyond the free memory of this
/// host. estimator: null for an ensemble.
void refuse_beyond_limit(const RunMemory& memory, const MemoryEstimator* estimator,
                         const input::Settings& settings, std::uint64_t option_bytes);
/// Returns the estimate for the fullest rank with its largest groups: "memory: planned 1.2 GiB for
/// the arrays of the engine (lists 800 MiB, state 200 MiB), 3 GiB of the host beside them".
[[nodiscard]] std::string memory_message(const RunMemory& memory);

/// True if an estimate [bytes] exceeds the available memory [bytes] by more than its accuracy.
[[nodiscard]] bool exceeds(std::int64_t estimated, std::int64_t there);
/// Returns --device-memory [bytes], else devices.memory_limit_gb; 0: no limit.
[[nodiscard]] std::int64_t device_memory_limit(std::uint64_t option_bytes,
                                               const input::Settings& settings);

/// Collective, before the first array: throws core::Failure if a rank lacks the estimated memory. A
/// deficit below a twentieth, the accuracy of the estimate, is accepted.
void require_memory(const comm::Communicator& communicator, const device::JobDevices& devices,
                    const RunMemory& memory, const MemoryEstimator& estimator,
                    const input::Settings& settings);
/// Collective, once each rank has the start of its engine: returns a line with the duration and the
/// memory peak of the start, equal on all ranks.
[[nodiscard]] std::string start_message(const comm::Communicator& communicator, double seconds);
/// Repartitions of a run: any partition was sought, any was prepared.
struct RepartitionHistory {
  bool sought = false, prepared = false;
};
/// Collective, after a run that had the process for itself: returns lines "planned 1.2 GiB, peak
/// 1.2 GiB (ratio 1.01)" for the arrays and for the process on its host, each for the fullest rank,
/// equal on all ranks. On a GPU also the decrease of free memory since the start. Names groups
/// beyond the estimate. Lists memory for repartitions that never happened separately.
[[nodiscard]] std::vector<std::string> describe_peak_memory(const comm::Communicator& communicator,
                                                            const device::JobDevices& devices,
                                                            const device::MemoryEstimate& estimated,
                                                            const RepartitionHistory& new_maps);

}  // namespace nfold::setup
