// List of slabs for sequences and temperatures, as nfold phase runs it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "batch/list_text.hpp"

namespace nfold::batch {

struct PhaseRequest {
  std::vector<std::filesystem::path> sequences;  ///< FASTA or CSV files
  std::string model = "calvados2";
  std::string temperatures;  ///< "280:320:10" or "280,300"; empty: that of the model or table
  std::string client;        ///< FILE:RECORD of a second species; empty: none
  int copies = 0, client_copies = 0;  ///< 0: by rule
};

/// Box and copies of a slab across z, by the length of its chain and the reach of the forces:
///
/// - Edges across: 2.2 times the end-to-end distance of an ideal chain, 0.58 nm sqrt(N), so that no
///   chain meets its own image; at least twice the reach and 1 nm.
/// - Copies: a slab 1.5 edges thick at 2.5 residues/nm3 (about 450 mg/ml).
/// - Length: ten edges.
struct SlabDesign {
  std::array<double, 3> box_nm;
  int copies;
};
[[nodiscard]] SlabDesign design_slab(std::int64_t residues, double reach_nm);

/// Returns the temperatures [K] of "FROM:TO:STEP" or of a list with commas. Throws InputError.
[[nodiscard]] std::vector<double> parse_temperatures(const std::string& text);

/// Returns a list with protocol phase and a target for each sequence but the client and each
/// temperature. overrides:
/// KEY=VALUE that the targets will have. Throws InputError and StructureError.
[[nodiscard]] ListText make_phase_list(const PhaseRequest& request,
                                       const std::vector<std::string>& overrides);

}  // namespace nfold::batch
