// What the ranks of other nodes tell of themselves: a small file a node, beside the output.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/rank_record.hpp"

namespace nfold::job {

/// In its life the first rank of each node writes its node's records to PREFIX-RANK.json every few
/// seconds, by a thread of its own; who waits too long for other ranks reads them. Nothing where
/// all ranks are on one node. Files of a killed job are written over by the next.
class RankFiles {
 public:
  /// Collective.
  RankFiles(const comm::Communicator& communicator, const std::filesystem::path& prefix);
  /// For a rank of the node whose first rank is `own`, of nodes that begin with `firsts`.
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

/// Writes the records of this node into a file, in place: who opens it anew sees what is new even
/// on a file system between nodes. Silent where it cannot.
void write_rank_file(const std::filesystem::path& file);
/// Those of a file, as old as it is beside `newest`; none if it is not there or half written.
[[nodiscard]] std::vector<comm::RankReport> read_rank_file(const std::filesystem::path& file,
                                                           std::filesystem::file_time_type newest);

}  // namespace nfold::job
