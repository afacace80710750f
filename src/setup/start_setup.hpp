// The first state of a run, as `start` of the input asks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "config/settings.hpp"
#include "start/placement.hpp"
#include "system/state.hpp"
#include "topology/topology.hpp"

namespace nfold::setup {

struct FirstState {
  system::State state;
  std::vector<std::string> notes;  ///< densities of a start in a box, what it had to relax
  bool is_share = false;           ///< some consecutive rows, by ascending ranks; else all
};

/// Rows of a first state that a rank makes where no rank makes all, and how it learns of others.
[[nodiscard]] start::PlacementShare share_of(const comm::Communicator& communicator,
                                             int residue_count);
/// Whether so many ranks make the places of so many residues in shares: where the map of owners,
/// the plan of memory and the engine need no rank to have all. topology: of them, or a part of it.
[[nodiscard]] bool starts_in_shares(const config::Settings& settings,
                                    const topology::Topology& topology, std::int64_t residues,
                                    int rank_count);
/// Whether a plain run of so many ranks goes on from shares of a checkpoint.
[[nodiscard]] bool continues_in_shares(const config::Settings& settings,
                                       const topology::Topology& topology, int rank_count);

/// All residues at step 0 and at rest, of a start other than a checkpoint; seed: of coils and
/// places. The same on any rank. InputError.
[[nodiscard]] FirstState start_at_rest(const config::Settings& settings,
                                       const std::filesystem::path& input_file,
                                       const topology::Topology& topology, std::uint64_t seed);

/// Collective: the same, of a start that places chains in a box, in shares.
[[nodiscard]] FirstState start_in_shares(const comm::Communicator& communicator,
                                         const config::Settings& settings,
                                         const std::filesystem::path& input_file,
                                         const topology::Topology& topology, std::uint64_t seed);
/// Collective: all rows on every rank, of shares, with velocities where they have any.
[[nodiscard]] system::State whole_state(const comm::Communicator& communicator,
                                        const FirstState& first);

/// All rows get first velocities of this temperature and replica. The centre of mass is at rest
/// where no bath would change its motion (dynamics/temperature.hpp).
void give_velocities(const config::Settings& settings, const topology::Topology& topology,
                     double temperature_kelvin, std::uint32_t replica, system::State& state);

/// Whether an engine begins with rows of its own alone: else it looks at the whole's motion, or at
/// residues of others.
[[nodiscard]] bool begins_with_own_rows(const config::Settings& settings,
                                        const topology::Topology& topology);

/// Collective: first_state() without the velocities that give_own_rows() draws; a share of it where
/// starts_in_shares().
[[nodiscard]] FirstState first_places(const comm::Communicator& communicator,
                                      const config::Settings& settings,
                                      const std::filesystem::path& input_file,
                                      const topology::Topology& topology);
/// Collective: leaves what this rank's engine begins with: where it can, its own rows alone.
/// Velocities are drawn if there are none.
void give_own_rows(const comm::Communicator& communicator, const config::Settings& settings,
                   const topology::Topology& topology, const std::vector<int>& owner,
                   FirstState& first);

/// Collective: all residues at step 0, on every rank, with velocities. InputError,
/// storage::FileError.
[[nodiscard]] FirstState first_state(const comm::Communicator& communicator,
                                     const config::Settings& settings,
                                     const std::filesystem::path& input_file,
                                     const topology::Topology& topology);

}  // namespace nfold::setup
