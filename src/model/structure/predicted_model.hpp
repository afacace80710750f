// Recognition of predicted models by header and B-factors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/structure/confidence.hpp"

namespace nfold::structure {

struct RawResidue;

/// True if a header's text names a program that predicts structures.
[[nodiscard]] bool names_predictor(std::string_view text);

/// True if a method or resolution in a header is that of an experiment.
[[nodiscard]] bool is_experiment(std::string_view method);

/// Adds what a line of a PDB file's header says on the structure's origin.
void read_origin(std::string_view line, PredictionRecord& record);

/// True if the B-factors of the amino acids can only be pLDDT: equal for all atoms of a residue,
/// different between residues, and from 0 to 100.
[[nodiscard]] bool has_plddt_b_factors(const std::vector<RawResidue>& residues);

}  // namespace nfold::structure
