// File NAME.observables.h5 with the averages so far, complete at any moment.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/storage/file_error.hpp"

// The file, plain HDF5 (h5py opens it):
//   /             attributes format, format_version, creator_version, frames, first_step, last_step
//                 (of the frames averaged), every_steps, time_step_ps, box_nm (3; 0: open)
//   /species      name (species) text, chains (species), residues (species) of one chain;
//                 residue_names_K (residues) text, of a chain of species K
//   /SUBJECT/NAME float64, counts int64; attributes unit (H5MD's spelling) and description, which
//                 explains axes and normalisation. NaN: not known (yet).
namespace nfold::io {

struct ObservedSpecies {
  std::string name;
  std::int64_t chains = 0;
  std::vector<std::string> residue_names;  ///< residues of one chain
};

/// Values of one observable with their meaning.
struct ObservedTable {
  std::string path;  ///< "SUBJECT/NAME"
  std::string unit;  ///< empty: dimensionless
  std::string description;
  std::vector<std::int64_t> extent;  ///< C order; empty: one number
  std::vector<double> values;
  /// Replaces `values` if all are integers.
  std::optional<std::vector<std::int64_t>> counts = {};
};

struct ObservablesHeader {
  std::string creator_version;
  std::int64_t frames = 0, first_step = 0, last_step = 0, every_steps = 0;
  double time_step_ps = 0;
  std::array<double, 3> box_nm{};
  std::vector<ObservedSpecies> species;
};

/// Writes PATH.tmp, syncs it to disk and renames it. The same arguments give the same bytes. Throws
/// FileError; then PATH is unchanged. For one rank.
void write_observables(const std::filesystem::path& path, const ObservablesHeader& header,
                       std::span<const ObservedTable> tables);

}  // namespace nfold::io
