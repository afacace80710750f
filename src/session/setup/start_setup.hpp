// First state of a run, by `start` of the input.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "input/settings.hpp"
#include "model/start/placement.hpp"
#include "model/topology/topology.hpp"
#include "system/state.hpp"

namespace nfold::setup {

struct FirstState {
  system::State state;
  std::vector<std::string> notes;  ///< densities of a start in a box, relaxations
  bool is_share = false;           ///< true: consecutive rows, ascending with the rank; else all
};

/// Returns the rows of a first state that this rank makes, if no rank makes all, and the function
/// that gets positions from other ranks.
[[nodiscard]] start::PlacementShare share_of(const comm::Communicator& communicator,
                                             int residue_count);
/// True if the ranks make the positions of `residues` residues in shares: partition, memory
/// estimate and engine need no rank with all of them. topology: of the system or of its part.
[[nodiscard]] bool starts_in_shares(const input::Settings& settings,
                                    const topology::Topology& topology, std::int64_t residues,
                                    int rank_count);
/// True if a plain run on rank_count ranks resumes from shares of a checkpoint.
[[nodiscard]] bool resumes_in_shares(const input::Settings& settings,
                                     const topology::Topology& topology, int rank_count);

/// Returns all residues at step 0 and at rest, for starts other than a checkpoint; equal on all
/// ranks. seed: of coils and placement. Throws InputError.
[[nodiscard]] FirstState start_at_rest(const input::Settings& settings,
                                       const std::filesystem::path& input_file,
                                       const topology::Topology& topology, std::uint64_t seed);

/// Collective: start_at_rest() in shares, for starts that place chains in a box.
[[nodiscard]] FirstState start_in_shares(const comm::Communicator& communicator,
                                         const input::Settings& settings,
                                         const std::filesystem::path& input_file,
                                         const topology::Topology& topology, std::uint64_t seed);
/// Collective: returns all rows on every rank, from shares, with velocities if there are any.
[[nodiscard]] system::State gather_first_state(const comm::Communicator& communicator,
                                               const FirstState& first);

/// Draws velocities of this temperature and replica for all rows. Stops the centre of mass if no
/// thermostat changes its motion (engine/temperature.hpp).
void draw_first_velocities(const input::Settings& settings, const topology::Topology& topology,
                           double temperature_kelvin, std::uint32_t replica, system::State& state);

/// True if an engine starts with its own rows alone; else it needs the motion of the whole, or
/// residues of other ranks.
[[nodiscard]] bool can_start_from_owned_rows(const input::Settings& settings,
                                             const topology::Topology& topology);

/// Collective: returns first_state() without the velocities that keep_own_rows() draws; a share of
/// it if starts_in_shares().
[[nodiscard]] FirstState first_positions(const comm::Communicator& communicator,
                                         const input::Settings& settings,
                                         const std::filesystem::path& input_file,
                                         const topology::Topology& topology);
/// Collective: reduces `first` to the rows that this rank's engine starts with, if possible its own
/// rows alone. Draws velocities if there are none.
void keep_own_rows(const comm::Communicator& communicator, const input::Settings& settings,
                   const topology::Topology& topology, const std::vector<int>& owner,
                   FirstState& first);

/// Collective: returns all residues at step 0, on every rank, with velocities. Throws InputError,
/// storage::FileError.
[[nodiscard]] FirstState first_state(const comm::Communicator& communicator,
                                     const input::Settings& settings,
                                     const std::filesystem::path& input_file,
                                     const topology::Topology& topology);

}  // namespace nfold::setup
