// Starts: from the structure, as coils, placed in a box, from a checkpoint.
// SPDX-License-Identifier: BSD-3-Clause

#include "setup/start_setup.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "config/keys.hpp"
#include "dynamics/engine.hpp"
#include "dynamics/temperature.hpp"
#include "input_files/input.hpp"
#include "io/checkpoint.hpp"
#include "job/host_memory.hpp"
#include "job/refusal.hpp"
#include "setup/system_setup.hpp"
#include "start/initial_state.hpp"
#include "start/placement.hpp"

namespace nfold::setup {
namespace {

// A new run from the coordinates and velocities of another: its clock begins at 0.
system::State state_of_checkpoint(const comm::Communicator& communicator,
                                  const std::filesystem::path& file,
                                  const topology::Topology& topology) {
  auto checkpoint = io::read_checkpoint(communicator, file);
  if (checkpoint.header.residue_count != topology.residue_count()) {
    job::refuse(file.string(),
                fmt::format("start.checkpoint has {} residues, the system {}",
                            checkpoint.header.residue_count, topology.residue_count()),
                "it must come from a run of the same structure and selection");
  }
  // Positions are counts of their box: in another one they would be other places.
  const auto& was = checkpoint.header.box_nm;
  const auto& is = topology.box.length_nm;
  if (was != is) {
    job::refuse(
        file.string(),
        fmt::format("start.checkpoint is of a box of {:g} x {:g} x {:g} nm, this one is {:g} x "
                    "{:g} x {:g} nm (0: open)",
                    was[0], was[1], was[2], is[0], is[1], is[2]),
        "give system.box_nm as it was, or another start");
  }
  checkpoint.state.step = 0;
  return std::move(checkpoint.state);
}

start::PlacementKind kind_of(config::StartFrom from) {
  switch (from) {
    case config::StartFrom::lattice:
      return start::PlacementKind::lattice;
    case config::StartFrom::slab:
      return start::PlacementKind::slab;
    case config::StartFrom::droplet:
      return start::PlacementKind::droplet;
    case config::StartFrom::native:
    case config::StartFrom::unfolded:
    case config::StartFrom::random:
    case config::StartFrom::checkpoint:
      break;
  }
  return start::PlacementKind::random;
}

start::PlacementSettings placement(const config::Settings& settings, std::uint64_t seed) {
  const auto& start = settings.start;
  const bool unfolded = start.from == config::StartFrom::unfolded ||
                        start.conformation == config::Conformation::unfolded;
  start::PlacementSettings placement;
  placement.kind = kind_of(start.from);
  placement.conformation = unfolded ? start::Conformation::unfolded : start::Conformation::native;
  placement.slab_axis = static_cast<int>(start.slab_axis);
  placement.slab_thickness_nm = start.slab_thickness_nm;
  placement.droplet_radius_nm = start.droplet_radius_nm;
  placement.seed = seed;
  return placement;
}

/// Coils side by side need no box; what is folded must be placed as a body.
bool stands_free(const config::Settings& settings, const topology::Topology& topology) {
  const bool is_folded =
      !topology.restraints.empty() ||
      std::any_of(topology.residues.begin(), topology.residues.end(),
                  [](const topology::Residue& residue) { return residue.domain >= 0; });
  return settings.start.from == config::StartFrom::unfolded && topology.box.is_open() && !is_folded;
}

}  // namespace

FirstState start_at_rest(const config::Settings& settings, const std::filesystem::path& input_file,
                         const topology::Topology& topology, std::uint64_t seed) {
  if (settings.start.from == config::StartFrom::native) {
    return {start::native_start(topology), {}};
  }
  const std::string from =
      fmt::format("start.from = {}", config::value_text(*config::find_key("start.from"), settings));
  try {
    if (stands_free(settings, topology)) {
      return {start::unfolded_start(topology, seed), {}};
    }
    auto placed = start::placed_start(topology, placement(settings, seed));
    return {std::move(placed.state), std::move(placed.notes)};
  } catch (const start::PlacementError& error) {
    job::refuse(input_file.string(), fmt::format("{}: {}", from, error.problem()), error.remedy());
  }
}

void give_velocities(const config::Settings& settings, const topology::Topology& topology,
                     double temperature_kelvin, std::uint32_t replica, system::State& state) {
  start::draw_velocities(topology, temperature_kelvin, settings.dynamics.seed, replica, state);
  if (dynamics::conserves_momentum(engine_settings(settings))) {
    dynamics::stop_centre_of_mass(topology, state);
  }
}

bool begins_with_own_rows(const config::Settings& settings, const topology::Topology& topology) {
  return dynamics::begins_with_own_rows(engine_settings(settings), topology);
}

FirstState first_places(const comm::Communicator& communicator, const config::Settings& settings,
                        const std::filesystem::path& input_file,
                        const topology::Topology& topology) {
  if (settings.start.from == config::StartFrom::checkpoint) {
    const auto file = input_files::path_from_input(input_file, settings.start.checkpoint);
    FirstState first{state_of_checkpoint(communicator, file, topology), {}};
    if (dynamics::conserves_momentum(engine_settings(settings)) &&
        !dynamics::centre_of_mass_is_at_rest(topology, first.state)) {
      dynamics::stop_centre_of_mass(topology, first.state);
      first.notes.emplace_back(
          "start: the checkpoint's centre of mass drifted; it is brought to rest, for no bath "
          "would do that");
    }
    return first;
  }
  FirstState first = job::with_host_memory(
      fmt::format("making the first state of {} residues", topology.residue_count()),
      [&] { return start_at_rest(settings, input_file, topology, settings.dynamics.seed); });
  first.state.velocity = std::vector<system::Velocity>();
  return first;
}

void give_own_rows(const comm::Communicator& communicator, const config::Settings& settings,
                   const topology::Topology& topology, const std::vector<int>& owner,
                   system::State& state) {
  if (communicator.size() > 1 && begins_with_own_rows(settings, topology)) {
    const bool moves = !state.velocity.empty();
    system::State mine;
    mine.step = state.step;
    const auto own =
        static_cast<std::size_t>(std::count(owner.begin(), owner.end(), communicator.rank()));
    mine.id.reserve(own);
    mine.position.reserve(own);
    if (moves) mine.velocity.reserve(own);
    for (std::size_t row = 0; row < state.id.size(); ++row) {
      if (owner[static_cast<std::size_t>(state.id[row])] != communicator.rank()) continue;
      mine.id.push_back(state.id[row]);
      mine.position.push_back(state.position[row]);
      if (moves) mine.velocity.push_back(state.velocity[row]);
    }
    state = std::move(mine);
  }
  if (!state.velocity.empty()) return;
  const auto& dynamics = settings.dynamics;
  give_velocities(settings, topology, dynamics.temperature_kelvin, dynamics.replica, state);
}

FirstState first_state(const comm::Communicator& communicator, const config::Settings& settings,
                       const std::filesystem::path& input_file,
                       const topology::Topology& topology) {
  auto first = first_places(communicator, settings, input_file, topology);
  if (!first.state.velocity.empty()) return first;
  const auto& dynamics = settings.dynamics;
  give_velocities(settings, topology, dynamics.temperature_kelvin, dynamics.replica, first.state);
  return first;
}

}  // namespace nfold::setup
