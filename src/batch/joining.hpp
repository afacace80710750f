// Whether idle ranks join a target that others have started, how many, and which: by its rest.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "comm/idle_ranks.hpp"
#include "job/more_ranks.hpp"

namespace nfold::batch {

/// What a restart with more ranks must bring.
struct JoiningSettings {
  double margin = 1.5;      ///< seconds gained over those that the restart takes
  double least_gain = 0.1;  ///< seconds gained over the rest
  double near_best = 1.02;  ///< so much longer than with all of them is as good: fewer join
};

struct JoiningDecision {
  int joining = 0;   ///< idle ranks; 0: they had better wait
  std::string told;  ///< with the numbers; empty where no rank could be of use
};

/// How many idle ranks the work that `own` (a rank) told of should have, if each goes to the work
/// that would then last longest: so two that ask at once do not both take all.
[[nodiscard]] int fair_part(std::span<const comm::OpenWork> told, int own, int idle);

/// A function of its arguments alone. idle: how many may join the target's `ranks`, most_ranks: how
/// many it has work for.
[[nodiscard]] JoiningDecision decide_joining(const job::RestOfRun& rest, int ranks, int most_ranks,
                                             int idle, const JoiningSettings& settings = {});

/// Those of them whose GPU no member and no other of them has: who takes turns with a member on one
/// brings it nothing. gpus: (ranks) names; empty: on processors.
[[nodiscard]] std::vector<int> with_device_of_its_own(std::span<const int> idle,
                                                      std::span<const int> members,
                                                      std::span<const std::string> gpus);

/// Those of them that are of the asking rank's node first, then those of the nodes with the most of
/// them. nodes: (ranks).
[[nodiscard]] std::vector<int> nearest_first(std::span<const int> idle, std::span<const int> nodes,
                                             int asking);

}  // namespace nfold::batch
