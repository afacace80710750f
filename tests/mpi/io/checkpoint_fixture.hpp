// Small system state, selections of its rows, and a folder shared by all ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "../../unit/io/temporary_folder.hpp"
#include "io/checkpoint.hpp"
#include "io/checkpoint_writer.hpp"

namespace nfold::test {

/// Temporary folder, created and removed by rank 0. Construction and destruction are collective.
class SharedFolder {
 public:
  explicit SharedFolder(const comm::Communicator& world) : world_(world) {
    if (world.is_root()) mine_.emplace();
    path_ = world.broadcast(mine_ ? mine_->path().string() : std::string());
  }
  ~SharedFolder() { world_.barrier(); }
  SharedFolder(const SharedFolder&) = delete;
  SharedFolder& operator=(const SharedFolder&) = delete;
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const {
    return path_ / name;
  }

 private:
  const comm::Communicator& world_;
  std::optional<TemporaryFolder> mine_;
  std::filesystem::path path_;
};

inline io::CheckpointHeader make_header(std::int64_t residues, std::int64_t step) {
  io::CheckpointHeader header;
  header.residue_count = residues;
  header.step = step;
  header.seed = 0xfedcba9876543210ULL;
  header.topology_hash = 0x123456789abcdef0ULL;
  header.box_nm = {0, 25, 8192};
  header.resolved_input = "dynamics:\n  steps: 1000\n";
  header.accumulators = {{"csv_rows", {7}}, {"sums", {1, -2, 3}}, {"empty", {}}};
  return header;
}

/// All residues of a system at a step.
inline system::State whole_state(int residues, std::int64_t step) {
  system::State state;
  state.step = step;
  for (int id = 0; id < residues; ++id) {
    state.id.push_back(id);
    state.position.push_back({system::Box{}.to_counts(0, 0.38 * id), step, -id});
    state.velocity.push_back({1.0 / (id + 1), -0.0, static_cast<double>(step) / 3});
  }
  return state;
}

/// Rows of the residues for which is_mine(id) is true.
template <class Predicate>
system::State select_rows(const system::State& whole, Predicate&& is_mine) {
  system::State part;
  part.step = whole.step;
  for (std::size_t i = 0; i < whole.id.size(); ++i) {
    if (!is_mine(whole.id[i])) continue;
    part.id.push_back(whole.id[i]);
    part.position.push_back(whole.position[i]);
    part.velocity.push_back(whole.velocity[i]);
  }
  return part;
}

/// Collective. Writes a checkpoint of the rows of all ranks while nothing else is done.
inline void write_checkpoint(const comm::Communicator& communicator,
                             const std::filesystem::path& path, const io::CheckpointHeader& header,
                             system::State mine) {
  io::CheckpointWriter writing(communicator, path, header,
                               [&mine] { return std::exchange(mine, {}); });
  writing.finish();
}

}  // namespace nfold::test
