// Input keys that may change when a run is resumed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "core/status/output_paths.hpp"
#include "input/settings.hpp"

namespace nfold::job {

/// Throws InputError that names every changed key that may not change on resume. where: folder or
/// checkpoint that holds `before`.
void refuse_changed_keys(const input::Settings& before, const input::Settings& now,
                         const std::string& where);

/// Returns `before` with the paths of `now` wherever the kept input and `now` name the same file,
/// by location or by content. kept_input: NAME.input.yaml of the resumed run, whose paths are
/// relative to its folder.
[[nodiscard]] input::Settings adopt_same_paths(input::Settings before, input::Settings now,
                                               const std::filesystem::path& input_file,
                                               const std::filesystem::path& kept_input);

/// Returns the settings as stored in NAME.input.yaml, with paths relative to the run's folder.
/// keep: copies the files that the input names there, except a checkpoint, so that the folder can
/// be moved. Throws storage::FileError if a copy fails.
[[nodiscard]] input::Settings to_stored_settings(input::Settings settings,
                                                 const std::filesystem::path& input_file,
                                                 const status::OutputPaths& paths, bool keep);

/// Returns the allowed changes, "output.energies_every_steps: 1000 -> 500, ..."; empty if none.
[[nodiscard]] std::string accepted_changes(const input::Settings& before,
                                           const input::Settings& now);

}  // namespace nfold::job
