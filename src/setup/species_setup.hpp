// The molecules of an input: read, built with their force field, put in their box.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "config/settings.hpp"
#include "structure/structure.hpp"
#include "topology/go_model.hpp"
#include "topology/residue_model.hpp"
#include "topology/topology.hpp"

namespace nfold::setup {

[[nodiscard]] structure::ContactOptions contact_options(const config::ContactSettings& settings);
/// Constants of the go model; copies as in `system`.
[[nodiscard]] topology::GoModel go_model(const config::Settings& settings);

struct SystemSetup {
  topology::Topology topology;
  /// What the readers handled, what the builders took and what is in the box, a line each.
  std::vector<std::string> notes;
  /// Those of `notes` on the files' structures and sequences.
  std::vector<std::string> structure_notes = {};
  /// What the molecules were made of; none for the go model.
  std::optional<topology::ResidueModel> model = {};
};

/// Collective: rank 0 reads the files, all build from the same bytes. InputError, StructureError,
/// SharedFailure.
[[nodiscard]] SystemSetup build_system(const comm::Communicator& communicator,
                                       const config::Settings& settings,
                                       const std::filesystem::path& input_file);

/// A system, or of a large one as many copies of each species in proportion as make a small one.
struct SystemPart {
  SystemSetup system;
  double times = 1;           ///< the whole over the part, in residues
  std::int64_t residues = 0;  ///< of the whole
  system::Box box;            ///< of the whole; the part's topology has it too
};
/// As build_system(), of about so many residues at most if there are enough copies to leave out.
[[nodiscard]] SystemPart build_part(const comm::Communicator& communicator,
                                    const config::Settings& settings,
                                    const std::filesystem::path& input_file,
                                    std::int64_t most_residues);

}  // namespace nfold::setup
