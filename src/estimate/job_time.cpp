// Sum and largest part of a job's time, and the time of a run from its counted work.
// SPDX-License-Identifier: BSD-3-Clause

#include "estimate/job_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <variant>
#include <vector>

namespace nfold::estimate {
namespace {

using namespace document::makers;
using document::KeyOf;

constexpr double micro = 1e-6, nano = 1e-9, giga = 1e9;
// Steps after which the minimiser has mostly converged: slabs, boxes and droplets of chains took 0
// to 13.
constexpr double minimiser_steps = 10;
constexpr double estimated_residues = 6000;  // largest part whose work is estimated
constexpr double cached_residues = 50'000;   // residues that caches hold in a search
// Time of an entry of the list of charges over one of the short-range list, in energies.
constexpr double charge_factor = 2.1;
constexpr double bytes_of_frame_row = 3 * sizeof(float);
constexpr double bytes_of_checkpoint_row = 7 * 8;  // id, position and velocity

/// Returns the candidates for a pair of one residue: half of those in 27 cells of this size, at the
/// density that the neighbour list has.
double candidates(const JobWork& work, const StepDemand& demand, double range_nm) {
  if (!(work.list_nm > 0) || !(demand.residues > 0)) return 0;
  const double sphere = 4 * std::numbers::pi / 3 * std::pow(work.list_nm, 3);
  const double density = demand.pairs / demand.residues / sphere;
  return 27. / 2 * std::pow(range_nm, 3) * density;
}

/// Returns the time of a search for close pairs among `residues` [s].
double search_seconds(const JobWork& work, const JobCosts& costs, const StepDemand& demand,
                      double residues, double range_nm) {
  if (!(range_nm > 0)) return 0;
  const double far = std::max(0.0, residues - cached_residues);
  return nano * residues *
             (costs.search_residue_ns + costs.search_pair_ns * candidates(work, demand, range_nm)) +
         nano * far * costs.search_far_residue_ns;
}

/// Returns the time of one sample of all observables [s].
double sample_seconds(const JobWork& work, const JobCosts& costs, const StepDemand& demand,
                      int ranks) {
  const double slices = work.most_slices > 0 ? std::min<double>(ranks, work.most_slices) : ranks;
  const double own = work.residues / std::max(1.0, slices);
  const double pairs =
      candidates(work, demand, work.pair_energy_nm) / 27 * 4 * std::numbers::pi / 3;
  return nano * work.residues * work.root_observables * costs.observe_residue_ns +
         search_seconds(work, costs, demand, work.residues, work.root_search_nm) +
         search_seconds(work, costs, demand, own, work.shared_search_nm) +
         search_seconds(work, costs, demand, own, work.pair_energy_nm) +
         nano * own * pairs * costs.pair_energy_ns +
         nano * costs.phase_pair_ns * work.phases * work.phases / 2 / ranks;
}

/// Returns the time in which all ranks compute the energies of a state [s].
double energy_seconds(const JobWork& work, const JobCosts& costs, const StepDemand& demand,
                      double step_seconds, bool on_gpu) {
  if (on_gpu) return costs.gpu_energy_steps * step_seconds;
  const double pair_ns =
      costs.core_energy_pair_ns + (work.has_pressure ? costs.core_virial_pair_ns : 0);
  return step_seconds + nano * pair_ns * (demand.pairs + charge_factor * demand.charge_pairs);
}

double checkpoint_count(const JobWork& work, double seconds) {
  double count = 1;  // at the end
  if (work.checkpoint_steps > 0) {
    count += std::max(0.0, std::ceil(work.steps / work.checkpoint_steps) - 1);
  }
  if (work.checkpoint_seconds > 0) count += std::floor(seconds / work.checkpoint_seconds);
  return count;
}

/// Adds what runs and ensembles have in common: the start, frames and checkpoints.
void add_files(const JobWork& work, const JobCosts& costs, const JobPlace& place, JobTime& time) {
  const double bytes_per_second = giga * costs.written_gb_per_s;
  time.start += (place.on_gpu ? costs.gpu_start_seconds : costs.core_start_seconds) +
                micro * costs.start_residue_us * work.residues +
                micro * costs.estimate_residue_us * std::min(work.residues, estimated_residues);
  time.frames += work.frames *
                 (micro * costs.frame_us + work.residues * bytes_of_frame_row / bytes_per_second);
  time.checkpoints += checkpoint_count(work, time.seconds()) *
                      (costs.checkpoint_seconds + micro * costs.result_us * work.result_values +
                       work.residues * bytes_of_checkpoint_row / bytes_per_second);
}

}  // namespace

std::array<JobTime::Part, 9> JobTime::parts() const {
  return {{{"start", "the start", start},
           {"minimising", "minimising the first state", minimising},
           {"steps", "steps", steps},
           {"energies", "energies", energies},
           {"observables", "observables", observables},
           {"frames", "frames of the trajectory", frames},
           {"checkpoints", "checkpoints", checkpoints},
           {"analysis", "analysis", analysis},
           {"transfer", "waiting for the machine and moving data", transfer}}};
}

double JobTime::seconds() const {
  const auto all = parts();
  return std::accumulate(all.begin(), all.end(), 0.0,
                         [](double sum, const Part& part) { return sum + part.seconds; });
}

JobTime::Part JobTime::largest() const {
  const auto all = parts();
  return *std::ranges::max_element(all, {}, &Part::seconds);
}

JobTime uniform_factors(double factor) {
  JobTime factors;
  for (const auto part : measured_parts) factors.*part = factor;
  return factors;
}

JobTime multiply(JobTime time, const JobTime& factors) {
  for (const auto part : measured_parts) time.*part *= factors.*part;
  return time;
}

std::string describe_parts(const JobTime& time) {
  constexpr double least_share = 0.005;
  const double all = time.seconds();
  std::vector<std::string> shown;
  for (const auto& part : time.parts()) {
    if (!(part.seconds >= least_share * all) || part.seconds <= 0) continue;
    shown.push_back(
        fmt::format("{} {:.3g} s ({:.0f} %)", part.name, part.seconds, 100 * part.seconds / all));
  }
  return fmt::format("{}", fmt::join(shown, ", "));
}

std::span<const KeyOf<JobCosts>> job_keys() {
  using Costs = JobCosts;
  static const std::array keys{
      KeyOf<Costs>{"gpu_start_seconds", real<&Costs::gpu_start_seconds>(0)},
      KeyOf<Costs>{"core_start_seconds", real<&Costs::core_start_seconds>(0)},
      KeyOf<Costs>{"start_residue_us", real<&Costs::start_residue_us>(0)},
      KeyOf<Costs>{"estimate_residue_us", real<&Costs::estimate_residue_us>(0)},
      KeyOf<Costs>{"gpu_energy_steps", real<&Costs::gpu_energy_steps>(0)},
      KeyOf<Costs>{"core_energy_pair_ns", real<&Costs::core_energy_pair_ns>(0)},
      KeyOf<Costs>{"core_virial_pair_ns", real<&Costs::core_virial_pair_ns>(0)},
      KeyOf<Costs>{"report_us", real<&Costs::report_us>(0)},
      KeyOf<Costs>{"gather_residue_ns", real<&Costs::gather_residue_ns>(0)},
      KeyOf<Costs>{"contact_ns", real<&Costs::contact_ns>(0)},
      KeyOf<Costs>{"observe_residue_ns", real<&Costs::observe_residue_ns>(0)},
      KeyOf<Costs>{"search_residue_ns", real<&Costs::search_residue_ns>(0)},
      KeyOf<Costs>{"search_far_residue_ns", real<&Costs::search_far_residue_ns>(0)},
      KeyOf<Costs>{"search_pair_ns", real<&Costs::search_pair_ns>(0)},
      KeyOf<Costs>{"pair_energy_ns", real<&Costs::pair_energy_ns>(0)},
      KeyOf<Costs>{"phase_pair_ns", real<&Costs::phase_pair_ns>(0)},
      KeyOf<Costs>{"frame_us", real<&Costs::frame_us>(0)},
      KeyOf<Costs>{"checkpoint_seconds", real<&Costs::checkpoint_seconds>(0)},
      KeyOf<Costs>{"result_us", real<&Costs::result_us>(0)},
      KeyOf<Costs>{"written_gb_per_s", real_above<&Costs::written_gb_per_s>(0)},
      KeyOf<Costs>{"spread", real_above<&Costs::spread>(0)},
  };
  return keys;
}

std::string format_text(const JobCosts& costs) {
  std::string text = "job:\n";
  for (const auto& key : job_keys()) {
    text += fmt::format("  {}: {:.4g}\n", key.name, std::get<double>(key.field.get(costs)));
  }
  return text;
}

JobCosts multiply(JobCosts costs, const JobTime& factors) {
  for (auto* cost : {&costs.start_residue_us, &costs.estimate_residue_us}) *cost *= factors.start;
  for (auto* cost :
       {&costs.gpu_energy_steps, &costs.core_energy_pair_ns, &costs.core_virial_pair_ns,
        &costs.report_us, &costs.gather_residue_ns, &costs.contact_ns}) {
    *cost *= factors.energies;
  }
  for (auto* cost :
       {&costs.observe_residue_ns, &costs.search_residue_ns, &costs.search_far_residue_ns,
        &costs.search_pair_ns, &costs.pair_energy_ns, &costs.phase_pair_ns}) {
    *cost *= factors.observables;
  }
  costs.frame_us *= factors.frames;
  for (auto* cost : {&costs.checkpoint_seconds, &costs.result_us}) *cost *= factors.checkpoints;
  costs.written_gb_per_s /= factors.frames;
  return costs;
}

JobTime run_time(const JobWork& work, const JobCosts& costs, const StepDemand& demand,
                 double step_seconds, const JobPlace& place) {
  JobTime time;
  time.minimising = step_seconds * std::min(minimiser_steps, work.minimiser_steps);
  time.steps = step_seconds * work.steps;
  time.energies =
      work.reports * (energy_seconds(work, costs, demand, step_seconds, place.on_gpu) +
                      micro * costs.report_us + nano * costs.gather_residue_ns * work.residues +
                      nano * costs.contact_ns * work.native_contacts);
  time.observables = work.samples * sample_seconds(work, costs, demand, place.ranks);
  add_files(work, costs, place, time);
  return time;
}

JobTime ensemble_time(JobTime of_replicas, const JobWork& work, const JobCosts& costs,
                      const JobPlace& place) {
  const double step_seconds = of_replicas.steps / std::max(1.0, work.steps);
  of_replicas.minimising = step_seconds * std::min(minimiser_steps, work.minimiser_steps);
  add_files(work, costs, place, of_replicas);
  return of_replicas;
}

}  // namespace nfold::estimate
