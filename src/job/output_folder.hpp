// The output folder: what stands in it, and whether a run may write there.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <span>

#include "config/settings.hpp"
#include "job/output_paths.hpp"

namespace nfold::job {

enum class Overwrite { no, yes };
enum class ResumeMode { automatic, never, from_file };

/// What the folder offers to a run that may write there; begun: files of its input without a
/// checkpoint, which a start anew replaces.
enum class FolderOffer { fresh, begun, checkpoint };

/// Makes the folder and those above it. InputError. For one rank.
void make_output_folder(const std::filesystem::path& folder);

/// What a run of these settings finds there. Changes nothing. InputError, with the way out, where
/// what stands there is another's.
[[nodiscard]] FolderOffer folder_offer(const OutputPaths& paths, const config::Settings& settings,
                                       ResumeMode mode, const std::filesystem::path& input_file);

/// InputError if the run would write over a file that no run of nfold is known to have written.
void require_replaceable(const OutputPaths& paths);

/// Claims the folder for this run: refuses what is another's, removes the files of runs that
/// --overwrite or a start without a checkpoint replaces. Removes no file that is not proven to be
/// of a run (files_of_run), and none of `inputs`: the input file and the files that it names. For
/// one rank. InputError with the way out; storage::FileError.
[[nodiscard]] FolderOffer claim_folder(const OutputPaths& paths, const config::Settings& settings,
                                       ResumeMode mode, Overwrite overwrite,
                                       std::span<const std::filesystem::path> inputs);

/// Whether NAME.status says that the run in the folder is done.
[[nodiscard]] bool is_finished(const OutputPaths& paths);

}  // namespace nfold::job
