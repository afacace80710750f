// Memory estimates of engine and host, for whole systems and for parts of large ones.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/setup/memory_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <utility>

#include "domain/density_grid.hpp"
#include "engine/engine_memory.hpp"
#include "engine/rank_counts.hpp"
#include "session/setup/host_arrays.hpp"
#include "session/setup/start_setup.hpp"
#include "session/setup/step_demand.hpp"
#include "session/setup/system_setup.hpp"

namespace nfold::setup {
namespace {

using domain::RankCounts;

using Shape = domain::DensityGrid::Shape;

/// Region that residues of a start fill.
struct FilledRegion {
  std::array<double, 3> size_nm;
  Shape shape = Shape::cuboid;
  [[nodiscard]] double volume_nm3() const {
    return (shape == Shape::ball ? std::numbers::pi / 6 : 1) * size_nm[0] * size_nm[1] * size_nm[2];
  }
};

FilledRegion filled_region(const input::Settings& settings, const system::Box& box,
                           std::int64_t residues) {
  constexpr double dense_per_nm3 = 2;
  const auto& start = settings.start;
  const double dense_nm3 = static_cast<double>(residues) / dense_per_nm3;
  FilledRegion region{box.length_nm};
  if (start.from == input::StartFrom::slab) {
    const auto axis = static_cast<std::size_t>(start.slab_axis);
    const double area = box.volume_nm3() / box.length_nm[axis];
    region.size_nm[axis] = start.slab_thickness_nm > 0 ? start.slab_thickness_nm : dense_nm3 / area;
  } else if (start.from == input::StartFrom::droplet) {
    const double radius = start.droplet_radius_nm;
    region = {{1, 1, 1}, Shape::ball};
    region.size_nm.fill(radius > 0 ? 2 * radius : std::cbrt(dense_nm3 / region.volume_nm3()));
  }
  return region;
}

engine::EngineSettings engine_at(const input::Settings& settings, bool on_gpu) {
  auto engine = engine_settings(settings);
  engine.on_gpu = on_gpu;
  return engine;
}

/// Returns the first state of the part, in a cube of volume_nm3; 0: without a box.
FirstState state_of_part(const input::Settings& settings, const std::filesystem::path& input_file,
                         topology::Topology& part, double volume_nm3) {
  auto of_part = settings;
  if (volume_nm3 > 0) {
    part.box.length_nm.fill(std::cbrt(volume_nm3));
    if (settings.start.from != input::StartFrom::native) {
      of_part.start.from = input::StartFrom::random;
    }
    // Start blocks refer to the whole box.
    for (auto& species : of_part.system.species) {
      species.start_x_nm.clear();
      species.start_y_nm.clear();
      species.start_z_nm.clear();
    }
  }
  return start_at_rest(of_part, input_file, part, settings.dynamics.seed);
}

}  // namespace

struct MemoryEstimator::Parts {
  const input::Settings& settings;
  engine::EngineSettings engine;
  std::shared_ptr<SystemPart> part = {};  // null: the whole system is known
  const topology::Topology* topology = nullptr;
  const system::State* state = nullptr;
  std::shared_ptr<const FirstState> own_state = {};
  double times = 1;
  std::int64_t residues = 0;
  /// Neighbours on cores and on GPUs, counted for both when first needed, and shared by the
  /// estimators of both.
  std::shared_ptr<std::vector<engine::NeighbourSample>> neighbours =
      std::make_shared<std::vector<engine::NeighbourSample>>();
  // Counted when first needed: of the system, or its part on one rank, and by layout.
  mutable std::optional<domain::DensityGrid> density = {};
  mutable std::optional<RankCounts> alone = {};
  mutable std::optional<analysis::DistinctResidues> distinct_residues = {};
  mutable std::map<std::pair<int, int>, std::vector<RankCounts>> by_layout = {};
  mutable std::map<std::pair<int, int>, RunMemory> memory_by_layout = {};

