// Placement chain by chain, bulkiest first, with a smaller hard core if space runs out.
// SPDX-License-Identifier: BSD-3-Clause

#include "model/start/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "kernels/arithmetic/philox.hpp"
#include "model/start/chain_growth.hpp"
#include "model/start/placement_region.hpp"
#include "model/start/rigid_body.hpp"
#include "model/start/state_at_rest.hpp"

namespace nfold::start {
namespace {

constexpr std::array<double, 5> core_fractions{1.0, 0.95, 0.9, 0.85, 0.8};
constexpr int starts_per_fraction = 12;
constexpr int turns_per_start = 64;      // rotations of a rigid body per start
constexpr int candidates_per_start = 8;  // candidate starts of a coil: the least crowded is used
constexpr std::uint32_t placement_draws_per_residue = 400;
// Philox blocks of the draws of a residue; growth uses 0.
constexpr std::uint32_t start_block = 1, turn_block = 2, site_block = 3;

class Placer {
 public:
  Placer(const topology::Topology& topology, const PlacementSettings& settings,
         const PlacementShare& share)
      : topology_(topology),
        settings_(settings),
        share_(share),
        is_rigid_(rigid_residues(topology, settings.conformation)),
        rules_(topology, is_rigid_),
        cores_(all_cores(topology)),
        volume_(topology.box, topology.residues.size(), cores_[0].largest_nm(),
                [this](int id) { return exact_position(id); }),
        alone_(system::Box{}, cores_[0].largest_nm()),
        molecules_(find_molecules(topology, is_rigid_, settings.conformation)) {
    FoldedParts folded;
    const auto& blocks = settings.block_of_species;
    std::vector<double> widest_nm(blocks.size(), 0);
    for (const auto& molecule : molecules_) {
      if (molecule.rigid_residues == 0) continue;
      const double width_nm = 2 * rigid_body(topology, molecule, is_rigid_).radius_nm;
      folded.widest_nm = std::max(folded.widest_nm, width_nm);
      folded.residues += molecule.rigid_residues;
      if (blocks.empty()) continue;
      double& widest = widest_nm.at(species_of(molecule));
      widest = std::max(widest, width_nm);
    }
    // Native contacts need exact positions of other molecules at every turn.
    kept_ = rules_.first_pair.empty() ? share.rows : IdRange{0, topology.residue_count()};
    stored_nm_.resize(static_cast<std::size_t>(kept_.end - kept_.first));
    region_ = placement_region(topology, settings, folded);
    if (settings.kind == PlacementKind::lattice) {
      cells_ = lattice_cells(region_, molecules_.size());
    }
    for (std::size_t s = 0; s < blocks.size(); ++s) {
      blocks_.push_back(block_region(region_, blocks[s], widest_nm[s]));
    }
  }

  PlacedStart run() {
    const auto order = order_by_size();
    const auto site = shuffled_sites();
    for (std::size_t n = 0; n < order.size(); ++n) {
      const Molecule& molecule = molecules_[order[n]];
      const Region* const cell = cells_.empty() ? nullptr : &cells_[site[n]];
      if (!place(molecule, cell)) throw make_no_space_error(n, molecule);
      store_positions(molecule);
    }
    volume_ = ExcludedVolume(system::Box{}, 1);
    PlacedStart start;
    start.state = state_at_rest(topology_.box, std::move(stored_nm_), kept_, share_.rows);
    start.hard_core_fraction = least_fraction_;
    start.notes = notes();
    return start;
  }

 private:
  static std::vector<HardCore> all_cores(const topology::Topology& topology) {
    std::vector<HardCore> cores;
    cores.reserve(core_fractions.size());
    for (const double fraction : core_fractions) cores.emplace_back(topology, fraction);
    return cores;
  }

  [[nodiscard]] std::size_t species_of(const Molecule& molecule) const {
    const auto first = static_cast<std::size_t>(molecule.chains.front());
    return static_cast<std::size_t>(topology_.chains[first].species);
  }
  [[nodiscard]] const Region& region_of(const Molecule& molecule) const {
    return blocks_.empty() ? region_ : blocks_.at(species_of(molecule));
  }

  [[nodiscard]] std::vector<std::size_t> order_by_size() const {
    std::vector<std::size_t> order(molecules_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
      const Molecule &one = molecules_[a], &other = molecules_[b];
      const int size = one.rigid_residues, other_size = other.rigid_residues;
      return size != other_size ? size > other_size : one.residues > other.residues;
    });
    return order;
  }

