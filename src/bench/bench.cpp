// Command nfold bench.
// SPDX-License-Identifier: BSD-3-Clause

#include "bench/bench.hpp"

#include <array>
#include <filesystem>
#include <iostream>

#include "bench/choice.hpp"
#include "bench/input_speed.hpp"
#include "bench/suite.hpp"
#include "bench/table.hpp"
#include "comm/communicator.hpp"
#include "job/collective_work.hpp"
#include "job/failure.hpp"
#include "job/ranks_of_job.hpp"
#include "job/result_files.hpp"

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

job::ExitCode bench(job::Invocation& invocation, const BenchOptions& options) {
  if (options.list) {
    if (job::speaks_before_mpi()) std::cout << system_list(bench_suite()) << std::flush;
    return job::ExitCode::done;
  }
  const comm::Environment environment(invocation.argc, invocation.argv);
  const auto world = comm::Communicator::world();
  return job::run_together(
      world,
      [&] {
        job::require_one_space(world, "nfold bench");
        job::on_root(world, [&options] { require_results_writable(options); });
        if (!options.calibration.file.empty()) {
          auto calibration = options.calibration;
          calibration.gpus = options.suite.gpus;
          return calibrate(world, calibration);
        }
        return options.input.empty() ? run_suite(world, options.suite)
                                     : bench_input(world, options.input, options.suite);
      },
      [](const job::SessionFailure&) {});
}

}  // namespace nfold::bench