  [[nodiscard]] engine::CompleteSystem system() const { return {*topology, *state, engine}; }
  [[nodiscard]] const RankCounts& on_one_rank() const {
    if (!alone) {
      const domain::Ownership owner(topology->residues.size(), 0);
      alone = engine::count_ranks(system(), sampled_neighbours(), owner, 1).front();
    }
    return *alone;
  }
  [[nodiscard]] const engine::NeighbourSample& sampled_neighbours() const {
    if (neighbours->empty()) {
      std::vector<engine::ListReach> reaches;
      for (const bool on_gpu : {false, true}) {
        reaches.push_back(engine::first_reach(*topology, engine_at(settings, on_gpu)));
      }
      *neighbours = engine::sample_neighbours(*topology, *state, reaches);
    }
    return neighbours->at(engine.on_gpu ? 1 : 0);
  }
  [[nodiscard]] std::vector<RankCounts> extrapolated(const RankCounts& one,
                                                     const engine::EngineSettings& of,
                                                     int rank_count, int nodes) const {
    if (!density) density = domain::DensityGrid(topology->box, state->position);
    return engine::extrapolate_rank_counts(one, times, *density,
                                           engine::ghost_ranges(*topology, of), rank_count,
                                           (rank_count + nodes - 1) / nodes);
  }
  [[nodiscard]] const std::vector<RankCounts>& counts(int rank_count, int nodes) const {
    auto& counts = by_layout[{rank_count, nodes}];
    if (counts.empty()) counts = extrapolated(on_one_rank(), engine, rank_count, nodes);
    return counts;
  }
  [[nodiscard]] device::MemoryEstimate estimated(const engine::EngineSettings& of,
                                                 RankCounts counts, int rank) const {
    counts.halo.writes_to_peers = of.on_gpu && counts.ranks > 1 &&
                                  (of.transport == comm::Transport::automatic ||
                                   of.transport == comm::Transport::peer_memory ||
                                   of.transport == comm::Transport::peer_memory_and_nccl);
    if (!of.on_gpu) let_lists_grow(counts, settings);
    auto estimate = engine::engine_memory(*topology, of, counts);
    add_host_arrays(estimate, settings, *topology, times, counts, rank);
    if (settings.observables.every_steps > 0) {
      if (!distinct_residues) distinct_residues.emplace(*topology);
      add_observables(estimate, settings.observables, *topology, *distinct_residues, times, counts,
                      rank);
    }
    if (settings.output.checkpoint_in_background && !settings.ensemble.is_enabled()) {
      engine::add_device_snapshot(estimate, counts);
    }
    return estimate;
  }
  /// Returns the memory of ranks that are all like the one with most rows.
  [[nodiscard]] RunMemory alike(const engine::EngineSettings& of,
                                const std::vector<RankCounts>& counts) const {
    RunMemory memory;
    memory.rank_count = counts.front().ranks;
    memory.residues = residues;
    memory.is_sampled = part != nullptr;
    memory.ranks.push_back(
        estimated(of, *std::ranges::max_element(counts, {}, &RankCounts::rows), 0));
    return memory;
  }
};

MemoryEstimator::MemoryEstimator(const input::Settings& settings,
                                 const topology::Topology& topology, const system::State& state,
                                 bool on_gpu)
    : parts_(new Parts{.settings = settings,
                       .engine = engine_at(settings, on_gpu),
                       .topology = &topology,
                       .state = &state,
                       .residues = topology.residue_count()}) {}
MemoryEstimator::MemoryEstimator(const input::Settings& settings,
                                 const std::filesystem::path& input_file, SystemPart part,
                                 bool on_gpu)
    : parts_(new Parts{.settings = settings,
                       .engine = engine_at(settings, on_gpu),
                       .part = std::make_shared<SystemPart>(std::move(part))}) {
  auto& own = *parts_->part;
  parts_->times = own.times;
  parts_->residues = own.residues;
  parts_->topology = &own.system.topology;
  auto region = filled_region(settings, own.box, own.residues);
  const bool is_closed = own.box.volume_nm3() > 0;
  parts_->own_state = std::make_shared<const FirstState>(state_of_part(
      settings, input_file, own.system.topology, is_closed ? region.volume_nm3() / own.times : 0));
  parts_->state = &parts_->own_state->state;
  if (!is_closed) {
    region = {parts_->on_one_rank().spread_nm};
    for (double& length_nm : region.size_nm) length_nm *= std::cbrt(own.times);
  }
  parts_->density = domain::DensityGrid(own.box, region.size_nm, region.shape);
}
MemoryEstimator::MemoryEstimator(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
MemoryEstimator::~MemoryEstimator() = default;
MemoryEstimator::MemoryEstimator(MemoryEstimator&&) noexcept = default;
MemoryEstimator& MemoryEstimator::operator=(MemoryEstimator&&) noexcept = default;

MemoryEstimator MemoryEstimator::on_backend(bool on_gpu) const {
  auto parts = std::make_unique<Parts>(*parts_);
  parts->engine = engine_at(parts->settings, on_gpu);
  parts->alone.reset();
  parts->by_layout.clear();
  parts->memory_by_layout.clear();
  return MemoryEstimator(std::move(parts));
}

RunMemory MemoryEstimator::on(int rank_count) const {
  if (parts_->part) return about(rank_count);
  return on(rank_count, owners(parts_->settings, *parts_->topology, *parts_->state, rank_count));
}
RunMemory MemoryEstimator::on(int rank_count, const domain::Ownership& owner) const {
  if (parts_->part || rank_count > engine::counted_ranks) return about(rank_count);
  RunMemory memory;
  memory.rank_count = rank_count;
  memory.residues = parts_->residues;
  const auto counts =
      rank_count == 1
          ? std::vector{parts_->on_one_rank()}
          : engine::count_ranks(parts_->system(), parts_->sampled_neighbours(), owner, rank_count);
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    memory.ranks.push_back(parts_->estimated(parts_->engine, counts[rank], static_cast<int>(rank)));
  }
  return memory;
}
const RunMemory& MemoryEstimator::about(int rank_count, int nodes) const {
  auto& memory = parts_->memory_by_layout[{rank_count, nodes}];
  if (memory.ranks.empty()) {
    memory = parts_->alike(parts_->engine, parts_->counts(rank_count, nodes));
  }
  return memory;
}
RunMemory MemoryEstimator::with(system::Precision precision, double skin_nm, int rank_count) const {
  auto settings = parts_->settings;
  settings.dynamics.precision = precision;
  settings.neighbour_list.skin_nm = skin_nm;
  const auto of = engine_at(settings, parts_->engine.on_gpu);
  const auto one = engine::scale_list_counts(parts_->on_one_rank(),
                                             engine::first_reach(*parts_->topology, parts_->engine),
                                             engine::first_reach(*parts_->topology, of));
  return parts_->alike(of, parts_->extrapolated(one, of, rank_count, 1));
}
double MemoryEstimator::first_skin_nm() const {
  return engine::first_reach(*parts_->topology, parts_->engine).skin_nm;
}

const std::vector<RankCounts>& MemoryEstimator::counts(int rank_count, int nodes) const {
  return parts_->counts(rank_count, nodes);
}
const topology::Topology& MemoryEstimator::topology() const { return *parts_->topology; }

std::int64_t RunMemory::fullest(std::int64_t (device::MemoryEstimate::*bytes)() const) const {
  std::int64_t most = 0;
  for (const auto& one : ranks) most = std::max(most, (one.*bytes)());
  return most;
}

RunMemory RunMemory::with_moved(std::size_t uses) const {
  auto moved = *this;
  for (auto& one : moved.ranks) one = one.with_moved(uses);
  return moved;
}

bool stands_for_whole(const SystemPart& part, const input::Settings& settings) {
  return part.times > 1 && !settings.start.is_from_file();
}

bool is_estimated_by_part(const input::Settings& settings, std::int64_t residues) {
  return residues > max_whole_residues && !settings.ensemble.is_enabled() &&
         !settings.start.is_from_file();
}

}  // namespace nfold::setup
