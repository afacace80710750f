// Residues as in the file, before selection and renaming.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/lines.hpp"
#include "model/structure/point.hpp"
#include "model/structure/structure.hpp"

namespace nfold::structure {

struct RawAtom {
  std::string name;
  std::array<double, 3> position_nm{};
  float occupancy = 1;
  char alternate = ' ';  ///< ' ': the atom has one location
};

/// B-factors of a residue's atoms, hydrogens included.
struct BFactors {
  double sum = 0, least = std::numeric_limits<double>::infinity(),
         most = -std::numeric_limits<double>::infinity();
  int count = 0;

  void add(double b) {
    sum += b;
    least = std::min(least, b);
    most = std::max(most, b);
    ++count;
  }
  /// Returns the mean; NaN without atoms.
  [[nodiscard]] double mean() const { return sum / count; }
};

/// Consecutive atoms of one residue name, number and insertion code. Hydrogens are left out.
struct RawResidue {
  std::string chain;       ///< parts of a chain divided by TER get separate names later
  std::string file_chain;  ///< name of the chain in the file; set after reading
  std::string name;
  int number = 0;
  char insertion_code = ' ';
  bool hetero = false;         ///< HETATM
  int part = 0;                ///< increases at TER (PDB); number of the molecule (mmCIF)
  long line = 0;               ///< line of its first atom; 0: unknown
  bool is_protein = false;     ///< part of an amino acid chain; set after reading
  bool is_nucleotide = false;  ///< nucleotide that is kept; set after reading
  std::vector<RawAtom> atoms;
  BFactors b_factors;
  std::string label_chain;  ///< mmCIF: label_asym_id
  int label_number = 0;     ///< mmCIF: label_seq_id; 0: none
  int file_residue = -1;    ///< index in FileContents::residues; set after reading
};

/// Sequence stated in the file for a chain (SEQRES, _entity_poly_seq), without caps.
struct DeclaredSequence {
  std::string chain;
  int residues = 0;
};

struct RawStructure {
  std::vector<RawResidue> residues;  ///< residues of the selected model, in the file's order
  int model_count = 1;
  std::vector<DeclaredSequence> sequences;
  PredictionRecord prediction;
  std::vector<std::string> notes;  ///< become part of Structure::notes
};

inline constexpr double largest_coordinate_nm = 1e5;

/// Reads a PDB file; `name` names it in errors, `model` counts from 1. Throws StructureError.
[[nodiscard]] RawStructure read_pdb(std::string_view text, const std::string& name, int model);
[[nodiscard]] RawStructure read_mmcif(std::string_view text, const std::string& name, int model);
/// Returns pLDDT and PAE of an mmCIF file, which need not have coordinates. Throws StructureError.
[[nodiscard]] ConfidenceTable read_mmcif_metrics(std::string_view text, const std::string& name,
                                                 int model);

/// Returns the name of a heavy atom, empty for a hydrogen. `element` is that of the file, or was
/// guessed from columns. In an amino acid the name decides: CA is the alpha carbon, and no heavy
/// atom begins with H. Elsewhere a calcium ion, also named CA, becomes Ca.
[[nodiscard]] std::string heavy_atom_name(bool is_amino_acid, const std::string& name,
                                          std::string_view element);

/// Throws StructureError "NAME:LINE: WHAT".
[[noreturn]] void fail_at(const std::string& name, long line, const std::string& what);

/// Parses a complete field as a finite number. Returns false for anything else (blank, "nan", "1
/// 2", "3.4x").
[[nodiscard]] bool parse_number(std::string_view field, double& value);
[[nodiscard]] bool parse_integer(std::string_view field, int& value);
using core::in_quotes;
using core::trim;

/// Returns "478 200 (chain B)".
[[nodiscard]] std::string describe_residue(std::string_view name, int number, char insertion_code,
                                           const std::string& chain);
[[nodiscard]] std::string describe_residue(const RawResidue& residue);
[[nodiscard]] std::string describe_residue(const Residue& residue, const std::string& chain);
/// Returns "LEU 67 (chain A) to GLY 70 (chain A), 0.95 nm", the distance of the C-alpha atoms.
[[nodiscard]] std::string describe_gap(const Residue& here, const Residue& next,
                                       const std::string& chain);

}  // namespace nfold::structure
