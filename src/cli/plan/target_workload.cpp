// Targets by backend: their times, their memory and their parts of a job.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/plan/target_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "batch/plan.hpp"
#include "cli/plan/target_sizes.hpp"
#include "estimate/list_time.hpp"
#include "session/setup/memory_estimate.hpp"
#include "session/setup/time_estimator.hpp"

namespace nfold::plan {
namespace {

using estimate::Backend;
using Indices = std::vector<std::size_t>;

// Spread of ln(real / estimated) of overlapping targets; 0.1 was measured on one H200 and on four.
constexpr double spread_of_overlap = 0.1;
/// Part of a list's time from which its longest target is its bottleneck.
constexpr double bottleneck_share = 0.9;

/// Target that can start.
struct Target {
  std::string name, protocol;
  estimate::TargetWork work;
  std::optional<Backend> fixed;  // by its `execution`
  TargetMemory memory;
};

/// Time and memory of the ranks of one backend.
struct PoolWork {
  estimate::LayoutWork work;                      // without memory
  std::int64_t device_bytes = 0, host_bytes = 0;  // each rank
};

/// Targets on ranks of one backend of a machine.
class Pool {
 public:
  /// `targets` and `machine` must outlive it.
  Pool(const std::vector<Target>& targets, const estimate::Machine& machine, Backend backend,
       int side_by_side)
      : targets_(targets),
        machine_(machine),
        backend_(backend),
        job_(estimate::job_of({1, 1, on_gpu()})),
        side_by_side_(side_by_side),
        most_ranks_(machine.most_nodes *
                    (on_gpu() ? machine.gpus_per_node : machine.cores_per_node)),
        estimator_(machine, backend),
        all_(targets.size()),
        curves_(targets.size()),
        by_entry_(targets.size()) {
    std::iota(all_.begin(), all_.end(), std::size_t{0});
    for (const auto& target : targets) entries_.push_back(make_entry(target));
    time_of_all_.emplace(listed(all_, most_ranks_), side_by_side);
  }

  /// Returns the time of a target alone on one rank.
  [[nodiscard]] TargetTime time_of(std::size_t k) const {
    const auto& entry = entries_[k];
    const double seconds = entry.listed.seconds.alone();
    return {targets_[k].name, seconds, estimate::ninety_percent_interval(seconds, entry.spread),
            entry.runs};
  }
  /// Returns the time of a target by the machine's entry alone, as a batch predicts it [s].
  [[nodiscard]] double predicted_seconds(std::size_t k, int ranks) const {
    auto& known = by_entry_[k];
    const auto found = std::ranges::find(known, ranks, [](const auto& one) { return one.first; });
    if (found != known.end()) return found->second;
    known.emplace_back(ranks, entry_seconds(k, ranks).all());
    return known.back().second;
  }
  /// Returns the time of all targets one after another on one rank [s].
  [[nodiscard]] double serial_seconds() const {
    const auto& sums = time_of_all_->sums();
    return sums.serial + sums.concurrent;
  }
  /// True if targets overlap on one rank.
  [[nodiscard]] bool overlap() const { return time_of_all_->on(1).is_concurrent; }

  /// Returns the work of some targets on ranks of a job.
  [[nodiscard]] PoolWork on(const Indices& own, int ranks) const {
    PoolWork pool;
    if (own.empty()) return pool;
    const auto list = own.size() == targets_.size()
                          ? time_of_all_->on(ranks)
                          : estimate::ListTime(listed(own, ranks), side_by_side_).on(ranks);
    set_time(own, list, pool.work);
    set_memory(own, list, ranks, pool);
    return pool;
  }

 private:
  /// Estimate of a target on one rank.
  struct Entry {
    estimate::ListedTarget listed;
    estimate::JobTime parts;  // corrected
    double by_entry = 0, spread = 0;
    int runs = 0;
  };

  [[nodiscard]] bool on_gpu() const { return backend_ == Backend::gpu; }
  [[nodiscard]] estimate::WorkSeconds entry_seconds(std::size_t k, int ranks) const {
    return estimate::work_seconds(targets_[k].work, machine_.speeds, job_, backend_, ranks);
  }

