// Files of a run as the CALVADOS package writes them: DCD, PDB and log.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "cli/calvados/translation.hpp"
#include "core/status/output_paths.hpp"

namespace nfold::calvados {

/// Returns the PDB of a configuration, in the format of top.pdb. Throws core::InputError for a
/// coordinate that does not fit its columns.
[[nodiscard]] std::string pdb_text(const Translation& folder,
                                   const std::vector<Point>& positions_nm);

/// Shifts each molecule by whole edges so that its centre is in the box.
void wrap_molecules(const Translation& folder, std::vector<Point>& positions_nm);

/// Returns the tab-separated log of NAME.energies.csv, a row for each row after equilibration.
/// seconds_per_step: of the whole run.
[[nodiscard]] std::string log_text(const Translation& folder, const std::string& energies_csv,
                                   double seconds_per_step);

/// Writes NAME.dcd, NAME.log, top.pdb and checkpoint.pdb into the folder of the run's output. As in
/// the package, DCD and log begin after equilibration, without its last state.
/// seconds: duration of the run.
void write_like_calvados(const Translation& folder, const status::OutputPaths& paths,
                         double seconds);

}  // namespace nfold::calvados
