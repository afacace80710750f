// Command nfold bench.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/bench/bench.hpp"

#include <array>
#include <filesystem>
#include <iostream>

#include "cli/bench/choice.hpp"
#include "cli/bench/input_speed.hpp"
#include "cli/bench/suite.hpp"
#include "cli/bench/table.hpp"
#include "comm/communicator.hpp"
#include "session/job/backend_ranks.hpp"
#include "session/job/collective_work.hpp"
#include "session/job/failure.hpp"
#include "session/job/result_files.hpp"

namespace nfold::bench {
namespace {

void require_results_writable(const BenchOptions& options) {
  const auto& suite = options.suite;
  const auto& calibration = options.calibration;
  job::require_writable(
      std::array{job::ResultFile{"--json", suite.json}, job::ResultFile{"--csv", suite.csv},
                 job::ResultFile{"--calibrate", calibration.file},
                 job::ResultFile{"--steps-csv", calibration.steps_csv}},
      suite.overwrite ? job::Overwrite::yes : job::Overwrite::no,
      std::array<std::filesystem::path, 4>{options.input, suite.against, suite.machine,
                                           calibration.like});
}

}  // namespace

core::ExitCode bench(job::Invocation& invocation, const BenchOptions& options) {
  if (options.list) {
    if (job::is_root_before_mpi()) std::cout << system_list(bench_suite()) << std::flush;
    return core::ExitCode::done;
  }
  const comm::Environment environment(invocation.argc, invocation.argv);
  const auto world = comm::Communicator::world();
  return job::run_collectively(
      world,
      [&] {
        job::require_one_backend(world, "nfold bench");
        job::on_root(world, [&options] { require_results_writable(options); });
        if (!options.calibration.file.empty()) {
          auto calibration = options.calibration;
          calibration.gpus = options.suite.gpus;
          return calibrate(world, calibration);
        }
        return options.input.empty() ? run_suite(world, options.suite)
                                     : bench_input(world, options.input, options.suite);
      },
      [](const core::Failure&) {});
}

}  // namespace nfold::bench
