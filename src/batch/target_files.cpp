// Search for the last part of a target that has begun, and the file NAME.space.yaml.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/target_files.hpp"

#include <fmt/format.h>

#include <fstream>

#include "comm/communicator.hpp"
#include "core/status/status_file.hpp"
#include "core/storage/atomic_file.hpp"
#include "core/storage/file_error.hpp"
#include "io/checkpoint.hpp"

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

std::optional<estimate::Backend> read_backend(const BatchFolder& folder,
                                              const std::string& target) {
  std::ifstream file(folder.backend(target));
  constexpr std::string_view key = "space: ";
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key)) return estimate::parse_backend(line.substr(key.size()));
  }
  const auto input = find_last_stage(folder, target);
  if (input.empty()) return std::nullopt;
  const auto checkpoint = stage_output_paths(input).checkpoint();
  if (!io::checkpoint_exists(checkpoint)) return std::nullopt;
  try {
    const auto header = io::read_checkpoint(comm::Communicator(), checkpoint).header;
    const auto found = header.provenance.find("space");
    return found == header.provenance.end() ? std::nullopt : estimate::parse_backend(found->second);
  } catch (const storage::FileError&) {
    return std::nullopt;  // the run itself reports it
  }
}

void write_backend(const BatchFolder& folder, const std::string& target,
                   const estimate::Decision& decision) {
  if (std::filesystem::exists(folder.backend(target))) return;
  storage::write_file_atomically(
      folder.backend(target),
      fmt::format("# Where nfold batch computes this target, decided before its first step.\n"
                  "space: {}\npredicted_cpu_seconds: {:.6g}\npredicted_gpu_seconds: {:.6g}\n"
                  "reason: \"{}\"\n",
                  estimate::backend_name(*decision.space), decision.cpu_seconds,
                  decision.gpu_seconds, decision.reason));
}

}  // namespace nfold::batch
