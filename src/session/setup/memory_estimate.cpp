// Memory estimates of engine and host, for whole systems and for parts of large ones.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/setup/memory_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include "engine/engine_memory.hpp"
#include "engine/rank_counts.hpp"
#include "session/setup/host_arrays.hpp"
#include "session/setup/start_setup.hpp"
#include "session/setup/step_demand.hpp"
#include "session/setup/system_setup.hpp"

namespace nfold::setup {
namespace {

using domain::RankCounts;

/// Returns the region that `residues` residues of a start fill.
engine::FilledRegion filled_region(const input::Settings& settings, const system::Box& box,
                                   std::int64_t residues) {
  constexpr double dense_per_nm3 = 2, sphere = 4 * std::numbers::pi / 3;
  const auto& start = settings.start;
  const auto all = static_cast<double>(residues);
  engine::FilledRegion region{box, box.length_nm};
  if (start.from == input::StartFrom::slab) {
    const auto axis = static_cast<std::size_t>(start.slab_axis);
    const double area = box.volume_nm3() / box.length_nm[axis];
    region.size_nm[axis] =
        start.slab_thickness_nm > 0 ? start.slab_thickness_nm : all / dense_per_nm3 / area;
  } else if (start.from == input::StartFrom::droplet) {
    const double radius = start.droplet_radius_nm;
    const double volume = radius > 0 ? sphere * radius * radius * radius : all / dense_per_nm3;
    region.size_nm.fill(std::cbrt(volume));
  }
  return region;
}

engine::EngineSettings engine_at(const input::Settings& settings, bool on_gpu) {
  auto engine = engine_settings(settings);
  engine.on_gpu = on_gpu;
  return engine;
}

bool is_closed(const system::Box& box) { return box.volume_nm3() > 0; }

/// Returns the first state of the part, in a cube with the density of the whole system.
FirstState state_of_part(const input::Settings& settings, const std::filesystem::path& input_file,
                         topology::Topology& part, const engine::FilledRegion& region,
                         double times) {
  auto of_part = settings;
  if (is_closed(region.box)) {
    const double volume = region.size_nm[0] * region.size_nm[1] * region.size_nm[2] / times;
    part.box.length_nm.fill(std::cbrt(volume));
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
  engine::FilledRegion region = {};
  mutable std::optional<RankCounts> alone = {};  // cached counts of the system or part on one rank

  [[nodiscard]] const RankCounts& on_one_rank() const {
    if (!alone) {
      const domain::Ownership owner(topology->residues.size(), 0);
      alone = engine::count_ranks({*topology, *state, engine}, owner, 1).front();
    }
    return *alone;
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
    if (settings.output.checkpoint_in_background && !settings.ensemble.is_enabled()) {
      engine::add_device_snapshot(estimate, counts);
    }
    return estimate;
  }
  [[nodiscard]] RunMemory alike(const engine::EngineSettings& of, const RankCounts& one,
                                int rank_count) const {
    RunMemory memory;
    memory.rank_count = rank_count;
    memory.residues = residues;
    memory.is_sampled = part != nullptr;
    memory.ranks.push_back(
        estimated(of,
                  engine::extrapolate_rank_counts(one, times, region,
                                                  engine::ghost_ranges(*topology, of), rank_count),
                  0));
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
                       .residues = topology.residue_count()}) {
  parts_->region = {topology.box, topology.box.length_nm};
  for (std::size_t k = 0; k < 3; ++k) {
    if (topology.box.is_periodic(k) || state.position.empty()) continue;
    const auto [low, high] =
        std::minmax_element(state.position.begin(), state.position.end(),
                            [k](const auto& a, const auto& b) { return a[k] < b[k]; });
    parts_->region.size_nm[k] = topology.box.to_nm(k, (*high)[k] - (*low)[k]);
  }
}
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
  parts_->region = filled_region(settings, own.box, own.residues);
  parts_->own_state = std::make_shared<const FirstState>(
      state_of_part(settings, input_file, own.system.topology, parts_->region, own.times));
  parts_->state = &parts_->own_state->state;
  if (is_closed(own.box)) return;
  const auto spread = parts_->on_one_rank().spread_nm;
  for (std::size_t k = 0; k < 3; ++k) {
    parts_->region.size_nm[k] = spread[k] * std::cbrt(own.times);
  }
}
MemoryEstimator::MemoryEstimator(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
MemoryEstimator::~MemoryEstimator() = default;
MemoryEstimator::MemoryEstimator(MemoryEstimator&&) noexcept = default;
MemoryEstimator& MemoryEstimator::operator=(MemoryEstimator&&) noexcept = default;

MemoryEstimator MemoryEstimator::on_backend(bool on_gpu) const {
  auto parts = std::make_unique<Parts>(*parts_);
  parts->engine = engine_at(parts->settings, on_gpu);
  parts->alone.reset();
  return MemoryEstimator(std::move(parts));
}

RunMemory MemoryEstimator::on(int rank_count) const {
  if (parts_->part) return about(rank_count);
  return on(rank_count, owners(parts_->settings, *parts_->topology, *parts_->state, rank_count));
}
RunMemory MemoryEstimator::on(int rank_count, const domain::Ownership& owner) const {
  if (parts_->part) return about(rank_count);
  RunMemory memory;
  memory.rank_count = rank_count;
  memory.residues = parts_->residues;
  const auto counts = rank_count == 1
                          ? std::vector{parts_->on_one_rank()}
                          : engine::count_ranks({*parts_->topology, *parts_->state, parts_->engine},
                                                owner, rank_count);
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    memory.ranks.push_back(parts_->estimated(parts_->engine, counts[rank], static_cast<int>(rank)));
  }
  return memory;
}
RunMemory MemoryEstimator::about(int rank_count) const {
  return parts_->alike(parts_->engine, parts_->on_one_rank(), rank_count);
}
RunMemory MemoryEstimator::with(system::Precision precision, double skin_nm, int rank_count) const {
  auto settings = parts_->settings;
  settings.dynamics.precision = precision;
  settings.neighbour_list.skin_nm = skin_nm;
  const auto of = engine_at(settings, parts_->engine.on_gpu);
  const auto counts = engine::scale_list_counts(
      parts_->on_one_rank(), engine::first_reach(*parts_->topology, parts_->engine),
      engine::first_reach(*parts_->topology, of));
  return parts_->alike(of, counts, rank_count);
}
double MemoryEstimator::first_skin_nm() const {
  return engine::first_reach(*parts_->topology, parts_->engine).skin_nm;
}

domain::RankCounts MemoryEstimator::counts(int rank_count) const {
  return engine::extrapolate_rank_counts(parts_->on_one_rank(), parts_->times, parts_->region,
                                         engine::ghost_ranges(*parts_->topology, parts_->engine),
                                         rank_count);
}
const topology::Topology& MemoryEstimator::topology() const { return *parts_->topology; }

std::int64_t RunMemory::fullest(std::int64_t (device::MemoryEstimate::*bytes)() const) const {
  std::int64_t most = 0;
  for (const auto& one : ranks) most = std::max(most, (one.*bytes)());
  return most;
}

bool stands_for_whole(const SystemPart& part, const input::Settings& settings) {
  return part.times > 1 && settings.start.from != input::StartFrom::checkpoint;
}

bool is_estimated_by_part(const input::Settings& settings, std::int64_t residues) {
  return residues > max_whole_residues && !settings.ensemble.is_enabled() &&
         settings.start.from != input::StartFrom::checkpoint;
}

}  // namespace nfold::setup
