// Conversion of exceptions, and variables of launchers.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/job/failure.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <new>
#include <string_view>
#include <thread>

#include "comm/waiting.hpp"
#include "session/job/host_memory.hpp"

namespace nfold::job {

core::Failure to_failure(const std::exception& failure) {
  if (const auto* const own = dynamic_cast<const core::Failure*>(&failure)) return *own;
  if (dynamic_cast<const std::bad_alloc*>(&failure) != nullptr) {
    return host_memory_failure(comm::wait_phase());
  }
  return core::Failure(failure.what());
}

bool is_root_before_mpi() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}) {
    const char* rank = std::getenv(name);
    if (rank != nullptr) return std::string_view(rank) == "0";
  }
  return true;
}

int rank_count_before_mpi() {
  // SLURM_NTASKS and SLURM_PROCID are also set in a batch script, outside of srun.
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    const char* ranks = std::getenv(name);
    if (ranks != nullptr) return std::max(1, std::atoi(ranks));
  }
  return 1;
}

core::ExitCode delay_failure(core::ExitCode code) {
  std::this_thread::sleep_for(std::chrono::seconds(1));
  return code;
}

}  // namespace nfold::job
