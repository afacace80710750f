// Script of the stages of a job that are done on this computer, beside a job on another machine.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "estimate/job_script.hpp"
#include "estimate/transfer.hpp"

namespace nfold::estimate {

/// Job on another machine: its script is there.sh, beside the script of this computer.
struct RemoteJob {
  std::string machine;
  TransferLink link;
  std::vector<std::string> files;  ///< beside the output folder
  Scheduler scheduler = Scheduler::slurm;
  std::string name;  ///< name of the job's folder in that of the link
};

struct SiteScript {
  std::string name;           ///< stem of the run's files
  std::int64_t steps = 0;     ///< the run is done at this step
  std::string results = ".";  ///< folder that has the output folder, from the script's folder
  std::string output;         ///< name of the output folder
  bool makes_first_state = false;
  bool goes_on = false;            ///< the run was started here; it must be stopped
  int ranks_here = 0;              ///< above 0: the run is done here
  std::optional<RemoteJob> there;  ///< none: the run is done here
};

inline constexpr const char *here_script_name = "here.sh", *there_script_name = "there.sh";

/// Returns the script of this computer.
[[nodiscard]] std::string format_text(const SiteScript& script);

}  // namespace nfold::estimate
