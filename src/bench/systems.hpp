// The systems of the benchmark suite: what each is, and how it is built in memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "system/state.hpp"
#include "topology/topology.hpp"

namespace nfold::bench {

/// What comes before the timing, so that lists and temperature are settled.
struct WarmUp {
  std::int64_t minimise_steps = 0;  ///< to config::StartSettings' force
  /// Steps with a friction of 1 /ps, then steps as they are timed.
  std::int64_t thermostat_steps = 0, settling_steps = 0;
};

/// A system with its first coordinates and velocities (all residues, by id).
struct BuiltSystem {
  topology::Topology topology;
  system::State start;
};

/// One system of the suite. Its functions depend on their arguments alone, not on the rank.
struct BenchSystem {
  std::string name;
  std::int64_t residues = 0;  ///< of one replica, where there are some
  int replicas = 0;           ///< > 0: so many at once, as a set; 0: one trajectory by an engine
  std::string description;    ///< one line for --list
  WarmUp warm_up;
  /// Settings of the engine and the partition; InputError for an override that is wrong.
  std::function<config::Settings(const std::vector<std::string>& overrides)> settings;
  std::function<BuiltSystem(const config::Settings& settings)> build;
};

/// Settings from the text of an input; `overrides` may have keys of dynamics, neighbour_list and
/// partition, since the systems themselves are fixed. InputError.
[[nodiscard]] config::Settings bench_settings(const std::string& name, const std::string& text,
                                              const std::vector<std::string>& overrides);

// What the suite is made of; sizes and seeds are free for tests.

inline constexpr int condensate_chain_length = 150;
inline constexpr double condensate_residues_per_nm3 = 2;

/// Chains of 150 random residues of the twenty types of input/benchmark/condensate.yaml in a cube
/// of 2 residues/nm^3; the last chain is shorter where `residues` is no multiple of 150. Each chain
/// is a species of its own.
[[nodiscard]] topology::Topology condensate_topology(int residues, std::uint64_t seed);
[[nodiscard]] BenchSystem condensate_system(const std::string& name, int residues);

/// Residues 261 to 414 of TDP-43 by HPS (Kapcha and Rossky) in a periodic cube.
struct Droplets {
  int chains = 0, droplets = 1;
  double volume_share = 0.04;  ///< of the box that the droplets fill at 2 residues/nm^3
};
/// Chains in spheres at random places, further apart from each other than any cutoff reaches.
[[nodiscard]] BenchSystem droplets_system(const std::string& name, const Droplets& droplets);

/// Replicas of one such chain, coiled, in open space.
[[nodiscard]] BenchSystem tdp43_replicas(const std::string& name, int replicas);

/// Copies of a chain of input/sequences.fasta in a cube, by a model of condensates that is built
/// in.
struct ModelBox {
  std::string model;
  int copies = 1;
  double residues_per_nm3 = 1;
  std::string record = "LAF1-RGG";
};
[[nodiscard]] BenchSystem model_system(const std::string& name, const ModelBox& box);

/// The go model of ubiquitin (190 contacts), or of 300 residues of a G protein's beta subunit
/// (1,154), with its repulsion cut at `cutoff_nm`: one in open space, or copies at random places,
/// folded, in a periodic cube of `edge_nm`.
enum class GoProtein { ubiquitin, gbeta_300 };
struct GoCopies {
  double cutoff_nm = 0.8;
  int copies = 1;
  double edge_nm = 0;  ///< 0: open
  int replicas = 0;    ///< > 0: a set of so many, each of one copy
  GoProtein protein = GoProtein::ubiquitin;
};
[[nodiscard]] BenchSystem go_system(const std::string& name, const GoCopies& copies);

}  // namespace nfold::bench