  /// Returns a lattice cell for each molecule, in random order, so that species mix and empty cells
  /// are anywhere.
  [[nodiscard]] std::vector<std::size_t> shuffled_sites() const {
    std::vector<std::size_t> site(cells_.size());
    std::iota(site.begin(), site.end(), 0);
    for (std::size_t i = site.size(); i > 1; --i) {
      const auto words = kernels::random_words(settings_.seed, kernels::RandomStream::placement, 0,
                                               0, i, site_block);
      const auto j =
          static_cast<std::size_t>(kernels::uniform<double>(words.w0) * static_cast<double>(i));
      std::swap(site[i - 1], site[std::min(j, i - 1)]);
    }
    return site;
  }

  bool place(const Molecule& molecule, const Region* cell) {
    const bool is_coil = molecule.rigid_residues == 0;
    const RigidBody body = rigid_body(topology_, molecule, is_rigid_);
    const auto ranges = ranges_of(molecule);
    volume_.begin(ranges);
    std::vector<GrowthStep> plan;
    for (const int chain : molecule.chains) {
      const auto steps =
          growth_steps(rules_, topology_.chains[static_cast<std::size_t>(chain)], is_rigid_);
      plan.insert(plan.end(), steps.begin(), steps.end());
    }
    std::vector<std::uint32_t> draws(plan.size(), 0);
    starts_ = 0;
    if (cell != nullptr && is_coil) {
      alone_.begin_alone(ranges);
      if (place_whole_coil(plan, *cell, draws)) return true;
    }
    for (std::size_t f = 0; f < cores_.size(); ++f) {
      for (int start = 0; start < starts_per_fraction; ++start) {
        const bool keep_to_cell = cell != nullptr && 2 * start < starts_per_fraction;
        const Region& region = region_of(molecule);
        const Region& drawn_from = cell != nullptr ? *cell : region;
        const Region& within = keep_to_cell && is_coil ? *cell : region;
        if (!try_start(body, {rules_, cores_[f], within, volume_, settings_.seed}, drawn_from, plan,
                       draws)) {
          continue;
        }
        least_fraction_ = std::min(least_fraction_, core_fractions[f]);
        relaxed_molecules_ += f > 0 ? 1 : 0;
        return true;
      }
    }
    return false;
  }

  bool try_start(const RigidBody& body, const GrowthSpace& space, const Region& drawn_from,
                 const std::vector<GrowthStep>& plan, std::vector<std::uint32_t>& draws) {
    const int first = body.id.empty() ? plan.front().id : body.id.front();
    if (body.id.empty()) {
      return grow(space, plan, least_crowded_point(first, drawn_from), placement_draws_per_residue,
                  draws) == plan.size();
    }
    for (int turn = 0; turn < turns_per_start; ++turn) {
      // On a lattice a body is first rotated in the middle of its cell.
      const bool in_middle = !cells_.empty() && turn < turns_per_start / 2;
      const Point centre = in_middle ? drawn_from.centre_nm : next_point(first, drawn_from);
      const auto u = uniforms(first, starts_++, turn_block);
      if (!add_body(space, body.id, rotated(body.x_nm, u[0], u[1], u[2]), centre)) continue;
      if (grow(space, plan, centre, placement_draws_per_residue, draws) == plan.size()) return true;
      remove_body(body.id);
      return false;  // continues with the next start
    }
    return false;
  }

  /// Grows a coil in empty space and places it with its centre in the middle of the cell.
  bool place_whole_coil(const std::vector<GrowthStep>& plan, const Region& cell,
                        std::vector<std::uint32_t>& draws) {
    const Region anywhere;
    const GrowthSpace space{rules_, cores_[0], anywhere, alone_, settings_.seed};
    if (grow(space, plan, {0, 0, 0}, placement_draws_per_residue, draws) < plan.size())
      return false;
    std::vector<int> ids;
    ids.reserve(plan.size());
    for (const auto& step : plan) ids.push_back(step.id);
    const RigidBody coil = rigid_body(ids, remove_grown(alone_, plan));
    for (std::size_t k = 0; k < 3; ++k) {
      if (2 * coil.radius_nm > cell.size_nm[k]) return false;
    }
    return add_body({rules_, cores_[0], region_, volume_, settings_.seed}, coil.id, coil.x_nm,
                    cell.centre_nm);
  }

