// Parts of the time of a whole job, from the start of its processes to its last file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "core/document/keys.hpp"
#include "estimate/step_model.hpp"

namespace nfold::estimate {

/// Parts of a job [s]; their sum is the job.
struct JobTime {
  double start = 0;       ///< process, devices, input and first state
  double minimising = 0;  ///< minimisation of the first state
  double steps = 0;       ///< or the targets of a list, from start to result row
  double energies = 0, observables = 0, frames = 0, checkpoints = 0;
  double analysis = 0;  ///< at the end: averages, profiles, tables and their files
  double transfer = 0;  ///< data moved between machines, and the wait for the job to start

  struct Part {
    std::string_view name;         ///< name of the member
    std::string_view description;  ///< for people
    double seconds;
  };
  [[nodiscard]] std::array<Part, 9> parts() const;
  [[nodiscard]] double seconds() const;
  /// Returns the time of all parts but the steps.
  [[nodiscard]] double seconds_beside_steps() const { return seconds() - steps; }
  /// Returns the largest part.
  [[nodiscard]] Part largest() const;
};
/// Members that a run measures and its history corrects: all but the transfer.
inline constexpr std::array measured_parts{
    &JobTime::start,       &JobTime::minimising, &JobTime::steps,       &JobTime::energies,
    &JobTime::observables, &JobTime::frames,     &JobTime::checkpoints, &JobTime::analysis};
/// Returns the same factor for each of them.
[[nodiscard]] JobTime uniform_factors(double factor);
/// Returns the product of each part of `time` and its factor in `factors`; `transfer` is kept.
[[nodiscard]] JobTime multiply(JobTime time, const JobTime& factors);
/// Returns "start 0.4 s (2 %), steps 18 s (90 %), observables 1.6 s (8 %)": parts of at least half
/// a per cent.
[[nodiscard]] std::string describe_parts(const JobTime& time);

/// Costs of a job beside its steps, on one core of the host unless stated otherwise. Those of a
/// start on a GPU were measured on an H100, the others on one core of an AMD EPYC with runs of 76
/// to 21,120 residues.
struct JobCosts {
  double gpu_start_seconds = 3;        ///< process with MPI and a CUDA context
  double core_start_seconds = 0.05;    ///< process with MPI
  double start_residue_us = 3.5;       ///< reading, building and placing a residue, on each rank
  double estimate_residue_us = 10;     ///< residue of the part whose work and memory are estimated
  double gpu_energy_steps = 3;         ///< steps that the energies of a state take on a GPU
  double core_energy_pair_ns = 5;      ///< list entry in the energies of a state on a core
  double core_virial_pair_ns = 12;     ///< likewise in its pressure
  double report_us = 5;                ///< gathered numbers of a state, and their row
  double gather_residue_ns = 30;       ///< residue whose position rank 0 gathers and reads
  double contact_ns = 10;              ///< native contact that rank 0 counts in each gathered state
  double observe_residue_ns = 25;      ///< residue in a density profile, on rank 0
  double search_residue_ns = 250;      ///< residue put into cells, to find close pairs
  double search_far_residue_ns = 600;  ///< additional, for residues that no cache holds
  double search_pair_ns = 9;           ///< candidate for a close pair
  double pair_energy_ns = 25;          ///< energy of a close pair, in residue energies
  double phase_pair_ns = 2;            ///< pair of phases in the sums of phase locking
  double frame_us = 15;                ///< frame of a trajectory
  double checkpoint_seconds = 0.02;    ///< files of a checkpoint brought to the disk
  double result_us = 0.2;              ///< value of a result table, written with each checkpoint
  double written_gb_per_s = 0.45;      ///< [10^9 bytes/s] file system
  double spread = 0.2;                 ///< standard deviation of ln(real / estimated)
};
/// Keys of the section `job` of a machine's entry.
[[nodiscard]] std::span<const document::KeyOf<JobCosts>> job_keys();
/// Returns the section as job_keys() reads it back.
[[nodiscard]] std::string format_text(const JobCosts& costs);
/// Multiplies the costs of each part by its factor.
[[nodiscard]] JobCosts multiply(JobCosts costs, const JobTime& factors);

/// Work of a run beside its steps, counted before it starts.
struct JobWork {
  double residues = 0;  ///< residues of the whole system
  double steps = 0;
  double minimiser_steps = 0;
  double reports = 0;  ///< states of which energies and positions are gathered
  double frames = 0, samples = 0;
  double native_contacts = 0;     ///< counted by rank 0 in each report
  double list_nm = 0;             ///< range of the pairs in StepDemand::pairs
  double root_observables = 0;    ///< work of rank 0 per residue and sample; 1: density profile
  double root_search_nm = 0;      ///< range in which rank 0 searches pairs; 0: no search
  double shared_search_nm = 0;    ///< likewise for all ranks, each in a slice of space
  double pair_energy_nm = 0;      ///< likewise for the energies of pairs
  bool has_pressure = false;      ///< computed in each report
  double most_slices = 0;         ///< slices that the box can be cut into; 0: any number
  double phases = 0;              ///< pseudo-dihedrals whose phases are multiplied with each other
  double checkpoint_steps = 0;    ///< steps from one checkpoint to the next; 0: none by steps
  double checkpoint_seconds = 0;  ///< likewise by the clock
  double result_values = 0;       ///< values of the tables that a checkpoint renews
};

/// Ranks of a job that share one system.
struct JobPlace {
  bool on_gpu = false;
  int ranks = 1;
};

/// Returns the parts of a run. demand: work of a rank in a step; step_seconds: time of a step. Rank
/// 0 alone gathers positions, writes frames and sums observables of all residues; all ranks share
/// close pairs, energies of residues, products of phases and energies.
[[nodiscard]] JobTime run_time(const JobWork& work, const JobCosts& costs, const StepDemand& demand,
                               double step_seconds, const JobPlace& place);

/// Returns the parts of an ensemble. of_replicas: its steps, samples and analysis; work: the rest.
[[nodiscard]] JobTime ensemble_time(JobTime of_replicas, const JobWork& work, const JobCosts& costs,
                                    const JobPlace& place);

}  // namespace nfold::estimate
