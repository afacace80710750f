// Output folder of a run: its contents and the permission to write there.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <span>

#include "core/status/output_paths.hpp"
#include "input/settings.hpp"

namespace nfold::job {

enum class Overwrite { no, yes };
enum class ResumeMode { automatic, never, from_file };

/// Contents of a folder for a run that may write there. begun: files of the same input without a
/// checkpoint, which a new start replaces.
enum class FolderContents { fresh, begun, checkpoint };

/// Creates the folder and its parents. Throws InputError. For one rank.
void make_output_folder(const std::filesystem::path& folder);

/// Returns the contents that a run with these settings finds. Changes nothing. Throws InputError
/// with the remedy if the folder belongs to another run.
[[nodiscard]] FolderContents inspect_folder(const status::OutputPaths& paths,
                                            const input::Settings& settings, ResumeMode mode,
                                            const std::filesystem::path& input_file);

/// Throws InputError if the run would overwrite a file that is not proven to be a run's.
void require_replaceable(const status::OutputPaths& paths);

/// Claims the folder for this run and removes the files of runs that --overwrite or a start without
/// a checkpoint replaces. Removes only files that are proven to be a run's (files_of_run), and none
/// of `inputs`: the input file and the files that it names. For one rank. Throws InputError with
/// the remedy, storage::FileError.
[[nodiscard]] FolderContents claim_folder(const status::OutputPaths& paths,
                                          const input::Settings& settings, ResumeMode mode,
                                          Overwrite overwrite,
                                          std::span<const std::filesystem::path> inputs);

/// True if NAME.status reports that the run is done.
[[nodiscard]] bool is_finished(const status::OutputPaths& paths);

}  // namespace nfold::job
