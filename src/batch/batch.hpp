// The nfold batch command: many isolated, resumable targets in one job.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "batch/phase_list.hpp"
#include "session/job/invocation.hpp"

namespace nfold::batch {

struct BatchOptions {
  std::filesystem::path targets;  ///< Batch file, or a folder of structures and inputs.
  std::vector<std::string> overrides;
  std::string output, time_limit, machine, log_file, gpus;
  std::string part;  ///< K/N. Empty: the whole list.
  std::string resume = "auto";
  double budget_gpu_seconds = 0;
  std::optional<PhaseRequest> phase;  ///< Set by nfold phase, in place of a list.
  bool overwrite = false;             ///< Replaces an earlier batch in the folder.
  bool retry_failed = false, quiet = false, verbose = false;
  bool profile = false;  ///< Records a timeline and logs a table.
  int threads = 0, side_by_side = 16;
  std::uint64_t device_memory = 0;
};

/// Returns --output, or NAME.out in the current folder.
[[nodiscard]] std::filesystem::path output_folder(const BatchOptions& options);

/// Returns the stem of the status and incident files: "batch" or "batch.part-2-of-4".
[[nodiscard]] std::string status_name(const BatchOptions& options);

/// Initialises MPI and computes all targets that have no result. Rank 0 displays the progress.
core::ExitCode run_batch(job::Invocation& invocation, const BatchOptions& options);

}  // namespace nfold::batch
