// Ratio of the parts of a small job with all kinds of output to their estimates.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/bench/job_costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "cli/bench/systems.hpp"
#include "cli/bench/temporary_folder.hpp"
#include "device/device_memory.hpp"
#include "device/hardware/processor_time.hpp"
#include "session/run/simulation.hpp"
#include "session/setup/machine_lookup.hpp"

namespace nfold::bench {
namespace {

namespace fs = std::filesystem;

constexpr const char* sequence_name = "LAF1-RGG";
constexpr const char* input_of_job = R"(system:
  species: [{{name: chain, fasta: chain.fasta, record: {}, copies: 24}}]
  box_nm: [15, 15, 60]
force_field: {{model: hps-urry}}
start: {{from: slab}}
dynamics: {{steps: 400, temperature_kelvin: 260}}
observables: {{every_steps: 10}}
output: {{trajectory_every_steps: 5, energies_every_steps: 5, checkpoint_every_steps: 50}}
)";

/// Temporary folder with the input of the job.
class JobFolder {
 public:
  JobFolder() {
    std::ofstream(folder_.path() / "chain.fasta")
        << fmt::format(">{}\n{}\n", sequence_name, published_sequence(sequence_name));
    std::ofstream(input()) << fmt::format(input_of_job, sequence_name);
  }

  [[nodiscard]] fs::path input() const { return folder_.path() / "job.yaml"; }
  [[nodiscard]] fs::path output() const { return folder_.path() / "job.out"; }

 private:
  TemporaryFolder folder_;
};

/// Returns measured over estimated of each part.
estimate::JobTime ratios(const estimate::JobRow& job) {
  estimate::JobTime ratio;
  for (const auto part : estimate::measured_parts) {
    ratio.*part = job.estimated.*part > 0 ? job.measured.*part / job.estimated.*part : 1;
  }
  return ratio;
}

}  // namespace

estimate::JobCosts measure_job_costs(const comm::Communicator& communicator,
                                     std::optional<device::ComputeEnvironment>& compute,
                                     double before_seconds) {
  const JobFolder folder;
  job::RunOptions options;
  options.input = folder.input();
  options.output = folder.output().string();
  options.quiet = true;
  options.records_history = false;
  run::RunRecord record;
  record.paths = status::output_paths(options.input, options.output);
  const double age = hardware::process_age_seconds();
  (void)run::simulate(communicator, options, compute, record);
  const auto here = setup::machine_here().job;
  if (!record.job) return here;
  auto& measured = record.job->measured;
  const auto& estimated = record.job->estimated;
  measured.start -= age;
  // The start of this process is known, and what remains of the small job's start are its residues.
  const bool on_gpu = device::computes_on_gpu();
  const double of_process = on_gpu ? here.gpu_start_seconds : here.core_start_seconds;
  const double of_residues = estimated.start - of_process;
  auto factors = ratios(*record.job);
  factors.start = 1;
  // On a GPU energies are estimated in steps of the entry, which were others than these.
  if (on_gpu && factors.steps > 0) factors.energies /= factors.steps;
  auto costs = multiply(here, factors);
  auto& start = on_gpu ? costs.gpu_start_seconds : costs.core_start_seconds;
  start = before_seconds + std::max(0.0, measured.start - of_residues);
  return costs;
}

}  // namespace nfold::bench
