// Starts from the structure, as coils, placed in a box, from a checkpoint.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/setup/start_setup.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "core/refusal.hpp"
#include "engine/engine.hpp"
#include "engine/temperature.hpp"
#include "input/input.hpp"
#include "input/keys.hpp"
#include "io/checkpoint.hpp"
#include "model/start/initial_state.hpp"
#include "model/start/placement.hpp"
#include "session/job/host_memory.hpp"
#include "session/setup/coordinate_file.hpp"
#include "session/setup/memory_estimate.hpp"
#include "session/setup/partition_choice.hpp"
#include "session/setup/system_setup.hpp"

namespace nfold::setup {
namespace {

// Returns coordinates and velocities of another run's checkpoint, at step 0 of a new run.
system::State state_of_checkpoint(const comm::Communicator& communicator,
                                  const std::filesystem::path& file,
                                  const topology::Topology& topology) {
  auto checkpoint = io::read_checkpoint(communicator, file);
  if (checkpoint.header.residue_count != topology.residue_count()) {
    core::refuse(file.string(),
                 fmt::format("start.checkpoint has {} residues, the system {}",
                             checkpoint.header.residue_count, topology.residue_count()),
                 "it must come from a run of the same structure and selection");
  }
  // Positions are counts of their box and would differ in another box.
  const auto& was = checkpoint.header.box_nm;
  const auto& is = topology.box.length_nm;
  if (was != is) {
    core::refuse(
        file.string(),
        fmt::format("start.checkpoint is of a box of {:g} x {:g} x {:g} nm, this one is {:g} x "
                    "{:g} x {:g} nm (0: open)",
                    was[0], was[1], was[2], is[0], is[1], is[2]),
        "give system.box_nm as it was, or another start");
  }
  checkpoint.state.step = 0;
  return std::move(checkpoint.state);
}

start::PlacementKind kind_of(input::StartFrom from) {
  switch (from) {
    case input::StartFrom::lattice:
      return start::PlacementKind::lattice;
    case input::StartFrom::slab:
      return start::PlacementKind::slab;
    case input::StartFrom::droplet:
      return start::PlacementKind::droplet;
    case input::StartFrom::native:
    case input::StartFrom::unfolded:
    case input::StartFrom::random:
    case input::StartFrom::checkpoint:
    case input::StartFrom::coordinates:
      break;
  }
  return start::PlacementKind::random;
}

/// Returns the start blocks by species; empty if all species begin anywhere.
std::vector<start::StartBlock> start_blocks(const input::SystemSettings& system) {
  std::vector<start::StartBlock> blocks;
  for (const auto& species : system.species) {
    auto& block = blocks.emplace_back();
    const std::array all{&species.start_x_nm, &species.start_y_nm, &species.start_z_nm};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (all[axis]->empty()) continue;
      block.from_nm[axis] = all[axis]->front();
      block.to_nm[axis] = all[axis]->back();
    }
  }
  const bool all_anywhere = std::all_of(blocks.begin(), blocks.end(),
                                        [](const auto& block) { return block.is_anywhere(); });
  return all_anywhere ? std::vector<start::StartBlock>() : blocks;
}

start::PlacementSettings placement(const input::Settings& settings, std::uint64_t seed) {
  const auto& start = settings.start;
  const bool unfolded = start.from == input::StartFrom::unfolded ||
                        start.conformation == input::Conformation::unfolded;
  start::PlacementSettings placement;
  placement.kind = kind_of(start.from);
  placement.conformation = unfolded ? start::Conformation::unfolded : start::Conformation::native;
  placement.slab_axis = static_cast<int>(start.slab_axis);
  placement.slab_thickness_nm = start.slab_thickness_nm;
  placement.droplet_radius_nm = start.droplet_radius_nm;
  if (placement.kind == start::PlacementKind::random) {
    placement.block_of_species = start_blocks(settings.system);
  }
  placement.seed = seed;
  return placement;
}

/// True if coils stand side by side without a box; folded parts must be placed as rigid bodies.
bool stands_free(const input::Settings& settings, const topology::Topology& topology) {
  const bool is_folded =
      !topology.restraints.empty() ||
      std::any_of(topology.residues.begin(), topology.residues.end(),
                  [](const topology::Residue& residue) { return residue.domain >= 0; });
  return settings.start.from == input::StartFrom::unfolded && topology.box.is_open() && !is_folded;
}

/// Returns the coordinates of the start. share: null for all rows. Throws core::InputError if
/// the start does not fit into its box.
FirstState first_state(const input::Settings& settings, const std::filesystem::path& input_file,
                       const topology::Topology& topology, std::uint64_t seed,
                       const start::PlacementShare* share) {
  try {
    if (share == nullptr && stands_free(settings, topology)) {
      return {start::unfolded_start(topology, seed), {}};
    }
    const auto how = placement(settings, seed);
    auto placed = share == nullptr ? start::placed_start(topology, how)
                                   : start::placed_start(topology, how, *share);
    return {std::move(placed.state), std::move(placed.notes), share != nullptr};
  } catch (const start::PlacementError& error) {
    const std::string from =
        fmt::format("start.from = {}", input::value_text(*input::find_key("start.from"), settings));
    core::refuse(input_file.string(), fmt::format("{}: {}", from, error.problem()), error.remedy());
  }
}

/// True if partition, memory estimate and engine of a large system need no rank with all of it.
bool needs_shares_alone(const input::Settings& settings, const topology::Topology& topology,
                        std::int64_t residues, int rank_count) {
  static_assert(max_compared_residues < max_whole_residues, "no map is compared");
  return rank_count > 1 && is_estimated_by_part(settings, residues) &&
         method_of(settings, topology) == input::PartitionMethod::recursive_bisection &&
         can_start_from_owned_rows(settings, topology);
}

}  // namespace

