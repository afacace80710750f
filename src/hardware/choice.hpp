// Which GPU each rank takes, of those that it sees: by the user's wish, health and score.
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
#include "comm/gpu_place.hpp"
#include "hardware/health.hpp"
#include "hardware/inventory.hpp"

namespace nfold::hardware {

/// One condition of devices.filter: name=TEXT, name!=TEXT, memory_gb>=N, free_memory_gb>=N,
/// healthy, fit.
struct Condition {
  enum class Kind { name, not_name, memory_gb, free_memory_gb, healthy, fit };
  Kind kind = Kind::fit;
  std::string text;  ///< of a name
  double gigabytes = 0;
};
/// Nothing where it is none of these.
[[nodiscard]] std::optional<Condition> parse_condition(std::string_view text);
/// What cannot be told meets no condition.
[[nodiscard]] bool meets(const Gpu& gpu, Verdict verdict, const Condition& condition);

/// What a user asked for; by default as many GPUs as there are ranks, the best of each node.
struct DeviceWish {
  enum class Which { best, listed, all };
  Which which = Which::best;
  int count = 0;                    ///< of a node, no more and no less; 0: not asked for
  int max = 0;                      ///< of a node at most; 0: no limit
  std::vector<std::string> listed;  ///< numbers as `nfold devices` prints, or beginnings of UUIDs
  std::vector<Condition> filter;
  bool keeps_binding = false;
};

/// --gpus N, --gpus 0,2,3 or --gpus all, into a wish that it counts before. What is wrong with it,
/// in words; empty if nothing is. A single number is a count: "2," means GPU 2.
[[nodiscard]] std::string read_gpus_option(std::string_view text, DeviceWish& wish);

/// A GPU that a rank sees, as it travels to the others.
struct GpuOffer {
  comm::GpuId id{};
  int index = 0;  ///< as `nfold devices` prints
  Verdict verdict = Verdict::healthy;
  bool is_wanted = true;
  int place_in_list = 0;  ///< of DeviceWish::listed
  double best = 0;        ///< available_score()
};

/// Of the GPUs that CUDA shows this rank, in its order. Those that NVML does not tell of have no
/// score and meet no condition, but are wanted where none is set.
[[nodiscard]] std::vector<GpuOffer> offers_of(std::span<const comm::GpuId> seen,
                                              const NodeInventory& node, const DeviceWish& wish);

/// A wish that the devices there are cannot meet.
class NoSuchDevice : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// For the log: "rank 0 computes on GPU 2 (NVIDIA H100, GPU-...), healthy; ... beside it".
[[nodiscard]] std::string choice_text(const Gpu& gpu, int rank);
/// What a user should know of a GPU that is not healthy; empty if it is.
[[nodiscard]] std::string choice_warning(const Gpu& gpu, int rank);

struct GpuChoice {
  std::vector<std::size_t> by_rank;  ///< place in the rank's offers
  std::string problem;               ///< why there is none, in words; else empty
};

/// The same on every rank that knows the same offers. Ranks that see the same GPUs take the best of
/// these (of equals the healthier), unfit ones last, in the order of their numbers; or those
/// listed, in that order. Beyond that ranks share as comm::chosen_gpus() says.
[[nodiscard]] GpuChoice choose_gpus(std::span<const std::vector<GpuOffer>> by_rank,
                                    const DeviceWish& wish);
/// Collective: the same, of what each rank sees. Throws on all ranks: NoSuchDevice where the wish
/// cannot be met, std::runtime_error where a rank sees no GPU at all.
[[nodiscard]] GpuChoice choose_gpus(const comm::Communicator& ranks,
                                    const std::vector<GpuOffer>& mine, const DeviceWish& wish);

}  // namespace nfold::hardware
