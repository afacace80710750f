// Rank records exchanged between nodes: a small file per node, beside the output.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/rank_record.hpp"

namespace nfold::job {

/// Exchange of rank records. During its lifetime the first rank of each node writes the records of
/// its node to PREFIX-RANK.json every few seconds, in a thread; ranks that wait too long for others
/// read them. Does nothing if all ranks are on one node. Files of a killed job are overwritten.
class RankFiles {
 public:
  /// Collective: starts the writer of each node.
  RankFiles(const comm::Communicator& communicator, const std::filesystem::path& prefix);
  /// For a rank of the node whose first rank is `own`. firsts: first rank of each node.
  RankFiles(const std::filesystem::path& prefix, const std::vector<int>& firsts, int own,
            bool writes);
  ~RankFiles();
  RankFiles(const RankFiles&) = delete;
  RankFiles& operator=(const RankFiles&) = delete;

 private:
  struct State;
  void begin(const std::filesystem::path& prefix, const std::vector<int>& firsts, int own,
             bool writes);
  std::unique_ptr<State> state_;
};

/// Writes the records of this node in place, so that readers that open the file anew see them even
/// through a file system between nodes. Ignores errors.
void write_rank_file(const std::filesystem::path& file);
/// Returns the records of a file, with times increased by its age relative to `newest`. Empty if
/// the file is missing or incomplete.
[[nodiscard]] std::vector<comm::RankReport> read_rank_file(const std::filesystem::path& file,
                                                           std::filesystem::file_time_type newest);

}  // namespace nfold::job
