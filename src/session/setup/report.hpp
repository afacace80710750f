// Energies and observables of a reported state, with their names.
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
#include "engine/engine.hpp"
#include "model/topology/topology.hpp"

namespace nfold::setup {

struct Report {
  std::int64_t step = 0;
  double time_ps = 0;
  engine::Energies energies;
  bool saturated = false;      ///< engine::Energies::saturated, also for the pressure
  double native_fraction = 0;  ///< NaN without native contacts
  double rmsd_nm = 0;          ///< all residues; NaN without native structure
  std::vector<double> radius_of_gyration_nm;        ///< (species) mean over chains
  std::vector<double> biased_variables;             ///< (biases) in input order
  std::optional<analysis::Tensor> pressure_bar;     ///< none in an open box
  std::vector<std::array<double, 3>> positions_nm;  ///< all residues, if kept
};

/// Receiver of positions [nm] by ascending id, in pieces; must not throw.
using PositionSink = std::function<void(std::span<const std::array<double, 3>> nm)>;
/// Use of all residues' positions on rank 0.
struct PositionUse {
  bool keeps = false;  ///< true: in the report
  PositionSink sink;   ///< may be empty
};

/// True if a report needs the positions of all residues at once, as native contacts and
/// superposition do.
[[nodiscard]] bool needs_all_positions(const topology::Topology& topology);

/// Collective: returns the report of the engine's current state; complete on rank 0, energies alone
/// elsewhere. Rank 0 has only a part of the positions at a time unless all are needed at once.
[[nodiscard]] Report make_report(engine::Engine& engine, const topology::Topology& topology,
                                 double time_step_ps, const PositionUse& use = {});

/// Reported number: column in NAME.energies.csv, observable in NAME.h5md (empty: none), unit there.
struct ReportColumn {
  std::string csv_name, h5md_name, h5md_unit;
};
/// Returns the columns. Several species have one radius of gyration each, distinguished by name;
/// several biases one variable each, distinguished by number.
[[nodiscard]] std::vector<ReportColumn> report_columns(const topology::Topology& topology);
/// Returns a comment that explains the columns. Without commas.
[[nodiscard]] std::string report_comment();
/// Returns the values in the order of report_columns().
[[nodiscard]] std::vector<double> report_values(const Report& report);

}  // namespace nfold::setup
