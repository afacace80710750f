// Command line options of `nfold run`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "session/job/join_query.hpp"
#include "session/job/output_folder.hpp"

namespace nfold::job {

struct RunOptions {
  std::filesystem::path input;
  std::optional<std::string> input_text;  ///< in place of the content of `input`
  std::vector<std::string> overrides;     ///< --set, in order
  std::string output;                     ///< folder; empty: NAME.out
  std::string resume = "auto";            ///< "auto", "never" or a checkpoint file
  std::string time_limit;                 ///< for duration.hpp; empty: none
  std::string gpus;                       ///< --gpus; empty: the best for each rank
  std::string log_file;                   ///< empty: NAME.log in the output folder
  bool overwrite = false, quiet = false, verbose = false;
  bool profile = false;             ///< times parts of steps and writes a timeline
  bool records_history = true;      ///< false: the run leaves no row in the history
  bool is_in_batch = false;         ///< other ranks run simulations of their own
  JoinQuery join_query;             ///< set in a batch only
  int threads = 0;                  ///< per rank; 0: chosen by the engine
  std::uint64_t device_memory = 0;  ///< [bytes] limit of a rank; 0: none

  [[nodiscard]] ResumeMode resume_mode() const {
    if (resume == "auto") return ResumeMode::automatic;
    return resume == "never" ? ResumeMode::never : ResumeMode::from_file;
  }
};

}  // namespace nfold::job
