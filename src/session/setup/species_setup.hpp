// Molecules of an input: reading, force field and box.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "input/settings.hpp"
#include "model/structure/structure.hpp"
#include "model/topology/go_model.hpp"
#include "model/topology/residue_model.hpp"
#include "model/topology/topology.hpp"
#include "session/setup/confidence_record.hpp"

namespace nfold::setup {

/// Returns the constants of the go model; copies as in `system`.
[[nodiscard]] topology::GoModel go_model(const input::Settings& settings);

struct SystemSetup {
  topology::Topology topology;
  /// Messages of readers and builders, and the contents of the box, a line each.
  std::vector<std::string> notes;
  /// Those of `notes` about structures and sequences of files.
  std::vector<std::string> structure_notes = {};
  /// Model that the molecules are built with; none for the go model.
  std::optional<topology::ResidueModel> model = {};
  std::vector<ConfidenceRecord> confidence = {};  ///< records of species with a predicted structure
};

/// Collective: rank 0 reads the files, all ranks build from the same bytes. Throws InputError,
/// StructureError, core::Failure.
[[nodiscard]] SystemSetup build_system(const comm::Communicator& communicator,
                                       const input::Settings& settings,
                                       const std::filesystem::path& input_file);

/// Whole system, or a small part of a large one with fewer copies of each species in proportion.
struct SystemPart {
  SystemSetup system;
  double times = 1;           ///< residues of the whole over those of the part
  std::int64_t residues = 0;  ///< residues of the whole
  system::Box box;            ///< box of the whole and of the part
};
/// Builds a system as build_system(), with about most_residues residues at most if there are enough
/// copies to leave out.
[[nodiscard]] SystemPart build_part(const comm::Communicator& communicator,
                                    const input::Settings& settings,
                                    const std::filesystem::path& input_file,
                                    std::int64_t most_residues);

}  // namespace nfold::setup
