// Benchmark `droplets`: dense spheres of a disordered protein, and replicas of one chain.
// SPDX-License-Identifier: BSD-3-Clause

#include <fmt/core.h>

#include <cmath>
#include <map>
#include <numbers>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cli/bench/systems.hpp"
#include "input/force_field.hpp"
#include "model/start/initial_state.hpp"
#include "model/start/placement.hpp"
#include "model/structure/fasta.hpp"
#include "model/topology/assembly.hpp"
#include "model/topology/geometry.hpp"
#include "model/topology/residue_model.hpp"

namespace nfold::bench {
namespace {

constexpr double residues_per_nm3 = 2;  // density of a droplet made by start::placed_start()
constexpr double gap_nm = 8;            // between two droplets

std::string tdp43_sequence() { return published_sequence("TDP43-CTD"); }

topology::Topology tdp43(const input::Settings& settings) {
  topology::ResidueModel model;
  model.file = input::builtin_force_field(input::model_name(settings.force_field.model));
  model.options = settings.force_field.condensate;
  model.temperature_kelvin = settings.dynamics.temperature_kelvin;
  model.evaluate();
  const auto chain = structure::make_sequence_structure("TDP43-CTD", tdp43_sequence());
  return topology::build_residue_model(
      chain, std::vector<int>(chain.chains.front().residues.size(), -1), model);
}

topology::Topology copies_of(const topology::Topology& molecule, int copies,
                             const system::Box& box) {
  auto topology = topology::assemble({{molecule, "TDP43-CTD", copies}}, 0);
  topology.box = box;
  return topology;
}

/// Random centres of spheres that keep their distance.
class Centres {
 public:
  Centres(const system::Box& box, double apart_nm, std::uint64_t seed)
      : box_(box), apart_nm_(apart_nm), random_(seed) {}

  topology::Point next() {
    constexpr int most_draws = 100'000;
    for (int draw = 0; draw < most_draws; ++draw) {
      topology::Point x{};
      for (std::size_t axis = 0; axis < 3; ++axis) x[axis] = box_.length_nm[axis] * uniform();
      if (meets_another(x)) continue;
      taken_.push_back(x);
      return x;
    }
    throw std::invalid_argument(
        fmt::format("{} droplets do not fit into {:.1f} nm with {:.1f} nm between their centres; "
                    "fill a smaller "
                    "share of the box",
                    taken_.size() + 1, box_.length_nm[0], apart_nm_));
  }

 private:
  double uniform() { return static_cast<double>(random_() >> 11U) * 0x1p-53; }
  [[nodiscard]] bool meets_another(const topology::Point& x) const {
    for (const auto& other : taken_) {
      double squared = 0;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double d = box_.nearest_nm(axis, x[axis] - other[axis]);
        squared += d * d;
      }
      if (squared < apart_nm_ * apart_nm_) return true;
    }
    return false;
  }

  const system::Box& box_;
  double apart_nm_;
  std::mt19937_64 random_;
  std::vector<topology::Point> taken_;
};

/// Returns the initial state: residues droplet by droplet around random centres, at rest.
system::State droplets_at_rest(const Droplets& droplets, const topology::Topology& molecule,
                               const topology::Topology& all, std::uint64_t seed) {
  const auto& box = all.box;
  const int most = (droplets.chains + droplets.droplets - 1) / droplets.droplets;
  const double radius_nm =
      std::cbrt(3.0 * most * molecule.residue_count() / (4 * std::numbers::pi * residues_per_nm3));
  Centres centres(box, 2 * radius_nm + gap_nm, seed);
  std::map<int, topology::Topology> parts;  // by number of chains, one or two entries
  system::State state;
  int chains = 0;
  for (int droplet = 1; droplet <= droplets.droplets; ++droplet) {
    const auto upto =
        static_cast<int>(static_cast<std::int64_t>(droplets.chains) * droplet / droplets.droplets);
    const int own = upto - std::exchange(chains, upto);
    auto found = parts.find(own);
    if (found == parts.end()) found = parts.emplace(own, copies_of(molecule, own, box)).first;
    start::PlacementSettings placement;
    placement.kind = start::PlacementKind::droplet;
    placement.seed = seed + static_cast<std::uint64_t>(droplet);
    const auto placed = start::placed_start(found->second, placement).state;
    const auto centre = centres.next();
    system::FixedPosition shift{};  // from the middle of the box, where the sphere was filled
    for (std::size_t axis = 0; axis < 3; ++axis) {
      shift[axis] = box.to_coarse_counts(axis, centre[axis] - 0.5 * box.length_nm[axis]);
    }
    for (const auto& at : placed.position) {
      state.id.push_back(static_cast<int>(state.id.size()));
      state.position.push_back({at[0] + shift[0], at[1] + shift[1], at[2] + shift[2]});
    }
  }
  state.velocity.assign(state.id.size(), {0, 0, 0});
  return state;
}

std::string input_text(int chains, const std::string& box) {
  return fmt::format(R"(
system:
  species: [{{name: TDP43-CTD, sequence: {}, copies: {}}}]
{}force_field: {{model: hps-kr}}
dynamics: {{steps: 1, time_step_ps: 0.01, temperature_kelvin: 300, friction_per_ps: 0.01}}
)",
                     tdp43_sequence(), chains, box);
}
std::string input_text(const Droplets& droplets) {
  const double residues =
      static_cast<double>(droplets.chains) * static_cast<double>(tdp43_sequence().size());
  return input_text(droplets.chains,
                    fmt::format("  box_nm: [{:.6f}]\n",
                                std::cbrt(residues / (residues_per_nm3 * droplets.volume_share))));
}

}  // namespace

BenchSystem droplets_system(const std::string& name, const Droplets& droplets) {
  BenchSystem system;
  system.name = name;
  system.residues = static_cast<std::int64_t>(droplets.chains) *
                    static_cast<std::int64_t>(tdp43_sequence().size());
  system.description = fmt::format(
      "{} droplets of TDP-43 261-414 (HPS, cutoffs 2.0 and 3.5 nm), 2 residues/nm3 in {:.0f} % of "
      "the box",
      droplets.droplets, 100 * droplets.volume_share);
  system.warm_up = {200, 1000, 2000};
  system.input_text = input_text(droplets);
  system.build = [droplets](const input::Settings& settings) {
    const auto molecule = tdp43(settings);
    const auto& edges = settings.system.box_nm;
    BuiltSystem built{copies_of(molecule, droplets.chains, {{edges[0], edges[1], edges[2]}}), {}};
    built.start = droplets_at_rest(droplets, molecule, built.topology, settings.dynamics.seed);
    return built;
  };
  return system;
}

BenchSystem tdp43_replicas(const std::string& name, int replicas) {
  BenchSystem system;
  system.name = name;
  system.residues = static_cast<std::int64_t>(tdp43_sequence().size());
  system.replicas = replicas;
  system.description = fmt::format(
      "{} replicas of TDP-43 261-414 (HPS, cutoffs 2.0 and 3.5 nm), one chain each", replicas);
  system.warm_up = {0, 0, 20'000};
  system.input_text = input_text(1, "");
  system.build = [](const input::Settings& settings) {
    BuiltSystem built{copies_of(tdp43(settings), 1, {}), {}};
    built.start = start::unfolded_start(built.topology, settings.dynamics.seed);
    return built;
  };
  return system;
}

}  // namespace nfold::bench
