// From sequences and structures to an input file that a person can read and edit.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "topology/topology.hpp"

namespace nfold::prepare {

/// What the command line of `nfold prepare` says. Where [NAME=] stands, a value is for the species
/// of this name, or for all of them.
struct PrepareOptions {
  std::vector<std::string> inputs;  ///< "[NAME=]FILE" or "[NAME=]FILE.fasta:RECORD", a species each
  std::filesystem::path output;     ///< empty: the first species' name .yaml in the current folder
  std::string model;  ///< force field; empty: go, or calvados2 where a sequence is given
  int nmr_model = 1;
  std::vector<std::string> chains;   ///< "[NAME=]A:10-50"
  std::vector<std::string> domains;  ///< "[NAME=]10-50" or "[NAME=]auto", one each
  std::vector<std::string> copies;   ///< "[NAME=]N"
  /// "C": mass concentration in mg/ml of everything, which makes the box; "NAME=C": of a species,
  /// which makes its copies.
  std::vector<std::string> concentrations;
  std::vector<std::string> molarities;  ///< "NAME=C", mmol/l
  std::vector<double> box_nm;           ///< one edge or three; empty: as the start needs it
  std::string start;                    ///< as start.from; empty: chosen
  std::string contacts;                 ///< as force_field.contacts.map; empty: its default
  std::string contact_potential;        ///< as force_field.contact_potential; empty: its default
  std::vector<std::string> overrides;   ///< of --set, in order
  bool overwrite = false;
};

/// Builds the system, makes its first state, writes the input file and reports to `out`. Nothing is
/// written unless all of it works. StructureError, InputError, storage::FileError.
void prepare(const PrepareOptions& options, std::ostream& out);

/// The keys a person is likely to change, and those that differ from their defaults, each below
/// a comment from the table of keys; `remarks` head the file, a comment line each. parse_input()
/// takes it back to `settings`.
[[nodiscard]] std::string commented_input(const config::Settings& settings,
                                          const std::vector<std::string>& remarks);

/// Mean of |i - j| / chain length over the contacts inside chains (Plaxco, Simons, Baker, J. Mol.
/// Biol. 277, 985 (1998), one vote a residue pair); 0 without such contacts.
[[nodiscard]] double relative_contact_order(const topology::Topology& topology);

}  // namespace nfold::prepare
