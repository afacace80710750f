// CPU and GPU ranks of one job, all built from the same sources.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "estimate/dispatch.hpp"

namespace nfold::job {

/// Build description that a rank sends to the others.
struct RankBuild {
  estimate::Backend space = estimate::Backend::cpu;
  std::string sources;  ///< source_hash
};

/// Returns the build of this program. Defined in a file of its own (this_build.cpp): tests link a
/// replacement (tests/support/posed_build.cpp) to run mixed jobs without a GPU.
[[nodiscard]] RankBuild this_build();

/// Returns a description of the first rank with other sources; empty if all (ranks) match.
[[nodiscard]] std::string describe_source_mismatch(const std::vector<RankBuild>& builds);

/// Ranks of both backends in one job: mpirun -n 1 nfold ... : -n 4 nfold-cpu ...
class BackendRanks {
 public:
  /// Collective, the first communication between ranks of two builds. Throws InputError on all
  /// ranks if their sources differ.
  explicit BackendRanks(const comm::Communicator& world, const RankBuild& mine = this_build());

  [[nodiscard]] estimate::Backend space() const { return space_; }
  /// Ranks of this rank's backend, in order: those that may share a target, threads and GPUs.
  [[nodiscard]] const comm::Communicator& same_backend() const { return alike_; }
  [[nodiscard]] bool has(estimate::Backend space) const { return ranks_.of(space) > 0; }
  [[nodiscard]] bool has_both() const { return ranks_.cpu > 0 && ranks_.gpu > 0; }
  /// Number of ranks by backend; cpu_threads is 0 before count_threads().
  [[nodiscard]] const estimate::JobRanks& ranks() const { return ranks_; }
  /// Collective over `world`: sums the threads of the CPU ranks. of_this_rank: threads of this
  /// rank.
  void count_threads(const comm::Communicator& world, int of_this_rank);
  /// Returns "4 CPU ranks", "1 GPU rank and 4 CPU ranks".
  [[nodiscard]] std::string describe() const;

 private:
  estimate::Backend space_;
  estimate::JobRanks ranks_;
  comm::Communicator alike_;
};

/// Collective: throws InputError on all ranks if the job has both backends or different sources.
/// One system needs one backend: the other has different bits and different waits.
void require_one_backend(const comm::Communicator& world, const std::string& command);

}  // namespace nfold::job
