// Systems of the benchmark suite, and how they are built in memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "input/settings.hpp"
#include "model/topology/topology.hpp"
#include "system/state.hpp"

namespace nfold::bench {

/// Steps before the timing that settle lists and temperature.
struct WarmUp {
  std::int64_t minimise_steps = 0;  ///< down to the force of input::StartSettings
  /// Steps with a friction of 1 /ps, then steps as they are timed.
  std::int64_t thermostat_steps = 0, settling_steps = 0;
};

/// System with its first coordinates and velocities (all residues, by id).
struct BuiltSystem {
  topology::Topology topology;
  system::State start;
};

/// System of the suite. Its functions depend on their arguments alone, not on the rank.
struct BenchSystem {
  std::string name;
  std::int64_t residues = 0;  ///< per replica, if there are some
  int replicas = 0;           ///< > 0: size of a replica set; 0: one trajectory by an engine
  std::string description;    ///< one line for --list
  WarmUp warm_up;
  std::string input_text;  ///< text of an input file
  std::function<BuiltSystem(const input::Settings& settings)> build;

  /// Returns the settings of the input. `overrides` may have keys of dynamics, neighbour_list,
  /// partition and devices, since the systems themselves are fixed. Throws InputError.
  [[nodiscard]] input::Settings settings(const std::vector<std::string>& overrides) const;
};
/// Returns the sequence of a record of input/sequences.fasta.
[[nodiscard]] std::string published_sequence(const std::string& record);

// Systems of the suite; tests may choose sizes and seeds.

inline constexpr int condensate_chain_length = 150;
inline constexpr double condensate_residues_per_nm3 = 2;

/// Returns chains of 150 random residues of the twenty types of input/benchmark/condensate.yaml in
/// a cube of 2 residues/nm^3; the last chain is shorter if `residues` is no multiple of 150. Each
/// chain is a species of its own.
[[nodiscard]] topology::Topology condensate_topology(int residues, std::uint64_t seed);
/// Potential between the pairs of the condensate.
enum class CondensatePairs {
  built_in,         ///< Ashbaugh-Hatch by its kernel
  tabulated,        ///< the same from a table
  tabulated_terms,  ///< the same, and a second attraction of some pairs, from a table
};
/// Replaces the short-range potential of a condensate.
void tabulate_pairs(topology::Topology& condensate, CondensatePairs pairs);
[[nodiscard]] BenchSystem condensate_system(const std::string& name, int residues,
                                            CondensatePairs pairs = CondensatePairs::built_in);

/// Residues 261 to 414 of TDP-43 by HPS (Kapcha and Rossky) in a periodic cube.
struct Droplets {
  int chains = 0, droplets = 1;
  double volume_share = 0.04;  ///< fraction of the box in droplets of 2 residues/nm^3
};
/// Returns chains in spheres at random positions, separated by more than any cutoff.
[[nodiscard]] BenchSystem droplets_system(const std::string& name, const Droplets& droplets);

/// Returns replicas of one such chain, coiled, in open space.
[[nodiscard]] BenchSystem tdp43_replicas(const std::string& name, int replicas);

/// Copies of a chain of input/sequences.fasta in a cube, by a built-in condensate model.
struct ModelBox {
  std::string model;
  int copies = 1;
  double residues_per_nm3 = 1;
  std::string record = "LAF1-RGG";
};
[[nodiscard]] BenchSystem model_system(const std::string& name, const ModelBox& box);

/// Copies of folded ubiquitin in a cube, each held by the elastic network of a built-in model.
struct FoldedBox {
  std::string model;
  int copies = 1;
  double residues_per_nm3 = 0.3;
};
[[nodiscard]] BenchSystem folded_system(const std::string& name, const FoldedBox& box);

/// Proteins with a go model: ubiquitin (190 contacts), 300 residues of a G protein's beta subunit
/// (1,154 contacts).
enum class GoProtein { ubiquitin, gbeta_300 };
/// Go model with its repulsion cut at `cutoff_nm`: one copy in open space, or copies at random
/// positions, folded, in a periodic cube of `edge_nm`.
struct GoCopies {
  double cutoff_nm = 0.8;
  int copies = 1;
  double edge_nm = 0;  ///< 0: open
  int replicas = 0;    ///< > 0: size of a replica set, each of one copy
  GoProtein protein = GoProtein::ubiquitin;
};
[[nodiscard]] BenchSystem go_system(const std::string& name, const GoCopies& copies);

}  // namespace nfold::bench
