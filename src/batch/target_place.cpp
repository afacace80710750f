// Search for the last part of a target that has begun.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/target_place.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

namespace nfold::batch {
namespace {

/// Returns STAGE.yaml of the last part of the last attempt that has begun. Empty if none.
std::filesystem::path last_stage_of(const BatchFolder& folder, const std::string& target) {
  for (int attempt = most_attempts; attempt >= 1; --attempt) {
    for (const auto stage : stages_backwards) {
      auto input = folder.attempt(target, attempt) / (std::string(stage) + ".yaml");
      if (std::filesystem::exists(input)) return input;
    }
  }
  return {};
}

}  // namespace

job::OutputPaths output_of(const std::filesystem::path& input) {
  return job::output_paths(input, std::filesystem::path(input).replace_extension("").string());
}

std::int64_t step_of(const job::OutputPaths& paths) {
  std::ifstream file(paths.status());
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("step: ")) return std::atoll(line.c_str() + 6);
  }
  return 0;
}

std::string place_of(const BatchFolder& folder, const std::string& target) {
  const auto input = last_stage_of(folder, target);
  if (input.empty()) return {};
  return fmt::format("{} {}", input.stem().string(), step_of(output_of(input)));
}

std::filesystem::path last_checkpoint_of(const BatchFolder& folder, const std::string& target) {
  const auto input = last_stage_of(folder, target);
  return input.empty() ? input : output_of(input).checkpoint();
}

}  // namespace nfold::batch