  [[nodiscard]] Entry make_entry(const Target& target) const {
    const auto learned = estimator_.of(target.work, job_, 1);
    const auto& by_entry = learned.row.predicted;
    Entry entry;
    entry.listed = estimate::listed_target(machine_, on_gpu(), target.work, learned.seconds);
    entry.parts = estimate::work_time(target.work, machine_.speeds, job_, backend_, 1);
    const double beside = by_entry.overhead > 0 ? learned.seconds.overhead / by_entry.overhead : 1;
    const double steps = entry.parts.steps;
    entry.parts = estimate::multiply(entry.parts, estimate::uniform_factors(beside));
    entry.parts.steps = steps;
    entry.by_entry = by_entry.all();
    entry.spread = learned.spread;
    entry.runs = learned.runs;
    return entry;
  }

  /// Returns the targets, of which those that some of `ranks` may share have times on several.
  [[nodiscard]] std::vector<estimate::ListedTarget> listed(const Indices& own, int ranks) const {
    std::vector<estimate::ListedTarget> result;
    result.reserve(own.size());
    for (const auto k : own) result.push_back(entries_[k].listed);
    estimate::estimate_sharing(result, side_by_side_, ranks,
                               [&](std::size_t i) { return curve(own[i]); });
    return result;
  }
  /// Returns the times of a target on up to all ranks of the machine.
  [[nodiscard]] const estimate::SecondsByRanks& curve(std::size_t k) const {
    if (curves_[k]) return *curves_[k];
    // The history corrects all numbers of several ranks alike.
    const auto two = estimator_.of(targets_[k].work, job_, 2);
    const auto& predicted = two.row.predicted;
    const double steps = predicted.steps > 0 ? two.seconds.steps / predicted.steps : 1;
    const double overhead = predicted.overhead > 0 ? two.seconds.overhead / predicted.overhead : 1;
    curves_[k].emplace(estimate::usable_ranks(targets_[k].work, most_ranks_), [&](int ranks) {
      if (ranks == 1) return entries_[k].listed.seconds.alone();
      const auto seconds = entry_seconds(k, ranks);
      return steps * seconds.steps + overhead * seconds.overhead;
    });
    return *curves_[k];
  }

  void set_time(const Indices& own, const estimate::ListSeconds& list,
                estimate::LayoutWork& work) const {
    double alone = 0, by_entry = 0, spread = 0, beside = 0;
    estimate::JobTime parts;
    for (const auto k : own) {
      const auto& entry = entries_[k];
      const double seconds = entry.listed.seconds.alone();
      alone += seconds;
      by_entry += entry.by_entry;
      spread += entry.spread * seconds;  // errors are mostly the machine's and do not cancel
      work.correction_runs = std::max(work.correction_runs, entry.runs);
      parts.start += entry.parts.start;
      parts.observables += entry.parts.observables;
      parts.analysis += entry.parts.analysis;
    }
    beside = parts.seconds();
    const double scale = beside > 0 ? (list.seconds - list.steps) / beside : 0;
    work.time = estimate::multiply(parts, estimate::uniform_factors(scale));
    work.time.steps = beside > 0 ? list.steps : list.seconds;
    work.correction = alone / by_entry;
    work.spread = spread / alone;
    if (list.is_concurrent) work.spread = std::hypot(work.spread, spread_of_overlap);
    if (own.size() > 1 && list.longest_seconds > bottleneck_share * list.seconds) {
      work.bottleneck = fmt::format("the longest target, '{}'", targets_[own[list.longest]].name);
    }
  }

  /// Returns why a target that `ranks` ranks share exceeds its memory limit; empty if it does not.
  [[nodiscard]] std::string find_excess(std::size_t k, int ranks) const {
    const auto& [name, protocol, work, fixed, memory] = targets_[k];
    const auto excess =
        describe_excess((on_gpu() ? memory.least_device : memory.least_core) / ranks, memory.limit);
    return excess.empty() ? excess : fmt::format("target '{}' {}", name, excess);
  }