  bool add_body(const GrowthSpace& space, const std::vector<int>& ids,
                const std::vector<Point>& x_nm, const Point& centre) {
    std::vector<Point> at;
    at.reserve(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      at.push_back({x_nm[i][0] + centre[0], x_nm[i][1] + centre[1], x_nm[i][2] + centre[2]});
      if (!space.region.contains(at.back())) return false;
      const int type = rules_.type[static_cast<std::size_t>(ids[i])];
      const bool overlaps = volume_.any_within(at.back(), [&](int other) {
        return space.core.squared_nm2(type, rules_.type[static_cast<std::size_t>(other)]);
      });
      if (overlaps) return false;
    }
    for (std::size_t i = 0; i < ids.size(); ++i) volume_.add(ids[i], at[i]);
    if (!meets_own_image(space.core, ids)) return true;
    remove_body(ids);
    return false;
  }
  /// True if a placed body overlaps its own periodic image, in a box too narrow for it.
  [[nodiscard]] bool meets_own_image(const HardCore& core, const std::vector<int>& ids) const {
    const auto type = [this](int id) { return rules_.type[static_cast<std::size_t>(id)]; };
    return std::any_of(ids.begin(), ids.end(), [&](int id) {
      return volume_.any_near(volume_.at(id), [&](int other) {
        if (!volume_.is_current(other)) return false;  // others were checked before
        const double squared_nm2 = volume_.squared_distance(volume_.at(id), other);
        const Point apart = topology::difference(volume_.at(id), volume_.at(other));
        const bool is_image = topology::dot(apart, apart) > squared_nm2 + core.squared_nm2(0, 0);
        return is_image && squared_nm2 < core.squared_nm2(type(id), type(other));
      });
    });
  }
  void remove_body(const std::vector<int>& ids) {
    for (auto id = ids.rbegin(); id != ids.rend(); ++id) volume_.remove_latest(*id);
  }

  [[nodiscard]] Point uniforms(int id, std::uint64_t count, std::uint32_t block) const {
    const auto words = kernels::random_words(settings_.seed, kernels::RandomStream::placement, 0,
                                             static_cast<std::uint32_t>(id), count, block);
    return {kernels::uniform<double>(words.w0), kernels::uniform<double>(words.w1),
            kernels::uniform<double>(words.w2)};
  }
  Point next_point(int id, const Region& region) {
    Point x = region.point(uniforms(id, starts_++, start_block));
    while (!region.contains(x)) x = region.point(uniforms(id, starts_++, start_block));
    return x;
  }
  Point least_crowded_point(int id, const Region& region) {
    Point best = next_point(id, region);
    int least = volume_.count_nearby(best);
    for (int n = 1; n < candidates_per_start && least > 0; ++n) {
      const Point x = next_point(id, region);
      const int count_nearby = volume_.count_nearby(x);
      if (count_nearby < least) {
        best = x;
        least = count_nearby;
      }
    }
    return best;
  }

  [[nodiscard]] std::vector<IdRange> ranges_of(const Molecule& molecule) const {
    std::vector<IdRange> ranges;
    ranges.reserve(molecule.chains.size());
    for (const int c : molecule.chains) {
      const auto& chain = topology_.chains[static_cast<std::size_t>(c)];
      ranges.push_back({chain.first, chain.first + chain.count});
    }
    return ranges;
  }

  [[nodiscard]] bool is_stored_here(int id) const { return id >= kept_.first && id < kept_.end; }
  [[nodiscard]] Point& stored_position(int id) {
    return stored_nm_[static_cast<std::size_t>(id - kept_.first)];
  }
  void store_positions(const Molecule& molecule) {
    for (const auto& range : ranges_of(molecule)) {
      const int first = std::max(range.first, kept_.first), end = std::min(range.end, kept_.end);
      for (int id = first; id < end; ++id) stored_position(id) = volume_.at(id);
    }
  }
  [[nodiscard]] Point exact_position(int id) {
    const Point* const here = is_stored_here(id) ? &stored_position(id) : nullptr;
    const bool is_kept_by_all = kept_.end - kept_.first == topology_.residue_count();
    return is_kept_by_all ? *here : share_.fetch_position(here);
  }

