// What one step of one rank takes: counted work times measured coefficients.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace nfold::plan {

/// Forms of the short-range potential, in the order of pair_forms, by their names in input files.
inline constexpr std::array<std::string_view, 4> pair_form_names{"repulsion-12", "ashbaugh-hatch",
                                                                 "wang-frenkel", "kim-hummer"};
inline constexpr std::size_t pair_form_count = pair_form_names.size();

/// Of one GPU, or of one core. Mixed precision.
struct StepCoefficients {
  double launch_us = 0;   ///< of a step without residues
  double residue_ns = 0;  ///< of one residue: integration and its part in lists
  /// Of one beyond near_residues, in addition: it comes from further away than a core's own
  /// caches. 0 for a GPU.
  double far_residue_ns = 0;
  double term_ns = 0;  ///< of one unit of counted bonded work
  /// Of one entry of the neighbour list, by form; and of one of the list of charges.
  std::array<double, pair_form_count> pair_ns{};
  double charge_pair_ns = 0;
  /// Of one neighbour of the mean row, whatever the number of rows: a GPU's threads walk a row's
  /// list in turn, and a step waits for them. 0 for a core.
  double neighbour_ns = 0;
  double full_precision_factor = 2;  ///< of a whole step in double precision
  /// By what a rank computes longer while others of its node do: shared caches, memory, clocks.
  double crowding = 1;
  double ghost_ns = 0;     ///< of one ghost, its bytes on their way among it
  double exchange_us = 0;  ///< of an exchange with one rank of the node, if little travels
  double message_us = 0;   ///< for each further rank
  double spread = 0.1;     ///< standard deviation of ln(measured / predicted)
};

/// Residues that the caches of one core hold, about: 2 MB, at 1 kB of coordinates, terms and lists.
inline constexpr double near_residues = 2000;

/// What a rank has to do in a step, counted.
struct StepDemand {
  double residues = 0, term_work = 0;
  std::size_t pair_form = 0;           ///< place in pair_form_names
  double pairs = 0, charge_pairs = 0;  ///< entries of both lists with the first skin
  double ghosts = 0;
  int peers = 0;                 ///< ranks that it exchanges rows with
  int far_peers = 0;             ///< of them on other nodes
  double sent_to_far_bytes = 0;  ///< to them
  bool is_in_full_precision = false;
};

/// What lies between nodes.
struct NetworkSpeed {
  double bytes_per_second = 12.5e9;  ///< of one node, each way
  double latency_us = 5;
};

/// The parts of a step [s]; they add up.
struct StepTime {
  double launch = 0;  ///< and what else a step waits for, however few residues there are
  double residues = 0, terms = 0, pairs = 0, charge_pairs = 0, ghosts = 0, exchange = 0,
         network = 0;

  struct Part {
    std::string_view name;   ///< of the member
    std::string_view words;  ///< as a person would say it
    double seconds;
  };
  [[nodiscard]] std::array<Part, 8> parts() const;
  [[nodiscard]] double seconds() const;
  /// The largest part, as a person would say it: "pairs", "launches", ...
  [[nodiscard]] std::string_view bottleneck() const;
};

/// ranks_per_node: that share its network. Never below 0.
[[nodiscard]] StepTime step_time(const StepCoefficients& coefficients, const StepDemand& demand,
                                 const NetworkSpeed& network, int ranks_per_node);

/// (coefficients) What step_time() multiplies each of them by [us, or thousands of units], for
/// fits: launch, residue, term, each pair form, charge pair, neighbour, far residue.
inline constexpr std::size_t fitted_count = 6 + pair_form_count;
[[nodiscard]] std::array<double, fitted_count> fitted_amounts(const StepDemand& demand);
[[nodiscard]] std::array<double, fitted_count> fitted_values(const StepCoefficients& coefficients);
void set_fitted_values(StepCoefficients& coefficients,
                       const std::array<double, fitted_count>& values);

}  // namespace nfold::plan