  /// Sums the largest targets that a rank computes at once. Ranks that share one split it.
  void set_memory(const Indices& own, const estimate::ListSeconds& list, int ranks,
                  PoolWork& pool) const {
    Indices order(own.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto device = [&](std::size_t i) {
      const auto& memory = targets_[own[i]].memory;
      return (on_gpu() ? memory.device : memory.core) / list.shares[i];
    };
    std::ranges::stable_sort(order, std::greater(), device);
    const auto left = static_cast<int>(own.size()) - ranks + 1;  // others have one at least
    const int most = std::clamp(left, 1, std::max(1, side_by_side_));
    double filled = 0;
    int count = 0;
    std::int64_t device_bytes = 0, host_bytes = 0;
    for (const auto i : order) {
      const auto& entry = entries_[own[i]].listed;
      const auto host = on_gpu() ? targets_[own[i]].memory.host : 0;
      pool.device_bytes = std::max(pool.device_bytes, device(i));
      pool.host_bytes = std::max(pool.host_bytes, host);
      if (pool.work.impossible.empty()) pool.work.impossible = find_excess(own[i], list.shares[i]);
      if (!entry.may_run_concurrently || list.shares[i] > 1) continue;
      if (count == most || filled >= 1) continue;
      ++count;
      filled += entry.capacity_share;
      device_bytes += device(i);
      host_bytes += host;
    }
    pool.device_bytes = std::max(pool.device_bytes, device_bytes);
    pool.host_bytes = std::max(pool.host_bytes, host_bytes);
  }

  const std::vector<Target>& targets_;
  const estimate::Machine& machine_;
  Backend backend_;
  estimate::JobRanks job_;  // one rank
  int side_by_side_, most_ranks_;
  setup::WorkEstimator estimator_;
  Indices all_;
  std::vector<Entry> entries_;                                           // (targets)
  mutable std::vector<std::optional<estimate::SecondsByRanks>> curves_;  // (targets) as needed
  mutable std::vector<std::vector<std::pair<int, double>>> by_entry_;    // (targets) ranks, seconds
  std::optional<estimate::ListTime> time_of_all_;
};

/// Targets of a list on layouts of a machine.
class TargetsTogether {
 public:
  /// `machine` must outlive it.
  TargetsTogether(std::vector<Target> targets, const estimate::Machine& machine, int side_by_side)
      : targets_(std::move(targets)), machine_(machine), side_by_side_(side_by_side) {}

  [[nodiscard]] const std::vector<Target>& targets() const { return targets_; }
  [[nodiscard]] const Pool& pool(Backend backend) const {
    auto& pool = backend == Backend::gpu ? gpu_ : cpu_;
    if (!pool) pool.emplace(targets_, machine_, backend, side_by_side_);
    return *pool;
  }

  [[nodiscard]] estimate::LayoutWork on(const estimate::Layout& layout) const {
    estimate::LayoutWork work;
    const auto job = estimate::job_of(layout);
    work.impossible = find_obstacle(job);
    if (!work.impossible.empty()) return work;
    Indices on_gpu, on_cores;
    for (std::size_t k = 0; k < targets_.size(); ++k) {
      (choose(k, job) == Backend::gpu ? on_gpu : on_cores).push_back(k);
    }
    const auto gpu = job.gpu > 0 ? pool(Backend::gpu).on(on_gpu, job.gpu) : PoolWork();
    const auto cpu = job.cpu > 0 ? pool(Backend::cpu).on(on_cores, job.cpu) : PoolWork();
    work.impossible = gpu.work.impossible.empty() ? cpu.work.impossible : gpu.work.impossible;
    if (!work.impossible.empty()) return work;
    work = gpu.work.time.seconds() >= cpu.work.time.seconds() ? gpu.work : cpu.work;
    work.time.start +=
        layout.on_gpu ? machine_.job.gpu_start_seconds : machine_.job.core_start_seconds;
    work.device_bytes = layout.on_gpu ? gpu.device_bytes : cpu.device_bytes;
    const int cpu_ranks = layout.on_gpu ? layout.cores_beside_gpus : layout.ranks_per_node;
    work.host_bytes = cpu_ranks * (host_bytes(layout, false) + cpu.device_bytes);
    if (layout.on_gpu) {
      work.host_bytes += layout.ranks_per_node * (host_bytes(layout, true) + gpu.host_bytes);
    }
    return work;
  }

 private:
  /// Returns the host memory of a rank beside its targets.
  [[nodiscard]] static std::int64_t host_bytes(const estimate::Layout& layout, bool on_gpu) {
    return setup::runtime_memory(layout.ranks(), on_gpu, layout.nodes).host_bytes();
  }