FirstState start_at_rest(const input::Settings& settings, const std::filesystem::path& input_file,
                         const topology::Topology& topology, std::uint64_t seed) {
  if (settings.start.from == input::StartFrom::native) {
    return {start::native_start(topology), {}};
  }
  return first_state(settings, input_file, topology, seed, nullptr);
}

start::PlacementShare share_of(const comm::Communicator& communicator, int residue_count) {
  const auto border = [&](std::int64_t rank) {
    return static_cast<int>(residue_count * rank / communicator.size());
  };
  start::PlacementShare share;
  share.rows = {border(communicator.rank()), border(communicator.rank() + 1)};
  share.fetch_position = [communicator](const topology::Point* here) {
    const auto keeper =
        static_cast<int>(communicator.max(here != nullptr ? communicator.rank() : -1));
    topology::Point place = here != nullptr ? *here : topology::Point{};
    const auto bytes = communicator.broadcast(
        std::string_view(reinterpret_cast<const char*>(place.data()), sizeof place), keeper);
    std::memcpy(place.data(), bytes.data(), sizeof place);
    return place;
  };
  return share;
}

bool starts_in_shares(const input::Settings& settings, const topology::Topology& topology,
                      std::int64_t residues, int rank_count) {
  const auto from = settings.start.from;
  const bool is_placed = from != input::StartFrom::native && !settings.start.is_from_file() &&
                         !stands_free(settings, topology);
  return is_placed && needs_shares_alone(settings, topology, residues, rank_count);
}

bool resumes_in_shares(const input::Settings& settings, const topology::Topology& topology,
                       int rank_count) {
  return !settings.ensemble.is_enabled() &&
         needs_shares_alone(settings, topology, topology.residue_count(), rank_count);
}

FirstState start_in_shares(const comm::Communicator& communicator, const input::Settings& settings,
                           const std::filesystem::path& input_file,
                           const topology::Topology& topology, std::uint64_t seed) {
  const auto share = share_of(communicator, topology.residue_count());
  return first_state(settings, input_file, topology, seed, &share);
}

