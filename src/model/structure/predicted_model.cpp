// Words of predictors in headers, and B-factors that are pLDDT.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/structure/predicted_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/text.hpp"
#include "model/structure/pdb_columns.hpp"
#include "model/structure/raw_residue.hpp"

namespace nfold::structure {

bool names_predictor(std::string_view text) {
  constexpr std::array<std::string_view, 7> predictors{
      "alphafold", "colabfold", "esmfold", "rosettafold", "openfold", "boltz", "omegafold"};
  const std::string lower = core::to_lower(text);
  return std::any_of(predictors.begin(), predictors.end(), [&](std::string_view predictor) {
    return lower.find(predictor) != std::string::npos;
  });
}

bool is_experiment(std::string_view method) {
  if (method.empty()) return false;
  const std::string lower = core::to_lower(method);
  return lower.find("theoretical") == std::string::npos &&
         lower.find("predict") == std::string::npos && !names_predictor(lower);
}

void read_origin(std::string_view line, PredictionRecord& record) {
  if (is_record(line, "EXPDTA")) {
    record.is_experimental |= is_experiment(trim(columns(line, 11, 79)));
  } else if (is_record(line, "CRYST1")) {
    // Predictors and NMR write a cell of 1 angstrom.
    double edge = 0;
    constexpr double no_cell = 1.5;
    record.is_experimental |= parse_number(columns(line, 7, 15), edge) && edge > no_cell;
  } else if (is_record(line, "HEADER") || is_record(line, "TITLE") || is_record(line, "REMARK")) {
    if (record.predictor.empty() && names_predictor(line)) {
      record.predictor = fmt::format("{} in its header", in_quotes(trim(columns(line, 11, 80))));
    }
  }
}

bool has_plddt_b_factors(const std::vector<RawResidue>& residues) {
  int amino_acids = 0, with_several_atoms = 0;
  BFactors all;
  for (const RawResidue& residue : residues) {
    if (!residue.is_protein) continue;
    const BFactors& b = residue.b_factors;
    if (!(b.least == b.most) || b.least < 0 || b.most > 100) return false;
    ++amino_acids;
    with_several_atoms += b.count > 1 ? 1 : 0;
    all.add(b.least);
  }
  constexpr double least_plausible = 0.2;  // limit of the largest value, which may be a fraction
  return amino_acids > 0 && 10 * with_several_atoms >= 9 * amino_acids && all.most > all.least &&
         all.most > least_plausible;
}

}  // namespace nfold::structure
