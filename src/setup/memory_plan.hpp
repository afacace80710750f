// How much memory a run takes on each rank, by group of arrays, before any of it is taken.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "config/settings.hpp"
#include "device/device_memory.hpp"
#include "device/memory_plan.hpp"
#include "domain/partition.hpp"
#include "domain/rank_counts.hpp"
#include "setup/species_setup.hpp"
#include "system/state.hpp"

namespace nfold::setup {

/// Of a run on so many ranks.
struct RunMemory {
  std::vector<device::MemoryPlan> ranks;  ///< one a rank; or one for all, where they are alike
  int rank_count = 1;
  std::int64_t residues = 0;
  bool is_sampled = false;  ///< counted on a part of the system
  [[nodiscard]] const device::MemoryPlan& of(int rank) const {
    return ranks[ranks.size() == 1 ? 0 : static_cast<std::size_t>(rank)];
  }
  /// Of the rank that has most.
  [[nodiscard]] std::int64_t device_bytes() const;
  /// Without what is only made where there is room for it.
  [[nodiscard]] std::int64_t needed_device_bytes() const;
  [[nodiscard]] std::int64_t host_bytes() const;
};

/// Plans one system for any number of ranks.
class MemoryPlanner {
 public:
  /// Of a system that is there; it and its state must outlive the planner. on_gpu: of ranks that
  /// compute on GPUs, whatever this build is for.
  MemoryPlanner(const config::Settings& settings, const topology::Topology& topology,
                const system::State& state, bool on_gpu = device::computes_on_gpu());
  /// Of a part of a large one, with a first state of its own.
  MemoryPlanner(const config::Settings& settings, const std::filesystem::path& input_file,
                SystemPart part, bool on_gpu = device::computes_on_gpu());
  ~MemoryPlanner();
  MemoryPlanner(MemoryPlanner&&) noexcept;
  MemoryPlanner& operator=(MemoryPlanner&&) noexcept;

  /// A known system is shared out as the run would.
  [[nodiscard]] RunMemory on(int rank_count) const;
  [[nodiscard]] RunMemory on(int rank_count, const domain::Ownership& owner) const;
  /// As if the ranks were alike, in no time: for how many would do.
  [[nodiscard]] RunMemory about(int rank_count) const;
  /// As about(1), with another precision or skin.
  [[nodiscard]] RunMemory with(config::Precision precision, double skin_nm, int rank_count) const;
  [[nodiscard]] double first_skin_nm() const;
  /// Of one rank of so many that are alike, in no time.
  [[nodiscard]] domain::RankCounts counts(int rank_count) const;
  /// Of the system, or of the part of it.
  [[nodiscard]] const topology::Topology& topology() const;

  struct Parts;

 private:
  std::unique_ptr<Parts> parts_;
};

/// Residues from which on a system of many copies is planned by a part of it.
inline constexpr std::int64_t known_residues_at_most = 2'000'000;
/// Whether build_part() leaves anything out, and the start does not come from a file.
[[nodiscard]] bool is_planned_by_part(const config::Settings& settings, std::int64_t residues);
/// Residues of that part.
inline constexpr std::int64_t part_residues = 20'000;
/// Residues of the part by which steps are predicted, whatever the size of the whole.
inline constexpr std::int64_t predicted_residues = 6'000;
/// Whether the part stands for the whole: copies were left out, and places come from no file.
[[nodiscard]] bool stands_for_whole(const SystemPart& part, const config::Settings& settings);

/// What a process takes beside its arrays: the program with MPI and, of a GPU, CUDA's context, and
/// NCCL between nodes.
[[nodiscard]] device::MemoryPlan runtime_memory(int rank_count,
                                                bool on_gpu = device::computes_on_gpu(),
                                                int nodes = 1);

/// What a rank has for its arrays; with_host: and for what stands beside them.
struct RoomToFit {
  std::int64_t bytes = 0;
  bool with_host = false;
};
/// What would help a run that has not got the memory: fewer residues, more ranks, options.
[[nodiscard]] std::string memory_advice(const MemoryPlanner& planner,
                                        const config::Settings& settings, int rank_count,
                                        const RoomToFit& room);

/// Lines of a table: groups of arrays, of the ranks that have least and most, on device and host.
[[nodiscard]] std::vector<std::string> memory_table(const RunMemory& memory,
                                                    const device::MemoryPlan& runtime);
/// What is free here, and a warning where that is less than is planned for one rank. planner: null
/// for an ensemble.
[[nodiscard]] std::vector<std::string> held_against_free(const RunMemory& memory,
                                                         const device::MemoryPlan& runtime,
                                                         const MemoryPlanner* planner,
                                                         const config::Settings& settings);
/// InputError where a run on this machine would refuse what is planned for a rank: arrays beyond
/// --device-memory or devices.memory_limit_gb, or without a GPU beyond what this host has free.
/// planner: null for an ensemble.
void refuse_beyond_limit(const RunMemory& memory, const MemoryPlanner* planner,
                         const config::Settings& settings, std::uint64_t option_bytes);
/// "planned 1.2 GiB of each GPU (lists 800 MiB, state 200 MiB), 3 GiB of its host".
[[nodiscard]] std::string memory_in_words(const RunMemory& memory);

/// A plan [bytes] exceeds what is there [bytes] if it does by more than a plan is exact.
[[nodiscard]] bool exceeds(std::int64_t planned, std::int64_t there);
/// [bytes] --device-memory, else devices.memory_limit_gb; 0: no limit.
[[nodiscard]] std::int64_t device_memory_limit(std::uint64_t option_bytes,
                                               const config::Settings& settings);

/// Collective, before the first array. SharedFailure where a rank has not the memory for what is
/// planned; what is short by less than a twentieth, as exact as a plan is, may be tried.
void require_memory(const comm::Communicator& communicator, const device::DevicesOfJob& devices,
                    const RunMemory& memory, const MemoryPlanner& planner,
                    const config::Settings& settings);
/// Collective, once each rank has what its engine begins with: a line with what the start took, the
/// same on all. What it has freed goes back to the system.
[[nodiscard]] std::string told_of_start(const comm::Communicator& communicator, double seconds);
/// Whether a run has ever sought a new map of residues to ranks, and whether one was prepared.
struct NewMaps {
  bool sought = false, prepared = false;
};
/// Collective, after a run of which no other has shared the process: lines "planned 1.2 GiB, peak
/// 1.2 GiB (ratio 1.01)" of arrays, and of the process on its host; each of the rank that has most,
/// the same on all. Of a GPU also what is free there less than at the start. What took more than
/// planned is named. What is planned for new maps that there never were is told apart.
[[nodiscard]] std::vector<std::string> planned_and_peak(const comm::Communicator& communicator,
                                                        const device::DevicesOfJob& devices,
                                                        const device::MemoryPlan& planned,
                                                        const NewMaps& new_maps);

}  // namespace nfold::setup
