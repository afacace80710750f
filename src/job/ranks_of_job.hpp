// Which ranks of a job compute on a GPU and which on a CPU, and that all are of the same sources.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "plan/dispatch.hpp"

namespace nfold::job {

/// What one rank tells the others of its program.
struct RankBuild {
  plan::Space space = plan::Space::cpu;
  std::string sources;  ///< source_hash
};

/// Of this program. Alone in its file (this_build.cpp): tests link a program that says otherwise of
/// itself (tests/support/posed_build.cpp), and so have jobs of both kinds without a GPU.
[[nodiscard]] RankBuild this_build();

/// What is wrong with a job of these (ranks), in words; empty if they go together.
[[nodiscard]] std::string unlike_sources(const std::vector<RankBuild>& builds);

/// Ranks of both kinds in one job: mpirun -n 1 nfold ... : -n 4 nfold-cpu ...
class RanksOfJob {
 public:
  /// Collective, and the first thing that ranks of two builds do together. InputError on all ranks
  /// if they are of unlike sources.
  explicit RanksOfJob(const comm::Communicator& world, const RankBuild& mine = this_build());

  [[nodiscard]] plan::Space space() const { return space_; }
  /// Ranks of this one's space, in their order: those that may share a target, threads and GPUs.
  [[nodiscard]] const comm::Communicator& alike() const { return alike_; }
  [[nodiscard]] bool has(plan::Space space) const { return ranks_.of(space) > 0; }
  [[nodiscard]] bool has_both() const { return ranks_.cpu > 0 && ranks_.gpu > 0; }
  /// cpu_threads is 0 before count_threads().
  [[nodiscard]] const plan::JobRanks& ranks() const { return ranks_; }
  /// Collective over the world: of_this_rank, once they are known.
  void count_threads(const comm::Communicator& world, int of_this_rank);
  /// "4 CPU ranks", "1 GPU rank and 4 CPU ranks".
  [[nodiscard]] std::string in_words() const;

 private:
  plan::Space space_;
  plan::JobRanks ranks_;
  comm::Communicator alike_;
};

/// Collective. One system has one kind of ranks: others would give other bits, and wait elsewhere.
/// InputError on all of them if there are both, or ranks of unlike sources.
void require_one_space(const comm::Communicator& world, const std::string& command);

}  // namespace nfold::job