  /// Returns why a target has no rank; empty if all have one.
  [[nodiscard]] std::string find_obstacle(const estimate::JobRanks& job) const {
    for (const auto& target : targets_) {
      if (!target.fixed || job.of(*target.fixed) > 0) continue;
      const bool needs_cores = *target.fixed == Backend::cpu;
      return fmt::format("target '{}' has execution: {}; {}, or set execution: auto", target.name,
                         estimate::backend_name(*target.fixed),
                         needs_cores ? "take cores beside the GPUs" : "take GPUs");
    }
    return {};
  }

  /// Returns the backend as estimate::decide() chooses it in the batch.
  [[nodiscard]] Backend choose(std::size_t k, const estimate::JobRanks& job) const {
    const auto& target = targets_[k];
    if (target.fixed) return *target.fixed;
    if (job.cpu == 0 || job.gpu == 0) return job.gpu > 0 ? Backend::gpu : Backend::cpu;
    return estimate::compare_backends(target.work, job,
                                      [&](Backend backend, int ranks) {
                                        return pool(backend).predicted_seconds(k, ranks);
                                      })
        .space;
  }

  std::vector<Target> targets_;
  const estimate::Machine& machine_;
  int side_by_side_;
  mutable std::optional<Pool> gpu_, cpu_;  // made when a layout needs them
};

/// Adds the lines and the times of the targets.
void describe(const TargetsTogether& list, const estimate::Machine& machine, int side_by_side,
              Workload& workload) {
  const auto usual = machine.has_gpus() ? Backend::gpu : Backend::cpu;
  for (std::size_t k = 0; k < list.targets().size(); ++k) {
    const auto& target = list.targets()[k];
    const auto backend = machine.has_gpus() ? target.fixed.value_or(usual) : usual;
    const auto time = list.pool(backend).time_of(k);
    workload.residues = std::max(workload.residues, target.work.residues);
    workload.lines.push_back(fmt::format("target '{}': {} of a {} ({} to {}){}", target.name,
                                         estimate::format_time_span(time.seconds),
                                         backend == Backend::gpu ? "GPU" : "core",
                                         estimate::format_time_span(time.interval.low),
                                         estimate::format_time_span(time.interval.high),
                                         target.protocol.empty() ? "" : "; " + target.protocol));
    workload.targets.push_back(time);
  }
  if (const auto& pool = list.pool(usual); pool.overlap()) {
    workload.lines.push_back(
        fmt::format("one after another they take {} of a GPU; up to {} at once share it below",
                    estimate::format_time_span(pool.serial_seconds()), side_by_side));
  }
}

Workload on_machine(const input::BatchFile& list, const std::vector<SizedTarget>& sizes,
                    const estimate::Machine& machine, int side_by_side) {
  Workload workload;
  workload.kind = "batch";
  std::vector<Target> targets;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    const auto& [size, protocol, memory] = sizes[k];
    const auto& name = list.targets[k].name;
    if (size.problem.empty()) {
      targets.push_back(
          {name, protocol, size.work, batch::requested_backend(size.execution), memory});
    } else {
      workload.lines.push_back(fmt::format("target '{}' would fail: {}", name, size.problem));
    }
  }
  if (targets.empty()) {
    workload.on = [](const estimate::Layout& /*layout*/) {
      estimate::LayoutWork on;
      on.impossible = "no target can begin";
      return on;
    };
    return workload;
  }
  const auto count = targets.size();
  const auto together =
      std::make_shared<TargetsTogether>(std::move(targets), machine, side_by_side);
  describe(*together, machine, side_by_side, workload);
  workload.lines.insert(workload.lines.begin(),
                        fmt::format("{} of {} targets, of at most {} residues", count,
                                    list.targets.size(), workload.residues));
  workload.on = [together](const estimate::Layout& layout) { return together->on(layout); };
  return workload;
}

}  // namespace

std::string describe_excess(std::int64_t arrays, std::int64_t limit) {
  constexpr double giga = 1e9;
  if (limit == 0 || !setup::exceeds(arrays, limit)) return {};
  return fmt::format("takes {:.3g} GB of the {:.3g} that devices.memory_limit_gb allows",
                     static_cast<double>(arrays) / giga, static_cast<double>(limit) / giga);
}

WorkloadOnMachine count_targets(const input::BatchFile& list,
                                const std::vector<std::string>& overrides, int side_by_side) {
  return [=, sizes = find_sizes(list, overrides)](const estimate::Machine& machine) {
    return on_machine(list, sizes, machine, side_by_side);
  };
}

}  // namespace nfold::plan
