// From a structure file to an input file that a person can read and edit.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "structure/structure.hpp"
#include "topology/topology.hpp"

namespace nfold::cli {

/// What the command line of `nfold prepare` says.
struct PrepareOptions {
  std::filesystem::path structure;
  std::filesystem::path output;     ///< empty: STEM.yaml in the current folder
  std::vector<std::string> chains;  ///< as system.chains
  int model = 1;                    ///< NMR model
  std::string contacts;             ///< as force_field.contacts.map; empty: its default
  std::string contact_potential;    ///< as force_field.contact_potential; empty: its default
  int copies = 1;
  std::vector<std::string> overrides;  ///< of --set, in order
  bool overwrite = false;
};

/// Reads the structure, builds its model, writes the input file and reports to `out`. Nothing is
/// written unless all of it works. StructureError, InputError, io::FileError.
void prepare(const PrepareOptions& options, std::ostream& out);

/// The keys a person is likely to change, and those that differ from their defaults, each below
/// a comment from the table of keys; `remarks` head the file, a comment line each. parse_input()
/// takes it back to `settings`.
[[nodiscard]] std::string commented_input(const config::Settings& settings,
                                          const std::vector<std::string>& remarks);

/// Mean of |i - j| / chain length over the contacts inside chains (Plaxco, Simons, Baker, J. Mol.
/// Biol. 277, 985 (1998), one vote a residue pair); 0 without such contacts.
[[nodiscard]] double relative_contact_order(const topology::Topology& topology);

}  // namespace nfold::cli
