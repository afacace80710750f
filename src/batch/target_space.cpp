// File NAME.space.yaml: written once, read at each start of the program.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/target_space.hpp"

#include <fmt/format.h>

#include <fstream>

#include "batch/target_place.hpp"
#include "comm/communicator.hpp"
#include "io/checkpoint.hpp"
#include "storage/atomic_file.hpp"
#include "storage/file_error.hpp"

namespace nfold::batch {

std::optional<plan::Space> kept_space(const BatchFolder& folder, const std::string& target) {
  std::ifstream file(folder.space(target));
  constexpr std::string_view key = "space: ";
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key)) return plan::space_of(line.substr(key.size()));
  }
  const auto checkpoint = last_checkpoint_of(folder, target);
  if (checkpoint.empty() || !io::checkpoint_exists(checkpoint)) return std::nullopt;
  try {
    const auto header = io::read_checkpoint(comm::Communicator(), checkpoint).header;
    const auto found = header.provenance.find("space");
    return found == header.provenance.end() ? std::nullopt : plan::space_of(found->second);
  } catch (const storage::FileError&) {
    return std::nullopt;  // the run itself reports it
  }
}

void keep_space(const BatchFolder& folder, const std::string& target,
                const plan::Decision& decision) {
  if (std::filesystem::exists(folder.space(target))) return;
  storage::write_file_atomically(
      folder.space(target),
      fmt::format("# Where nfold batch computes this target, decided before its first step.\n"
                  "space: {}\npredicted_cpu_seconds: {:.6g}\npredicted_gpu_seconds: {:.6g}\n"
                  "reason: \"{}\"\n",
                  plan::space_name(*decision.space), decision.cpu_seconds, decision.gpu_seconds,
                  decision.reason));
}

}  // namespace nfold::batch
