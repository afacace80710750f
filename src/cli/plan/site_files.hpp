// Folder of scripts that divide a job, with the input that they work on.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/plan/plan_command.hpp"
#include "estimate/job_script.hpp"
#include "estimate/site_script.hpp"
#include "input/settings.hpp"

namespace nfold::plan {

/// Input and the files that it names, in the folder --write.
struct InputBundle {
  std::string name;                ///< stem of the input
  std::string job;                 ///< name_of_job()
  std::vector<std::string> files;  ///< names in the folder, the input first
};

/// Returns NAME-DIGEST of an input whose paths start at `file`: a digest of the keys that a resume
/// may not change and of the contents of the files that it names, so that a result is computed once
/// and an input with more steps goes on. Throws InputError if a file cannot be read.
[[nodiscard]] std::string name_of_job(const std::filesystem::path& file,
                                      const input::Settings& settings);

/// Throws InputError, before any work, if a script cannot or should not be written into the folder
/// --write.
void require_writable_scripts(const PlanOptions& options);
/// Copies the resolved input and the files that it names into the folder --write.
[[nodiscard]] InputBundle copy_input(const PlanOptions& options, const input::Settings& settings);
/// Writes the script of this computer, and that of the other machine if there is one, and prints
/// how to start.
void write_site_scripts(const PlanOptions& options, const estimate::SiteScript& here,
                        const std::optional<estimate::JobScript>& there);

}  // namespace nfold::plan
