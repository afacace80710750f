// Preparation of an input file from sequences and structures.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "input/settings.hpp"
#include "model/topology/topology.hpp"

namespace nfold::prepare {

/// Arguments of `nfold prepare`. A value with NAME= applies to the species of this name, else to
/// all species.
struct PrepareOptions {
  std::vector<std::string> inputs;  ///< one a species: "[NAME=]FILE" or "[NAME=]FILE.fasta:RECORD"
  std::filesystem::path output;     ///< empty: the first species' name .yaml in the current folder
  std::string model;                ///< force field; empty: go, or calvados2 if a sequence is given
  int nmr_model = 1;
  std::vector<std::string> chains;     ///< "[NAME=]A:10-50"
  std::vector<std::string> domains;    ///< one each: "[NAME=]10-50" or "[NAME=]auto"
  std::vector<std::string> kinds;      ///< "[NAME=]rna"
  std::vector<std::string> mutations;  ///< one each: "[NAME=]A:R65K"
  std::vector<std::string> copies;     ///< "[NAME=]N"
  /// "C": total mass concentration [mg/ml], which sets the box; "NAME=C": that of a species, which
  /// sets its copies.
  std::vector<std::string> concentrations;
  std::vector<std::string> molarities;  ///< "NAME=C", mmol/l
  std::vector<double> box_nm;           ///< one edge or three; empty: as the start needs
  std::string start;                    ///< start.from; empty: chosen
  std::string contacts;                 ///< force_field.contacts.map; empty: its default
  std::string contact_potential;        ///< force_field.contact_potential; empty: its default
  std::vector<std::string> overrides;   ///< values of --set, in order
  bool overwrite = false;
};

/// Builds the system and its first state, writes the input file and reports to `out`. Writes
/// nothing if any of this fails. Throws StructureError, InputError, storage::FileError.
void prepare(const PrepareOptions& options, std::ostream& out);

/// Returns the mean of |i - j| / chain length over the contacts inside chains, each residue pair
/// counted once (Plaxco, Simons, Baker, J. Mol. Biol. 277, 985 (1998)); 0 without such contacts.
[[nodiscard]] double relative_contact_order(const topology::Topology& topology);

}  // namespace nfold::prepare
