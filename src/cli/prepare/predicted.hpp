// Predicted structures given to `nfold prepare`, and the confidence files beside them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "model/structure/structure.hpp"

namespace nfold::prepare {

/// Findings on a structure file.
struct PredictedStructure {
  bool is_predicted = false;
  int residues = 0, unconfident = 0;         ///< unconfident: pLDDT below confident_plddt
  std::vector<std::filesystem::path> files;  ///< values of the key confidence, beside the structure
  std::vector<std::string> reasons;          ///< a line each

  /// True if so many residues are disordered that the go model, made for a folded protein, is the
  /// wrong one.
  [[nodiscard]] bool has_disorder() const { return is_predicted && 20 * unconfident >= residues; }
};

/// Returns the names that predictors give the files with PAE and pLDDT of a structure file, likely
/// ones first, without folder and .gz. The files of an entry belong together.
[[nodiscard]] std::vector<std::vector<std::string>> confidence_names(
    const std::filesystem::path& structure);

/// Reads a structure and looks for its confidence. Files that do not fit are left out, with a
/// reason. Throws StructureError for the structure.
[[nodiscard]] PredictedStructure inspect_prediction(const std::filesystem::path& file,
                                                    const structure::Selection& selection);

}  // namespace nfold::prepare