  [[nodiscard]] PlacementError make_no_space_error(std::size_t placed,
                                                   const Molecule& stuck) const {
    int residues = 0;
    for (int id = 0; id < topology_.residue_count(); ++id) {
      residues += volume_.is_placed(id) ? 1 : 0;
    }
    const double volume_nm3 = region_.volume_nm3();
    const double share = static_cast<double>(residues) / topology_.residue_count();
    const bool is_slab = settings_.kind == PlacementKind::slab;
    const bool is_droplet = settings_.kind == PlacementKind::droplet;
    const auto& chain = topology_.chains[static_cast<std::size_t>(stuck.chains.front())];
    const std::string problem = fmt::format(
        "no room for chain {} at {}: {} of {} molecules fill the {} without overlaps, {}",
        chain.name, describe_density(topology_, volume_nm3), placed, molecules_.size(),
        is_slab ? "slab" : (is_droplet ? "droplet" : "box"),
        describe_density(topology_, volume_nm3 / share));
    std::string remedy = "take a larger box";
    if (is_slab) remedy += ", a thicker slab";
    if (is_droplet) remedy += ", a larger droplet";
    remedy += " or fewer molecules";
    if (settings_.conformation == Conformation::native && stuck.rigid_residues > 0) {
      remedy += ", or let start.conformation be unfolded";
    }
    return {problem, remedy};
  }

  /// Returns a note such as "start: species A from 40 to 60 nm along z, 1.2 residues/nm3 of it
  /// there".
  [[nodiscard]] std::string describe_block(std::size_t species) const {
    const StartBlock& block = settings_.block_of_species[species];
    std::string where;
    for (std::size_t k = 0; k < 3; ++k) {
      if (!block.is_bound(k)) continue;
      where += fmt::format("{} from {:g} to {:g} nm along {}", where.empty() ? "" : ",",
                           block.from_nm[k], block.to_nm[k], "xyz"[k]);
    }
    double residues = 0;
    for (const auto& chain : topology_.chains) {
      if (static_cast<std::size_t>(chain.species) == species) residues += chain.count;
    }
    return fmt::format("start: species {}{}, {:.3g} residues/nm3 of it there",
                       topology_.species[species].name, where,
                       residues / blocks_[species].volume_nm3());
  }

  [[nodiscard]] std::vector<std::string> notes() const {
    std::string where = fmt::format("{:.4g} x {:.4g} x {:.4g} nm", region_.size_nm[0],
                                    region_.size_nm[1], region_.size_nm[2]);
    if (region_.is_sphere)
      where = fmt::format("a sphere of radius {:.4g} nm", region_.size_nm[0] / 2);
    std::vector<std::string> lines{fmt::format(
        "start: {} molecules of {} residues in all in {} ({})", molecules_.size(),
        topology_.residue_count(), where, describe_density(topology_, region_.volume_nm3()))};
    for (std::size_t s = 0; s < blocks_.size(); ++s) {
      if (settings_.block_of_species[s].is_anywhere()) continue;
      lines.push_back(describe_block(s));
    }
    if (relaxed_molecules_ > 0) {
      lines.push_back(fmt::format(
          "start: {} of {} molecules found room only with residues down to {:.2f} of the hard core "
          "apart; minimise before the first step",
          relaxed_molecules_, molecules_.size(), least_fraction_));
    }
    return lines;
  }

  const topology::Topology& topology_;
  const PlacementSettings& settings_;
  const PlacementShare& share_;
  std::vector<char> is_rigid_;
  GrowthRules rules_;
  std::vector<HardCore> cores_;  // one per core_fractions
  ExcludedVolume volume_;
  ExcludedVolume alone_;  // empty volume in which a coil grows
  std::vector<Molecule> molecules_;
  IdRange kept_;                  // residues with exact positions on this rank
  std::vector<Point> stored_nm_;  // their unwrapped positions
  Region region_;
  std::vector<Region> cells_;
  std::vector<Region> blocks_;  // one per species, or empty
  std::uint64_t starts_ = 0;    // number of starts drawn for the current molecule
  double least_fraction_ = 1;
  int relaxed_molecules_ = 0;
};

}  // namespace

PlacedStart placed_start(const topology::Topology& topology, const PlacementSettings& settings) {
  return placed_start(topology, settings, {{0, topology.residue_count()}, {}});
}

PlacedStart placed_start(const topology::Topology& topology, const PlacementSettings& settings,
                         const PlacementShare& share) {
  return Placer(topology, settings, share).run();
}

}  // namespace nfold::start
