// Choice between CPU and GPU for a target of a batch, from counted work alone.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "estimate/job_time.hpp"
#include "estimate/machine_table.hpp"

namespace nfold::estimate {

enum class Backend : std::uint8_t { cpu, gpu };
/// Returns "cpu" or "gpu".
[[nodiscard]] const char* backend_name(Backend space);
[[nodiscard]] std::optional<Backend> parse_backend(const std::string& name);

/// One run of a target.
struct TargetPart {
  std::int64_t replicas = 1, steps = 0;
  std::int64_t energy_gathers = 0;  ///< gathers of all energies: replica exchanges and samples
  std::int64_t samples = 0;
  std::int64_t temperatures = 1;
  bool counts_contacts = false;  ///< contacts are counted in each sample
};

/// Size and model of a target, counted before it starts.
struct TargetWork {
  std::int64_t residues = 1;
  std::int64_t terms = 0;  ///< bonds, angles, dihedrals and contacts; go models only
  bool is_go = true, is_resident = false;
  std::vector<TargetPart> parts;
  double repulsion_nm = 0;  ///< repulsion cutoff of a go model; 0: that of the measured curve
};

/// Ranks of a job. cpu_threads is the sum over all CPU ranks.
struct JobRanks {
  int cpu = 0, gpu = 0, cpu_threads = 0;
  [[nodiscard]] int of(Backend space) const { return space == Backend::cpu ? cpu : gpu; }
};

/// Returns the speed curve that applies to the steps of a target.
[[nodiscard]] StepCurve to_step_curve(const TargetWork& work);

/// Returns the number of residues of the measured go model whose step takes as long as that of a
/// system with these residues and terms; `residues` if `terms` is 0. For resident replicas it is
/// the mean of both numbers: half of their time goes to work per residue.
[[nodiscard]] double equivalent_residues(double residues, double terms, const MachineTable& machine,
                                         bool is_resident);

/// Returns the time [s] of the steps of one part on `ranks` ranks, of replicas that stay native.
/// `work` describes the system; its own parts are ignored.
[[nodiscard]] double seconds_of_steps(const TargetPart& part, const TargetWork& work,
                                      const MachineTable& machine, const JobRanks& job,
                                      Backend space, int ranks);

/// Estimated time of a target [s], in the two parts that the history corrects.
struct WorkSeconds {
  double steps = 0;     ///< includes the extra cost of unfolded replicas
  double overhead = 0;  ///< overhead: starts, gathers, samples, analysis, files
  [[nodiscard]] double all() const { return steps + overhead; }
};
/// Returns the parts of a job of all parts of a target, without the start of its processes:
/// `energies` gathered for exchanges and samples count as observables.
[[nodiscard]] JobTime work_time(const TargetWork& work, const MachineTable& machine,
                                const JobRanks& job, Backend space, int ranks);
/// Returns the time of all parts on `ranks` ranks that share the replicas, or the residues of one
/// trajectory. Sizes outside a curve use its nearest point. If the job has no CPU rank, a CPU
/// estimate is for one core.
[[nodiscard]] WorkSeconds work_seconds(const TargetWork& work, const MachineTable& machine,
                                       const JobRanks& job, Backend space, int ranks);

/// Returns the replicas of the smallest part; 1 if there are no parts.
[[nodiscard]] std::int64_t fewest_replicas(const TargetWork& work);
/// Returns how many ranks the target can occupy, 1 to `ranks`: limited by the replicas of the
/// smallest part, or by the residues of a single trajectory.
[[nodiscard]] int usable_ranks(const TargetWork& work, int ranks);

struct Decision {
  /// None if the job has no rank of the requested backend; `reason` then gives the remedy.
  std::optional<Backend> space;
  double cpu_seconds = 0, gpu_seconds = 0;  ///< estimates for one rank
  std::string reason;
  [[nodiscard]] double seconds() const { return space == Backend::gpu ? gpu_seconds : cpu_seconds; }
};

/// Comparison of the backends of a job with ranks of both.
struct BackendComparison {
  Backend space = Backend::cpu;         ///< choice
  Backend cheaper = Backend::cpu;       ///< backend with the smaller part of its ranks' time
  double cpu_share = 0, gpu_share = 0;  ///< time of one rank over the number of ranks [s]
  double slowdown = 1;                  ///< end on the cheaper backend over that on the other
};
/// Takes the backend where the target uses the smaller part of its ranks' common time, so that the
/// batch ends soonest; but not if the target would end more than twice as late there, since it may
/// be the last one. seconds_on(backend, ranks): time of the target. The job must have ranks of
/// both.
[[nodiscard]] BackendComparison compare_backends(
    const TargetWork& work, const JobRanks& job,
    const std::function<double(Backend, int)>& seconds_on);

/// Chooses the backend of a target by compare_backends(); a pure function of its arguments.
/// `fixed`: the input's `execution`, none for auto. Never throws. The job must have a rank.
[[nodiscard]] Decision decide(const TargetWork& work, const MachineTable& machine,
                              const JobRanks& job, std::optional<Backend> fixed);

/// Returns the remedy for a job without ranks of a backend: the command that starts both.
[[nodiscard]] std::string start_instructions();

}  // namespace nfold::estimate
