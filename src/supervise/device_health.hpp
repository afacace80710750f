// Health of the GPUs of each node, from the report of `nfold devices --json`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nfold::supervise {

struct GpuHealth {
  int index = 0;  ///< Index on its node.
  std::string uuid;
  std::string level;  ///< healthy, doubtful, unfit
  std::vector<std::string> reasons;
  [[nodiscard]] bool is_unfit() const { return level == "unfit"; }
};
struct NodeHealth {
  std::string host;
  std::vector<GpuHealth> gpus;
};

/// Parses {"nodes": [NODE, ...]}, [NODE, ...] or one NODE: {"host": "n1", "gpus": [{"index": 0,
/// "uuid": "GPU-...", "verdict": "healthy", "reasons": []}, ...]}. "is_visible": false hides a GPU.
/// Ignores other keys, and text before the first brace, which launchers may add. None if the text
/// has another form.
[[nodiscard]] std::optional<std::vector<NodeHealth>> parse_devices(std::string_view text);

/// Filters GPUs by CUDA_VISIBLE_DEVICES (indices or UUID prefixes). Empty: hides none.
[[nodiscard]] std::vector<GpuHealth> visible_gpus(std::vector<GpuHealth> gpus,
                                                  std::string_view cuda_visible_devices);

/// Returns "GPU 3 (GPU-...) of n1 is unfit: 12 uncorrected ECC errors". Empty if all are fit.
[[nodiscard]] std::string describe_unfit(const std::vector<NodeHealth>& nodes);

}  // namespace nfold::supervise
