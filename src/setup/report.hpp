// What is known of a state when something is reported: energies and observables, with their names.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/frame.hpp"
#include "dynamics/engine.hpp"
#include "topology/topology.hpp"

namespace nfold::setup {

struct Report {
  std::int64_t step = 0;
  double time_ps = 0;
  dynamics::Energies energies;
  bool saturated = false;      ///< as in dynamics::Energies; of the pressure also
  double native_fraction = 0;  ///< not a number without native contacts
  double rmsd_nm = 0;          ///< of all residues; not a number without native structure
  std::vector<double> radius_of_gyration_nm;     ///< (species) mean over chains of each one's own
  std::vector<double> biased_variables;          ///< (biases) in the order of the input
  std::optional<analysis::Tensor> pressure_bar;  ///< where there is one
  std::vector<std::array<double, 3>> positions_nm;  ///< all residues, where they are kept
};

/// Takes positions [nm] by ascending id, piece by piece; throws nothing.
using PositionSink = std::function<void(std::span<const std::array<double, 3>> nm)>;
/// What rank 0 does with the positions of all residues.
struct PositionUse {
  bool keeps = false;  ///< in the report
  PositionSink sink;   ///< may be empty
};

/// Whether a report looks at the positions of all residues at a time: native contacts and a
/// superposition do.
[[nodiscard]] bool keeps_all_positions(const topology::Topology& topology);

/// Collective: of the engine's current state; complete on rank 0, energies alone elsewhere. Where
/// nothing needs all positions at a time rank 0 has a part of them.
[[nodiscard]] Report make_report(dynamics::Engine& engine, const topology::Topology& topology,
                                 double time_step_ps, const PositionUse& use = {});

/// A reported number: its column in NAME.energies.csv, its observable in NAME.h5md (empty: none),
/// its unit there.
struct ReportColumn {
  std::string csv_name, h5md_name, h5md_unit;
};
/// One radius of gyration for each species, one variable for each bias; where there are several,
/// they are told apart by the species' names and the biases' numbers.
[[nodiscard]] std::vector<ReportColumn> report_columns(const topology::Topology& topology);
/// A comment for the table with those columns: what their names do not say. Without commas.
[[nodiscard]] std::string report_comment();
/// In the order of report_columns().
[[nodiscard]] std::vector<double> report_values(const Report& report);

}  // namespace nfold::setup