system::State gather_first_state(const comm::Communicator& communicator, const FirstState& first) {
  system::State whole;
  whole.step = first.state.step;
  whole.id = communicator.all_gather(std::span<const int>(first.state.id));
  whole.position =
      communicator.all_gather(std::span<const system::FixedPosition>(first.state.position));
  whole.velocity = communicator.all_gather(std::span<const system::Velocity>(first.state.velocity));
  return whole;
}

void draw_first_velocities(const input::Settings& settings, const topology::Topology& topology,
                           double temperature_kelvin, std::uint32_t replica, system::State& state) {
  start::draw_velocities(topology, temperature_kelvin, settings.dynamics.seed, replica, state);
  if (engine::conserves_momentum(engine_settings(settings))) {
    engine::stop_centre_of_mass(topology, state);
  }
}

bool can_start_from_owned_rows(const input::Settings& settings,
                               const topology::Topology& topology) {
  return engine::can_start_from_owned_rows(engine_settings(settings), topology);
}

namespace {

/// Returns first_state() without velocities that are drawn. in_shares: a share of it.
FirstState make_first_positions(const comm::Communicator& communicator,
                                const input::Settings& settings,
                                const std::filesystem::path& input_file,
                                const topology::Topology& topology, bool in_shares) {
  if (settings.start.from == input::StartFrom::checkpoint) {
    const auto file = input::path_from_input(input_file, settings.start.checkpoint);
    FirstState first{state_of_checkpoint(communicator, file, topology), {}};
    if (engine::conserves_momentum(engine_settings(settings)) &&
        !engine::is_centre_of_mass_at_rest(topology, first.state)) {
      engine::stop_centre_of_mass(topology, first.state);
      first.notes.emplace_back(
          "start: the checkpoint's centre of mass drifted; it is brought to rest, since no "
          "thermostat would stop it");
    }
    return first;
  }
  if (settings.start.from == input::StartFrom::coordinates) {
    CoordinateFile file(communicator,
                        input::path_from_input(input_file, settings.start.coordinates),
                        settings.system, topology);
    FirstState first{file.state(file.find_frame(settings.start.frame)), {}};
    first.notes = file.notes();
    first.state.step = 0;
    first.state.velocity = std::vector<system::Velocity>();
    return first;
  }
  FirstState first = job::with_host_memory(
      fmt::format("making the first state of {} residues", topology.residue_count()), [&] {
        const auto seed = settings.dynamics.seed;
        return in_shares ? start_in_shares(communicator, settings, input_file, topology, seed)
                         : start_at_rest(settings, input_file, topology, seed);
      });
  first.state.velocity = std::vector<system::Velocity>();
  return first;
}

}  // namespace

FirstState first_positions(const comm::Communicator& communicator, const input::Settings& settings,
                           const std::filesystem::path& input_file,
                           const topology::Topology& topology) {
  return make_first_positions(
      communicator, settings, input_file, topology,
      starts_in_shares(settings, topology, topology.residue_count(), communicator.size()));
}

