// Which nodes and GPUs a job may have, what each would take and cost, and which of them is best.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plan/dispatch.hpp"
#include "plan/machine.hpp"

namespace nfold::plan {

/// Ranks of a job: one a GPU, or one a core.
struct Layout {
  int nodes = 1, ranks_per_node = 1;
  bool on_gpu = true;
  [[nodiscard]] int ranks() const { return nodes * ranks_per_node; }
};
[[nodiscard]] Space space_of(const Layout& layout);
/// What a step takes where each rank has this to do.
[[nodiscard]] StepTime step_time(const Machine& machine, const Layout& layout,
                                 const StepDemand& demand);
/// Of replicas that ranks share, or of one trajectory, as dispatch.hpp has it; of a core each has
/// one.
[[nodiscard]] double seconds_on(const Machine& machine, const Layout& layout,
                                const TargetWork& work, int ranks);
/// The same, steps and what is beside them each by itself.
[[nodiscard]] WorkSeconds work_seconds(const Machine& machine, const Layout& layout,
                                       const TargetWork& work, int ranks);
/// Of the steps of all parts on all ranks of the layout, without what they take beside them.
[[nodiscard]] double seconds_of_steps(const Machine& machine, const Layout& layout,
                                      const TargetWork& work);

/// "1 GPU", "8 nodes of 8 GPUs", "64 cores".
[[nodiscard]] std::string in_words(const Layout& layout);

/// From 1 to `most`, which is 1 at least: each number up to eight, and then steps of an eighth, so
/// that no number costs much less than the next of them.
[[nodiscard]] std::vector<int> numbers_up_to(int most);
/// numbers_up_to() of GPUs of one node, then of whole nodes; of a machine without GPUs, of cores.
[[nodiscard]] std::vector<Layout> layouts_of(const Machine& machine);

/// What a job has to do on a layout.
struct LayoutWork {
  double seconds_of_steps = 0;
  double seconds_beside = 0;            ///< start, frames, checkpoints, analysis
  std::string bottleneck;               ///< what takes most of a step
  StepTime step;                        ///< of a run, by the model; of other jobs nothing
  std::int64_t device_bytes = 0;        ///< of each GPU; on cores of all ranks of a node together
  std::int64_t spare_device_bytes = 0;  ///< of these, for what is only tried where there is room
  std::int64_t host_bytes = 0;          ///< of all ranks of a node together
  std::string impossible;               ///< why the job cannot be done so; empty: it can
  double correction = 1;    ///< by the history, over the machine's entry: seconds_of_steps has it
  int correction_runs = 0;  ///< of the history
  double spread = 0.1;      ///< standard deviation of ln(real / predicted) of the steps
};

enum class Objective { efficiency, time, cost };
/// In the order of the enum.
[[nodiscard]] const std::vector<std::string>& objective_names();

struct Question {
  Objective objective = Objective::efficiency;
  std::optional<double> deadline_seconds, budget;
};

/// A layout with what follows.
struct Forecast {
  Layout layout;
  LayoutWork work;
  double seconds = 0, low_seconds = 0, high_seconds = 0;  ///< median, and the 90 % interval
  double speed_up = 1, efficiency = 1;  ///< over the smallest layout that can do it
  double cost = 0, high_cost = 0;       ///< of the median and of the upper end
  double chance_in_time = 1;            ///< that it meets the deadline
  int jobs = 1;                         ///< so many in a row, by the machine's limit of hours
  std::string refused;                  ///< why it does not come into question; empty: it does
  [[nodiscard]] bool is_open() const { return refused.empty(); }
};

struct Choice {
  std::vector<Forecast> all;        ///< in the order of the layouts
  std::optional<std::size_t> best;  ///< none: none can do it
  std::string reason;               ///< in words
  bool meets_deadline = true, meets_budget = true;
};

/// Layouts of efficiency below this are not taken unless time is all that counts.
inline constexpr double least_efficiency = 0.7;

/// A function of its arguments. With a deadline and no other objective the cheapest that meets it
/// with 95 %, with a budget the fastest within it; without either the fastest of least_efficiency.
/// Where nothing meets what is asked, the nearest is taken, and said so.
[[nodiscard]] Choice choose(const Machine& machine, const std::vector<Layout>& layouts,
                            const std::function<LayoutWork(const Layout&)>& work_on,
                            const Question& question);

/// "3.2 h", "45 s", "12 days": with two or three figures.
[[nodiscard]] std::string span_text(double seconds);

}  // namespace nfold::plan
