// Model of the time of one rank's step: counted work times measured coefficients.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "system/pair_forms/pair_forms.hpp"

namespace nfold::estimate {

inline constexpr std::size_t pair_form_count = pair_forms::form_count;
/// Returns the machine_key of a form.
[[nodiscard]] std::string_view pair_form_name(std::size_t form);

/// Coefficients of one GPU, or of one core, in mixed precision.
struct StepCoefficients {
  double launch_us = 0;   ///< per step, even without residues
  double residue_ns = 0;  ///< per residue: integration and its part of list builds
  /// Additional time per residue beyond near_residues, which a core's caches do not hold. 0 for a
  /// GPU.
  double far_residue_ns = 0;
  double term_ns = 0;  ///< per unit of counted bonded work
  /// Per entry of the neighbour list, by form; per entry of the list of charges.
  std::array<double, pair_form_count> pair_ns{};
  double charge_pair_ns = 0;
  /// Per neighbour of the mean row, for any number of rows: a GPU thread walks a row's list
  /// serially, and a step waits for it. 0 for a core.
  double neighbour_ns = 0;
  double full_precision_factor =
      2;  ///< slowdown in double precision, launches and messages excepted
  /// Slowdown of a rank while other ranks of its node compute: shared caches, memory, clocks.
  double crowding = 1;
  double ghost_ns = 0;     ///< per ghost, transfer included
  double exchange_us = 0;  ///< per exchange of little data with one rank of the node
  double message_us = 0;   ///< per further rank
  double spread = 0.1;     ///< standard deviation of ln(measured / estimated)
};

/// Residues that the caches of one core hold, about: 2 MB, at 1 kB of coordinates, terms and lists.
inline constexpr double near_residues = 2000;

/// Counted work of one rank in a step.
struct StepDemand {
  double residues = 0, term_work = 0;
  std::size_t pair_form = 0;           ///< pair_forms::ShortRangeForm
  double pairs = 0, charge_pairs = 0;  ///< entries of both lists with the initial skin
  double ghosts = 0;
  int peers = 0;                 ///< ranks with which ghosts are exchanged
  int far_peers = 0;             ///< peers on other nodes
  double sent_to_far_bytes = 0;  ///< to far_peers
  bool is_in_full_precision = false;
};

/// Network between nodes.
struct NetworkSpeed {
  double bytes_per_second = 12.5e9;  ///< per node and direction
  double latency_us = 5;
};

/// Parts of a step [s]; their sum is the step.
struct StepTime {
  double launch = 0;  ///< launches and other waits, for any number of residues
  double residues = 0, terms = 0, pairs = 0, charge_pairs = 0, ghosts = 0, exchange = 0,
         network = 0;

  struct Part {
    std::string_view name;   ///< name of the member
    std::string_view words;  ///< description for people
    double seconds;
  };
  [[nodiscard]] std::array<Part, 8> parts() const;
  [[nodiscard]] double seconds() const;
  /// Returns the description of the largest part.
  [[nodiscard]] std::string_view bottleneck() const;
};

/// Returns the time of a step, never below 0. ranks_per_node: ranks that share a node's network.
[[nodiscard]] StepTime step_time(const StepCoefficients& coefficients, const StepDemand& demand,
                                 const NetworkSpeed& network, int ranks_per_node);

/// Returns the rank with the longest step.
[[nodiscard]] const StepDemand& slowest_rank(const StepCoefficients& coefficients,
                                             std::span<const StepDemand> ranks,
                                             const NetworkSpeed& network, int ranks_per_node);

/// (ranks) Times of a step [s]; all wait for the slowest. speed: (ranks) computing speed relative
/// to the mean, which the coefficients apply to; empty: equal. node: (ranks) number of each rank's
/// node; empty: one node.
[[nodiscard]] std::vector<double> rank_step_seconds(const StepCoefficients& coefficients,
                                                    std::span<const StepDemand> ranks,
                                                    std::span<const double> speed = {},
                                                    std::span<const int> node = {},
                                                    const NetworkSpeed& network = {});

/// (coefficients) Interface for fits. Amounts are the factors of the coefficients in step_time()
/// [us, or thousands of units]. Order: launch, residue, term, each pair form, charge pair,
/// neighbour, far residue.
inline constexpr std::size_t fitted_count = 6 + pair_form_count;
[[nodiscard]] std::array<double, fitted_count> fitted_amounts(const StepDemand& demand);
[[nodiscard]] std::array<double, fitted_count> fitted_values(const StepCoefficients& coefficients);
void set_fitted_values(StepCoefficients& coefficients,
                       const std::array<double, fitted_count>& values);

}  // namespace nfold::estimate
