// What nfold batch does: many targets, isolated from each other, resumable.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "job/invocation.hpp"

namespace nfold::batch {

struct BatchOptions {
  std::filesystem::path targets;  ///< a list, or a folder of structures and inputs
  std::vector<std::string> overrides;
  std::string output, time_limit, machine, log_file, gpus;
  std::string part;  ///< K/N; empty: all of the list
  std::string resume = "auto";
  double budget_gpu_seconds = 0;
  bool overwrite = false;  ///< an earlier batch in the folder is replaced
  bool retry_failed = false, quiet = false, verbose = false;
  bool profile = false;  ///< a timeline, and a table in the log
  int threads = 0, side_by_side = 16;
  std::uint64_t device_memory = 0;
};

/// --output, or NAME.out in the current folder.
[[nodiscard]] std::filesystem::path output_folder(const BatchOptions& options);

/// NAME of its status and incidents there: batch, or batch.part-2-of-4.
[[nodiscard]] std::string status_name(const BatchOptions& options);

/// Starts MPI and does what is missing of the targets; rank 0 displays.
job::ExitCode run_batch(job::Invocation& invocation, const BatchOptions& options);

}  // namespace nfold::batch
