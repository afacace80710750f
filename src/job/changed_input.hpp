// What of an input may change when a run goes on, said by name when it may not.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "config/settings.hpp"
#include "job/output_paths.hpp"

namespace nfold::job {

/// InputError naming every key that changed and may not; `where` is the folder or checkpoint that
/// holds `before`.
void refuse_changed_keys(const config::Settings& before, const config::Settings& now,
                         const std::string& where);

/// `before` with the paths of `now` wherever both name the same file, by its place or its content.
/// kept_input: NAME.input.yaml of the run that goes on, whose paths start at its folder.
[[nodiscard]] config::Settings with_same_files(config::Settings before, config::Settings now,
                                               const std::filesystem::path& input_file,
                                               const std::filesystem::path& kept_input);

/// The settings as NAME.input.yaml holds them: paths start at the run's folder. keep: the files
/// that the input names are copied there, so that the folder may be moved; a checkpoint is not.
[[nodiscard]] config::Settings settings_to_keep(config::Settings settings,
                                                const std::filesystem::path& input_file,
                                                const OutputPaths& paths, bool keep);

/// "output.energies_every_steps: 1000 -> 500, ..." of the keys that changed and may; empty if none.
[[nodiscard]] std::string accepted_changes(const config::Settings& before,
                                           const config::Settings& now);

}  // namespace nfold::job
