// File NAME.space.yaml: written once, read at each start of the program.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/target_backend.hpp"

#include <fmt/format.h>

#include <fstream>

#include "batch/target_progress.hpp"
#include "comm/communicator.hpp"
#include "core/storage/atomic_file.hpp"
#include "core/storage/file_error.hpp"
#include "io/checkpoint.hpp"

namespace nfold::batch {

std::optional<estimate::Backend> read_backend(const BatchFolder& folder,
                                              const std::string& target) {
  std::ifstream file(folder.space(target));
  constexpr std::string_view key = "space: ";
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key)) return estimate::parse_backend(line.substr(key.size()));
  }
  const auto checkpoint = find_last_checkpoint(folder, target);
  if (checkpoint.empty() || !io::checkpoint_exists(checkpoint)) return std::nullopt;
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
  if (std::filesystem::exists(folder.space(target))) return;
  storage::write_file_atomically(
      folder.space(target),
      fmt::format("# Where nfold batch computes this target, decided before its first step.\n"
                  "space: {}\npredicted_cpu_seconds: {:.6g}\npredicted_gpu_seconds: {:.6g}\n"
                  "reason: \"{}\"\n",
                  estimate::backend_name(*decision.space), decision.cpu_seconds,
                  decision.gpu_seconds, decision.reason));
}

}  // namespace nfold::batch
