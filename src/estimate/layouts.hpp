// Layouts of a job on a machine, and the work of a job on a layout.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "estimate/dispatch.hpp"
#include "estimate/job_time.hpp"
#include "estimate/machine.hpp"

namespace nfold::estimate {

/// Ranks of a job: one per GPU, or one per core.
struct Layout {
  int nodes = 1, ranks_per_node = 1;
  bool on_gpu = true;
  int cores_beside_gpus = 0;  ///< per node: CPU ranks that take targets of a list beside the GPUs
  /// Number of GPUs, or of cores if the layout has no GPU.
  [[nodiscard]] int ranks() const { return nodes * ranks_per_node; }
};
[[nodiscard]] Backend to_backend(const Layout& layout);
/// Returns the ranks of a job with this layout. A CPU rank has one core.
[[nodiscard]] JobRanks job_of(const Layout& layout);
/// Returns the time of a target whose replicas, or whose one trajectory, `ranks` ranks share
/// (dispatch.hpp).
[[nodiscard]] WorkSeconds work_seconds(const Machine& machine, const Layout& layout,
                                       const TargetWork& work, int ranks);

/// Returns "1 GPU", "8 nodes of 8 GPUs", "64 cores" or "4 GPUs and 28 cores".
[[nodiscard]] std::string describe(const Layout& layout);

/// Returns numbers from 1 to `most` (at least 1): each one up to 16, then steps of an eighth, so
/// that no number costs much less than the next of them.
[[nodiscard]] std::vector<int> candidate_counts(int most);
/// Restriction of the layouts that are compared. Empty numbers are free.
struct LayoutWish {
  std::optional<int> nodes, gpus_per_node, cores_per_node, ranks;
  bool lists_every_number = false;  ///< every number in place of candidate_counts()
  bool mixes = false;               ///< also GPUs with their share of the node's cores beside them
  [[nodiscard]] bool asks() const { return nodes || gpus_per_node || cores_per_node || ranks; }
  [[nodiscard]] bool includes_busy_cores() const { return lists_every_number || asks(); }
};
/// Returns GPUs of one node, then whole nodes of GPUs; then cores likewise. Of an asked number of
/// nodes any part may be used, and asked ranks are split over nodes in every way. Each GPU keeps a
/// core for its host thread. Empty if the machine has no such layout.
[[nodiscard]] std::vector<Layout> list_layouts(const Machine& machine, const LayoutWish& wish = {});
/// Returns "up to 64 nodes of 8 GPUs and 192 cores".
[[nodiscard]] std::string describe_limits(const Machine& machine);

/// Work of a job on a layout.
struct LayoutWork {
  JobTime time;                         ///< parts of the whole job; its steps include `correction`
  std::string bottleneck;               ///< description of the largest part of the steps
  StepTime step;                        ///< estimate by the model; runs only
  std::int64_t device_bytes = 0;        ///< each rank; on cores they are part of host_bytes
  std::int64_t spare_device_bytes = 0;  ///< optional part of device_bytes
  std::int64_t movable_device_bytes = 0;  ///< part of device_bytes that may stand on the host
  std::int64_t host_bytes = 0;            ///< sum over the ranks of a node
  std::string impossible;   ///< reason why the job cannot run on this layout; empty: it can
  double correction = 1;    ///< history over machine entry; time.steps includes it
  int correction_runs = 0;  ///< runs of the history it is based on
  double spread = 0.1;      ///< standard deviation of ln(real / estimated) of the steps
  [[nodiscard]] std::int64_t needed_device_bytes() const {
    return device_bytes - spare_device_bytes;
  }
};

/// Returns "2 GPUs of h200".
[[nodiscard]] std::string describe(const Layout& layout, const std::string& machine);

/// Returns "3.2 h", "45 s" or "12 days", with at most three significant digits.
[[nodiscard]] std::string format_time_span(double seconds);

}  // namespace nfold::estimate
