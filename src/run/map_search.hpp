// Which map of residues to ranks would be the best now: no rank is asked, so a thread can do it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "config/settings.hpp"
#include "domain/counted_work.hpp"
#include "domain/partition.hpp"
#include "domain/rebalance.hpp"
#include "domain/residue_units.hpp"
#include "system/state.hpp"
#include "topology/topology.hpp"

namespace nfold::run {

/// All that a search needs, so that steps can go on meanwhile.
struct MapQuestion {
  domain::ResidueUnits units;  ///< of more than one residue: sought are owners of units
  system::State state;         ///< positions of all residues by id, or of units
  domain::Ownership owner;     ///< the present map, of residues or units
  domain::RebalanceSettings rules;
  domain::WorkCosts costs;
  std::vector<domain::RankLoad> loads;      ///< (ranks) what each was busy with in a step
  std::vector<std::int64_t> most_residues;  ///< (ranks) for which its memory has room
  std::vector<int> node;                    ///< (ranks) number of each one's node
  double step_seconds = 0;
  double move_seconds = 0;  ///< that a move is expected to cost
  std::int64_t steps_ahead = 0;
  [[nodiscard]] bool has_units() const { return units.are_pieces(); }
};

struct FoundMap {
  domain::Ownership owner;  ///< of residues or units
  std::int64_t ghosts = 0;  ///< of all ranks
  domain::Verdict verdict;
};

/// Units are shared out by place or in the order of chains. Of some maps that leave every rank
/// within its memory the one with the shortest step, each map corrected by what the one before
/// would give; none where no map has room.
[[nodiscard]] std::optional<FoundMap> find_map(const config::Settings& settings,
                                               const topology::Topology& topology,
                                               const MapQuestion& question);

}  // namespace nfold::run
