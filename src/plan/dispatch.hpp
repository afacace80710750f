// Where a target of a batch is computed, on a CPU or on a GPU: decided from counted work alone.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/machine_table.hpp"

namespace nfold::plan {

enum class Space : std::uint8_t { cpu, gpu };
/// "cpu", "gpu".
[[nodiscard]] const char* space_name(Space space);
[[nodiscard]] std::optional<Space> space_of(const std::string& name);

/// One run of a target.
struct TargetPart {
  std::int64_t replicas = 1, steps = 0;
  std::int64_t looks = 0;  ///< times at which all energies are gathered: exchanges and samples
  std::int64_t samples = 0;
  std::int64_t temperatures = 1;
  bool counts_contacts = false;  ///< at samples
};

/// What a target is, counted before it starts.
struct TargetWork {
  std::int64_t residues = 1;
  std::int64_t terms = 0;  ///< bonds, angles, dihedrals, contacts; counted for go models
  bool is_go = true, is_resident = false;
  std::vector<TargetPart> parts;
  bool is_resident_on_gpu_alone = false;  ///< replicas of disordered chains
  double repulsion_nm = 0;                ///< cutoff of a go model's; 0: as speeds were measured
  [[nodiscard]] bool is_resident_on(Space space) const {
    return is_resident || (is_resident_on_gpu_alone && space == Space::gpu);
  }
};

/// Ranks of a job; cpu_threads are those of all CPU ranks together.
struct JobRanks {
  int cpu = 0, gpu = 0, cpu_threads = 0;
  [[nodiscard]] int of(Space space) const { return space == Space::cpu ? cpu : gpu; }
};

/// By which of a machine's curves the steps of a work go.
enum class StepCurve : std::uint8_t { resident, resident_chains, go, condensate };
[[nodiscard]] StepCurve step_curve_of(const TargetWork& work, Space space);

/// As many residues of the go model that speeds were measured of as take as long as these, which
/// have so many terms; 0: not counted. Resident replicas spend as much on what each residue has.
[[nodiscard]] double equivalent_residues(double residues, double terms, const MachineTable& machine,
                                         bool is_resident);

/// Of the steps of one part on so many ranks. `work` tells of the system; its own parts don't
/// count.
[[nodiscard]] double seconds_of_steps(const TargetPart& part, const TargetWork& work,
                                      const MachineTable& machine, const JobRanks& job, Space space,
                                      int ranks);
/// The same with what the part takes beside its steps.
[[nodiscard]] double seconds_of_part(const TargetPart& part, const TargetWork& work,
                                     const MachineTable& machine, const JobRanks& job, Space space,
                                     int ranks);

/// What a work takes [s], by parts that a history corrects one by one.
struct WorkSeconds {
  double steps = 0;   ///< with what unfolding adds to them
  double beside = 0;  ///< starts, looks, samples, analysis, files
  [[nodiscard]] double all() const { return steps + beside; }
};
/// Of all parts on so many ranks that share its replicas, or one trajectory's residues.
[[nodiscard]] WorkSeconds work_seconds(const TargetWork& work, const MachineTable& machine,
                                       const JobRanks& job, Space space, int ranks);

/// Of one rank that has the target for itself; residues that no curve was measured for are told by
/// the nearest. On CPU ranks even where the job has none: then of one core.
[[nodiscard]] double predicted_seconds(const TargetWork& work, const MachineTable& machine,
                                       const JobRanks& job, Space space);

/// The sum of work_seconds().
[[nodiscard]] double seconds_on(const TargetWork& work, const MachineTable& machine,
                                const JobRanks& job, Space space, int ranks);
/// Of its smallest part; 1 where it has none.
[[nodiscard]] std::int64_t fewest_replicas(const TargetWork& work);
/// More of them would find nothing to do: replicas of the smallest part to share, or enough
/// residues of one trajectory for each. 1 to `ranks`.
[[nodiscard]] int usable_ranks(const TargetWork& work, int ranks);

struct Decision {
  /// None: what is asked for is not there, and `reason` says what to do.
  std::optional<Space> space;
  double cpu_seconds = 0, gpu_seconds = 0;  ///< of one rank alone
  std::string reason;
  [[nodiscard]] double seconds() const { return space == Space::gpu ? gpu_seconds : cpu_seconds; }
};

/// A function of its arguments alone. `fixed`: what `execution` says, none for auto. Else the space
/// of whose ranks' common time the target takes the smaller part, so that a batch ends soonest; but
/// none in which this target would end later than twice the time that it takes in the other, for it
/// may be the last one. Throws nothing; the job has a rank.
[[nodiscard]] Decision decide(const TargetWork& work, const MachineTable& machine,
                              const JobRanks& job, std::optional<Space> fixed);

/// What to do where a job has no rank of a space: how one with both is started.
[[nodiscard]] std::string how_to_start();

}  // namespace nfold::plan
