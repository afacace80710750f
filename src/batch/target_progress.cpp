// Search for the last part of a target that has begun.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/target_progress.hpp"

#include <fmt/format.h>

#include "core/status/status_file.hpp"

namespace nfold::batch {
namespace {

/// Returns STAGE.yaml of the last part of the last attempt that has begun. Empty if none.
std::filesystem::path find_last_stage(const BatchFolder& folder, const std::string& target) {
  for (int attempt = most_attempts; attempt >= 1; --attempt) {
    for (const auto stage : stages_backwards) {
      auto input = folder.attempt(target, attempt) / (std::string(stage) + ".yaml");
      if (std::filesystem::exists(input)) return input;
    }
  }
  return {};
}

}  // namespace

status::OutputPaths stage_output_paths(const std::filesystem::path& input) {
  return status::output_paths(input, std::filesystem::path(input).replace_extension("").string());
}

std::int64_t read_checkpoint_step(const status::OutputPaths& paths) {
  const auto status = status::read_status(paths.status());
  return status ? status->step : 0;
}

std::string read_progress(const BatchFolder& folder, const std::string& target) {
  const auto input = find_last_stage(folder, target);
  if (input.empty()) return {};
  return fmt::format("{} {}", input.stem().string(),
                     read_checkpoint_step(stage_output_paths(input)));
}

std::filesystem::path find_last_checkpoint(const BatchFolder& folder, const std::string& target) {
  const auto input = find_last_stage(folder, target);
  return input.empty() ? input : stage_output_paths(input).checkpoint();
}

}  // namespace nfold::batch
