// Command `nfold run INPUT.yaml`: one simulation on all ranks.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/run/run.hpp"

#include <optional>

#include "comm/communicator.hpp"
#include "comm/waiting.hpp"
#include "core/signals.hpp"
#include "core/storage/atomic_file.hpp"
#include "device/compute_environment.hpp"
#include "session/job/backend_ranks.hpp"
#include "session/job/collective_work.hpp"
#include "session/run/simulation.hpp"

namespace nfold::run {
core::ExitCode run(job::Invocation& invocation, const job::RunOptions& options) {
  core::catch_stop_signals();
  storage::ignore_file_size_signal();
  const comm::Environment environment(invocation.argc, invocation.argv);
  const auto world = comm::Communicator::world();
  std::optional<device::ComputeEnvironment> compute;
  RunRecord record;
  record.paths = status::output_paths(options.input, options.output);
  const comm::StallHandler when_ranks_stall(
      [&record](const comm::StallReport& stall) { write_stall(record, stall); });
  return job::run_collectively(
      world,
      [&] {
        job::require_one_backend(world, "nfold run");
        return simulate(world, options, compute, record);
      },
      [&](const core::Failure& failure) { write_failure(record, failure); });
}

}  // namespace nfold::run
