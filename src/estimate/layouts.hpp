// Layouts of a job on a machine: their estimated time and cost, and the choice of the best.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
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

/// Returns "1 GPU", "8 nodes of 8 GPUs" or "64 cores".
[[nodiscard]] std::string describe(const Layout& layout);

/// Returns numbers from 1 to `most` (at least 1): each one up to 16, then steps of an eighth, so
/// that no number costs much less than the next of them.
[[nodiscard]] std::vector<int> candidate_counts(int most);
/// Returns candidate_counts() GPUs of one node, then whole nodes; on a machine without GPUs, cores.
[[nodiscard]] std::vector<Layout> list_layouts(const Machine& machine);

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

enum class Objective { efficiency, time, cost };
/// Returns the names in the order of the enum.
[[nodiscard]] const std::vector<std::string>& objective_names();

struct PlanGoal {
  Objective objective = Objective::efficiency;
  std::optional<double> deadline_seconds, budget;
};

/// Layout with its estimates.
struct LayoutEstimate {
  Layout layout;
  LayoutWork work;
  double seconds = 0, low_seconds = 0, high_seconds = 0;  ///< median and 90 % interval
  double speed_up = 1, efficiency = 1;  ///< relative to the smallest feasible layout
  double cost = 0, high_cost = 0;       ///< at the median and at the upper end
  double chance_in_time = 1;            ///< probability of meeting the deadline
  int jobs = 1;         ///< number of jobs in a row, by the machine's limit of hours
  std::string refused;  ///< reason for exclusion; empty: feasible
  [[nodiscard]] bool is_feasible() const { return refused.empty(); }
};

/// True if a GPU of the machine holds the job only with movable arrays in host memory.
[[nodiscard]] bool moves_arrays(const Machine& machine, const Layout& layout,
                                const LayoutWork& work);

struct Choice {
  std::vector<LayoutEstimate> all;  ///< in the order of the layouts
  std::optional<std::size_t> best;  ///< index in `all`; none if no layout is feasible
  std::string reason;               ///< description of the choice
  bool meets_deadline = true, meets_budget = true;
};

/// Smallest efficiency of a layout that the default objective accepts.
inline constexpr double least_efficiency = 0.7;

/// Chooses a layout; a pure function of its arguments. Default objective: with a deadline, the
/// cheapest layout that meets it with a probability of 95 %; with a budget, the fastest within it;
/// with neither, the fastest of at least least_efficiency. If no layout meets the limits, the
/// nearest one is chosen and `reason` states it.
[[nodiscard]] Choice choose(const Machine& machine, const std::vector<Layout>& layouts,
                            const std::function<LayoutWork(const Layout&)>& work_of_layout,
                            const PlanGoal& goal);

/// Returns "3.2 h", "45 s" or "12 days", with at most three significant digits.
[[nodiscard]] std::string format_time_span(double seconds);

}  // namespace nfold::estimate
