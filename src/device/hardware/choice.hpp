// GPU of each rank among those that it sees, by the user's wish, health and score.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/gpu_identity.hpp"
#include "core/failure.hpp"
#include "device/hardware/health.hpp"
#include "device/hardware/inventory.hpp"

namespace nfold::hardware {

/// Condition of devices.filter: name=TEXT, name!=TEXT, memory_gb>=N, free_memory_gb>=N, healthy,
/// fit.
struct Condition {
  enum class Kind { name, not_name, memory_gb, free_memory_gb, healthy, fit };
  Kind kind = Kind::fit;
  std::string text;  ///< part of a name
  double gigabytes = 0;
};
/// Returns none if the text is not a condition.
[[nodiscard]] std::optional<Condition> parse_condition(std::string_view text);
/// True if the GPU meets the condition. An unknown property meets no condition.
[[nodiscard]] bool meets(const Gpu& gpu, HealthLevel level, const Condition& condition);

/// Request of the user. By default as many GPUs as there are ranks, the best of each node.
struct DeviceWish {
  enum class Which { best, listed, all };
  Which which = Which::best;
  int count = 0;                    ///< exact number per node; 0: not requested
  int max = 0;                      ///< maximum per node; 0: no limit
  std::vector<std::string> listed;  ///< indices printed by `nfold devices`, or beginnings of UUIDs
  std::vector<Condition> filter;
  bool keeps_binding = false;
};

/// Reads --gpus N, --gpus 0,2,3 or --gpus all into a wish, which overrides the input file. A single
/// number is a count: "2," means GPU 2. Returns the error; empty if there is none.
[[nodiscard]] std::string read_gpus_option(std::string_view text, DeviceWish& wish);

/// GPU that a rank sees, sent to the other ranks.
struct GpuOffer {
  comm::GpuId id{};
  int index = 0;  ///< index printed by `nfold devices`
  HealthLevel level = HealthLevel::healthy;
  bool is_eligible = true;
  int list_index = 0;  ///< index in DeviceWish::listed
  double best = 0;     ///< available_score()
};

/// Returns the GPUs that CUDA shows to this rank, in its order. GPUs that NVML does not report have
/// no score and meet no condition, but are wanted if no condition is set.
[[nodiscard]] std::vector<GpuOffer> list_offers(std::span<const comm::GpuId> seen,
                                                const NodeInventory& node, const DeviceWish& wish);

/// Thrown if the devices of the job cannot meet a wish.
class NoSuchDevice : public core::Failure {
 public:
  explicit NoSuchDevice(const std::string& message)
      : core::Failure(message, core::Outcome::wrong_input) {}
};

/// Returns text for the log: "rank 0 computes on GPU 2 (NVIDIA H100, GPU-...), healthy; ... beside
/// it".
[[nodiscard]] std::string choice_text(const Gpu& gpu, int rank);
/// Returns a warning for a GPU that is not healthy; empty if it is.
[[nodiscard]] std::string choice_warning(const Gpu& gpu, int rank);

struct GpuChoice {
  std::vector<std::size_t> by_rank;  ///< index into the rank's offers
  std::string problem;               ///< reason why there is no choice; else empty
};

/// Returns the choice; the same on every rank that has the same offers. Ranks that see the same
/// GPUs take the best of them (of equals the healthier), unfit ones last, in the order of their
/// indices; or those listed, in that order. Ranks in excess share GPUs by the rule of
/// comm::assign_gpus().
[[nodiscard]] GpuChoice choose_gpus(std::span<const std::vector<GpuOffer>> by_rank,
                                    const DeviceWish& wish);
/// Returns the choice from the offers of all ranks. Throws on all ranks: NoSuchDevice if the wish
/// cannot be met, std::runtime_error if a rank sees no GPU at all. Collective.
[[nodiscard]] GpuChoice choose_gpus(const comm::Communicator& ranks,
                                    const std::vector<GpuOffer>& mine, const DeviceWish& wish);

}  // namespace nfold::hardware
