// Messages on standard error and exit codes.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/job/failure.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <thread>

#include "core/document/input_error.hpp"
#include "device/hardware/choice.hpp"
#include "model/structure/structure.hpp"

namespace nfold::job {
namespace {

void print(const char* kind, const std::string& message) {
  std::istringstream lines(message);
  std::string text;
  for (std::string line; std::getline(lines, line);) text += kind + line + "\n";
  // Written in one call so that lines of several processes do not mix.
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

core::ExitCode to_exit_code(const std::exception& failure) {
  if (const auto* shared = dynamic_cast<const SharedFailure*>(&failure)) {
    return shared->exit_code();
  }
  const bool callers = dynamic_cast<const document::InputError*>(&failure) != nullptr ||
                       dynamic_cast<const structure::StructureError*>(&failure) != nullptr ||
                       dynamic_cast<const hardware::NoSuchDevice*>(&failure) != nullptr;
  return callers ? core::ExitCode::wrong_input : core::ExitCode::failed;
}

void print_error(const std::string& message) { print("nfold: error: ", message); }
void print_warning(const std::string& message) { print("nfold: warning: ", message); }

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
