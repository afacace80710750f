// Which GPUs of which nodes are fit, as `nfold devices --json` says it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nfold::launch {

struct GpuHealth {
  int index = 0;  ///< on its node
  std::string uuid;
  std::string verdict;  ///< healthy, doubtful, unfit
  std::vector<std::string> reasons;
  [[nodiscard]] bool is_unfit() const { return verdict == "unfit"; }
};
struct NodeHealth {
  std::string host;
  std::vector<GpuHealth> gpus;
};

/// {"nodes": [NODE, ...]}, [NODE, ...] or one NODE: {"host": "n1", "gpus": [{"index": 0, "uuid":
/// "GPU-...", "verdict": "healthy", "reasons": []}, ...]}. "is_visible": false hides one. Keys
/// beside these are passed over; text before the first brace too, for launchers add theirs. None if
/// it is no such thing.
[[nodiscard]] std::optional<std::vector<NodeHealth>> parse_devices(std::string_view text);

/// Without those that CUDA_VISIBLE_DEVICES (indices or beginnings of UUIDs) hides; empty: none.
[[nodiscard]] std::vector<GpuHealth> visible_gpus(std::vector<GpuHealth> gpus,
                                                  std::string_view cuda_visible_devices);

/// "GPU 3 (GPU-...) of n1 is unfit: 12 uncorrected ECC errors"; empty if all are fit.
[[nodiscard]] std::string unfit_in_words(const std::vector<NodeHealth>& nodes);

}  // namespace nfold::launch