namespace {

/// Collective: returns `column` of this rank's rows, from the ranks' shares. id: ids of this rank's
/// share. Frees the share's column. Ids of a share are consecutive and ascend with the rank, so
/// that the received rows are in the order of ids.
template <class T>
std::vector<T> column_from_shares(const comm::Communicator& communicator,
                                  const std::vector<int>& owner, const std::vector<int>& id,
                                  std::vector<T> column) {
  const auto ranks = static_cast<std::size_t>(communicator.size());
  const auto owner_of = [&](std::size_t row) {
    return static_cast<std::size_t>(owner[static_cast<std::size_t>(id[row])]);
  };
  std::vector<std::vector<std::int64_t>> counts(ranks, {0});
  for (std::size_t row = 0; row < column.size(); ++row) ++counts[owner_of(row)][0];
  std::vector<std::size_t> next{0};  // offset of each sender in `mine`
  for (const auto& of_giver : communicator.all_to_all(counts)) {
    next.push_back(next.back() + static_cast<std::size_t>(of_giver[0]));
  }
  std::vector<T> mine(next.back());
  // Pieces, so that messages take little memory beside the rows.
  constexpr std::size_t piece = 1 << 16;
  const auto most =
      static_cast<std::size_t>(communicator.max(static_cast<std::int64_t>(column.size())));
  std::vector<std::vector<T>> leaving(ranks);
  for (std::size_t first = 0; first < most; first += piece) {
    for (auto& rows : leaving) rows.clear();
    for (auto row = first; row < std::min(first + piece, column.size()); ++row) {
      leaving[owner_of(row)].push_back(column[row]);
    }
    const auto came = communicator.all_to_all(leaving);
    for (std::size_t giver = 0; giver < ranks; ++giver) {
      std::ranges::copy(came[giver], mine.begin() + static_cast<std::ptrdiff_t>(next[giver]));
      next[giver] += came[giver].size();
    }
  }
  return mine;
}

/// Collective: returns this rank's rows. One column at a time, so that a rank has only one column
/// twice.
system::State rows_from_shares(const comm::Communicator& communicator,
                               const std::vector<int>& owner, system::State share) {
  system::State mine;
  mine.step = share.step;
  mine.position =
      column_from_shares(communicator, owner, share.id, std::exchange(share.position, {}));
  mine.velocity =
      column_from_shares(communicator, owner, share.id, std::exchange(share.velocity, {}));
  mine.id.reserve(mine.position.size());
  for (std::size_t id = 0; id < owner.size(); ++id) {
    if (owner[id] == communicator.rank()) mine.id.push_back(static_cast<int>(id));
  }
  return mine;
}

system::State rows_of_owner(const std::vector<int>& owner, int rank, const system::State& state) {
  const bool moves = !state.velocity.empty();
  system::State mine;
  mine.step = state.step;
  const auto own = static_cast<std::size_t>(std::count(owner.begin(), owner.end(), rank));
  mine.id.reserve(own);
  mine.position.reserve(own);
  if (moves) mine.velocity.reserve(own);
  for (std::size_t row = 0; row < state.id.size(); ++row) {
    if (owner[static_cast<std::size_t>(state.id[row])] != rank) continue;
    mine.id.push_back(state.id[row]);
    mine.position.push_back(state.position[row]);
    if (moves) mine.velocity.push_back(state.velocity[row]);
  }
  return mine;
}

void draw_missing_velocities(const input::Settings& settings, const topology::Topology& topology,
                             system::State& state) {
  if (!state.velocity.empty()) return;
  const auto& dynamics = settings.dynamics;
  draw_first_velocities(settings, topology, dynamics.temperature_kelvin, dynamics.replica, state);
}

}  // namespace

void keep_own_rows(const comm::Communicator& communicator, const input::Settings& settings,
                   const topology::Topology& topology, const std::vector<int>& owner,
                   FirstState& first) {
  auto& state = first.state;
  if (first.is_share) {
    state = rows_from_shares(communicator, owner, std::exchange(state, {}));
    first.is_share = false;
  } else if (communicator.size() > 1 && can_start_from_owned_rows(settings, topology)) {
    state = rows_of_owner(owner, communicator.rank(), state);
  }
  draw_missing_velocities(settings, topology, state);
}

FirstState first_state(const comm::Communicator& communicator, const input::Settings& settings,
                       const std::filesystem::path& input_file,
                       const topology::Topology& topology) {
  auto first = make_first_positions(communicator, settings, input_file, topology, false);
  draw_missing_velocities(settings, topology, first.state);
  return first;
}

}  // namespace nfold::setup
