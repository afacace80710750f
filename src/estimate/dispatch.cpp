// Estimates of a target's time on CPU and GPU ranks, and their comparison.
// SPDX-License-Identifier: BSD-3-Clause

#include "estimate/dispatch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.hpp"

namespace nfold::estimate {
namespace {

/// Residues above which a single trajectory gains from threads, and from ranks.
constexpr std::int64_t fewest_for_threads = 2'000, fewest_for_ranks = 20'000;
// Exponent of the filled fraction of a group's lanes in the time of a step on a core. Fitted to 30
// runs of targets and to groups of 4 to 16 ubiquitins (2026-11-26).
constexpr double group_fill_exponent = 0.12;
// Exponents of the repulsion cutoff in the time of a resident replica's step. GPU: 1,056 ubiquitins
// on an H200 take 3.4 us at 0.8 nm, 5.8 us at 1.1 nm. Core: 30 runs of targets.
constexpr double repulsion_exponent_gpu = 1.7, repulsion_exponent_core = 0.775;
/// Largest slowdown of one target that is accepted for a shorter batch.
constexpr double largest_slowdown = 2;

double threads_of_rank(const JobRanks& job) {
  return job.cpu > 0 ? std::max(1.0, static_cast<double>(job.cpu_threads) / job.cpu) : 1;
}

std::string ranks_text(const JobRanks& job, Backend space) {
  return core::pluralise(job.of(space), space == Backend::cpu ? "CPU rank" : "GPU rank");
}

/// Adds the overhead of a part. replicas: those of one thread.
void add_overhead(const TargetPart& part, double residues, const PartCosts& cost, double replicas,
                  double threads, JobTime& time) {
  constexpr double microsecond = 1e-6;
  // Errors come from this many resamplings of at most so many samples.
  constexpr double drawings = 25, most_samples = 15'000;
  time.start += cost.start_seconds;
  const double gather_us =
      cost.look_us + residues * residues * cost.look_chain_us +
      replicas * residues * (cost.look_residue_us + residues * cost.look_pair_us);
  time.observables += microsecond * gather_us * static_cast<double>(part.energy_gathers);
  if (part.counts_contacts) {
    time.observables +=
        microsecond * cost.count_us * replicas * residues * static_cast<double>(part.samples);
    time.analysis += microsecond * cost.table_pair_us * residues * residues;
  }
  if (part.temperatures > 1) {
    const double samples = std::min(
        most_samples, static_cast<double>(part.samples) * static_cast<double>(part.replicas));
    time.analysis += microsecond * cost.analysis_us * drawings * samples *
                     static_cast<double>(part.temperatures) / threads;
  }
}

/// Adds the time of one part; the parts of `work` are ignored.
void add_part(const TargetPart& part, const TargetWork& work, const MachineTable& machine,
              const JobRanks& job, Backend space, int ranks, JobTime& time) {
  const bool on_gpu = space == Backend::gpu;
  const double threads = on_gpu ? 1 : threads_of_rank(job);
  const double of_thread = static_cast<double>(part.replicas) / ranks / threads;
  const auto residues = static_cast<double>(std::max<std::int64_t>(1, work.residues));
  const auto& costs = (on_gpu ? machine.gpu : machine.cpu_core).part;
  const double factor = work.is_go && work.is_resident ? costs.step_factor : 1;
  time.steps += factor * seconds_of_steps(part, work, machine, job, space, ranks);
  add_overhead(part, residues, costs, of_thread, threads, time);
}

Backend other(Backend space) { return space == Backend::cpu ? Backend::gpu : Backend::cpu; }

}  // namespace

const char* backend_name(Backend space) { return space == Backend::cpu ? "cpu" : "gpu"; }

std::optional<Backend> parse_backend(const std::string& name) {
  if (name == "cpu") return Backend::cpu;
  return name == "gpu" ? std::optional(Backend::gpu) : std::nullopt;
}

StepCurve to_step_curve(const TargetWork& work) {
  if (work.is_resident) {
    return work.is_go ? StepCurve::resident : StepCurve::resident_chains;
  }
  return work.is_go ? StepCurve::go : StepCurve::condensate;
}

double equivalent_residues(double residues, double terms, const MachineTable& machine,
                           bool is_resident) {
  if (terms <= 0) return residues;
  const double by_terms = std::max(1.0, terms / machine.terms_per_residue);
  return is_resident ? (by_terms + residues) / 2 : by_terms;
}

double seconds_of_steps(const TargetPart& part, const TargetWork& work, const MachineTable& machine,
                        const JobRanks& job, Backend space, int ranks) {
  const bool on_gpu = space == Backend::gpu;
  const auto& curve = curve_of(on_gpu ? machine.gpu : machine.cpu_core, to_step_curve(work));
  const double equivalent = equivalent_residues(
      static_cast<double>(std::max<std::int64_t>(1, work.residues)),
      work.is_go ? static_cast<double>(work.terms) : 0, machine, work.is_resident);
  const double threads = on_gpu ? 1 : threads_of_rank(job);
  const bool threads_help = work.is_resident || work.residues >= fewest_for_threads;
  const auto replicas = static_cast<double>(std::max<std::int64_t>(1, part.replicas));
  const double of_rank = std::max(1.0, replicas / ranks);
  // A thread computes whole groups, empty lanes included; but the fewer replicas share a list, the
  // shorter the list is.
  const double groups = std::ceil(of_rank / curve.group);
  const double computed = curve.group * std::max(1.0, std::ceil(groups / threads));
  double seconds_of_step = 0;
  if (work.is_resident) {
    seconds_of_step = computed / curve.steps_per_second(equivalent, computed);
    if (!on_gpu) {
      seconds_of_step *= std::pow(of_rank / (groups * curve.group), group_fill_exponent);
    }
    if (work.is_go && work.repulsion_nm > 0 && curve.repulsion_nm > 0) {
      seconds_of_step = std::max(
          seconds_of_step * std::pow(work.repulsion_nm / curve.repulsion_nm,
                                     on_gpu ? repulsion_exponent_gpu : repulsion_exponent_core),
          1 / curve.most_steps_per_second);
    }
  } else {
    // Ranks in excess of the replicas share a trajectory.
    const double sharing = std::max(1.0, ranks / replicas) * (threads_help ? threads : 1);
    seconds_of_step = of_rank / (sharing * curve.steps_per_second(equivalent, 1));
  }
  return seconds_of_step * static_cast<double>(part.steps);
}

JobTime work_time(const TargetWork& work, const MachineTable& machine, const JobRanks& job,
                  Backend space, int ranks) {
  JobTime time;
  for (const auto& part : work.parts) add_part(part, work, machine, job, space, ranks, time);
  return time;
}

WorkSeconds work_seconds(const TargetWork& work, const MachineTable& machine, const JobRanks& job,
                         Backend space, int ranks) {
  const auto time = work_time(work, machine, job, space, ranks);
  return {time.steps, time.seconds_beside_steps()};
}

std::int64_t fewest_replicas(const TargetWork& work) {
  const auto fewest = std::ranges::min_element(work.parts, {}, &TargetPart::replicas);
  return fewest == work.parts.end() ? 1 : std::max<std::int64_t>(1, fewest->replicas);
}

int usable_ranks(const TargetWork& work, int ranks) {
  const auto replicas = fewest_replicas(work);
  const auto most = replicas > 1 ? replicas : work.residues / fewest_for_ranks;
  return static_cast<int>(std::clamp<std::int64_t>(most, 1, ranks));
}

std::string start_instructions() {
  return "start ranks of both builds, mpirun -n 1 nfold batch LIST : -n 4 nfold-cpu batch LIST";
}

BackendComparison compare_backends(const TargetWork& work, const JobRanks& job,
                                   const std::function<double(Backend, int)>& seconds_on) {
  BackendComparison result;
  result.cpu_share = seconds_on(Backend::cpu, 1) / job.cpu;
  result.gpu_share = seconds_on(Backend::gpu, 1) / job.gpu;
  result.cheaper = result.cpu_share < result.gpu_share ? Backend::cpu : Backend::gpu;
  const auto end_on = [&](Backend space) {
    return seconds_on(space, usable_ranks(work, job.of(space)));
  };
  result.slowdown = end_on(result.cheaper) / end_on(other(result.cheaper));
  result.space = result.slowdown <= largest_slowdown ? result.cheaper : other(result.cheaper);
  return result;
}

Decision decide(const TargetWork& work, const MachineTable& machine, const JobRanks& job,
                std::optional<Backend> fixed) {
  const auto seconds_on = [&](Backend space, int ranks) {
    return work_seconds(work, machine, job, space, ranks).all();
  };
  Decision decision;
  decision.cpu_seconds = seconds_on(Backend::cpu, 1);
  decision.gpu_seconds = seconds_on(Backend::gpu, 1);
  const auto predicted = fmt::format("predicted {:.3g} s on a CPU rank, {:.3g} s on a GPU",
                                     decision.cpu_seconds, decision.gpu_seconds);
  if (fixed) {
    if (job.of(*fixed) > 0) {
      decision.space = fixed;
      decision.reason = fmt::format("execution: {} ({})", backend_name(*fixed), predicted);
    } else {
      decision.reason =
          fmt::format("execution: {}, and the job has {} only: {}; or set execution: auto",
                      backend_name(*fixed), ranks_text(job, other(*fixed)), start_instructions());
    }
    return decision;
  }
  if (job.cpu == 0 || job.gpu == 0) {
    decision.space = job.cpu > 0 ? Backend::cpu : Backend::gpu;
    decision.reason =
        fmt::format("the job has {} only ({})", ranks_text(job, *decision.space), predicted);
    return decision;
  }
  const auto compared = compare_backends(work, job, seconds_on);
  decision.space = compared.space;
  const auto shares =
      fmt::format("{:.3g} s of the time of {} against {:.3g} s of {}", compared.cpu_share,
                  ranks_text(job, Backend::cpu), compared.gpu_share, ranks_text(job, Backend::gpu));
  decision.reason =
      compared.space == compared.cheaper
          ? fmt::format("{}: it takes {}", predicted, shares)
          : fmt::format("{}: it would take {}, but end {:.1f} times as late on the {}", predicted,
                        shares, compared.slowdown,
                        compared.cheaper == Backend::cpu ? "CPU" : "GPU");
  return decision;
}

}  // namespace nfold::estimate
