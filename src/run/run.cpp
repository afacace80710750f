// Command `nfold run INPUT.yaml`: one simulation on all ranks.
// SPDX-License-Identifier: BSD-3-Clause

#include "run/run.hpp"

#include <algorithm>
#include <optional>

#include "comm/communicator.hpp"
#include "comm/waiting.hpp"
#include "device/compute_environment.hpp"
#include "job/collective_work.hpp"
#include "job/ranks_of_job.hpp"
#include "job/signals.hpp"
#include "job/status_file.hpp"
#include "run/simulation.hpp"
#include "storage/atomic_file.hpp"

namespace nfold::run {
job::ExitCode run(job::Invocation& invocation, const job::RunOptions& options) {
  job::catch_stop_signals();
  storage::turn_file_size_signal_into_error();
  const comm::Environment environment(invocation.argc, invocation.argv);
  const auto world = comm::Communicator::world();
  std::optional<device::ComputeEnvironment> compute;
  RunRecord record;
  record.paths = job::output_paths(options.input, options.output);
  const comm::WaitLastWords when_ranks_stand_still([&](const comm::Standstill& standstill) {
    if (!record.owns_folder) return;
    job::write_status(record.paths.status(),
                      {job::RunState::failed, std::max(standstill.step, record.step), record.steps,
                       standstill.message, job::ExitCode::failed, "", standstill.suspect});
  });
  return job::run_together(
      world,
      [&] {
        job::require_one_space(world, "nfold run");
        return simulate(world, options, compute, record);
      },
      [&](const job::SessionFailure& failure) { write_last_words(record, failure); });
}

}  // namespace nfold::run
