// Residues as the file has them, before anything is chosen, named or left out.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "structure/structure.hpp"

namespace nfold::structure {

struct RawAtom {
  std::string name;
  std::array<double, 3> position_nm{};
  float occupancy = 1;
  char alternate = ' ';  ///< ' ': the atom has one location
};

/// Consecutive atoms of one residue name, number and insertion code. Hydrogens are left out.
struct RawResidue {
  std::string chain;       ///< parts of one chain that TER divides get names of their own later
  std::string file_chain;  ///< the chain's name in the file; the readers leave it empty
  std::string name;
  int number = 0;
  char insertion_code = ' ';
  bool hetero = false;      ///< HETATM
  int part = 0;             ///< grows at TER (PDB); the molecule's number (mmCIF)
  long line = 0;            ///< of its first atom; 0 if not known
  bool is_protein = false;  ///< part of an amino acid chain; the readers leave it false
  std::vector<RawAtom> atoms;
};

/// The sequence that the file states for a chain (SEQRES, _entity_poly_seq), without caps.
struct StatedSequence {
  std::string chain;
  int residues = 0;
};

struct RawStructure {
  std::vector<RawResidue> residues;  ///< of the chosen model, in the file's order
  int model_count = 1;
  std::vector<StatedSequence> sequences;
  std::vector<std::string> notes;  ///< of the reader, for Structure::notes
};

inline constexpr double angstrom_nm = 0.1;
inline constexpr double largest_coordinate_nm = 1e5;

/// `name` names the file in errors; `model` counts from 1.
[[nodiscard]] RawStructure read_pdb(std::string_view text, const std::string& name, int model);
[[nodiscard]] RawStructure read_mmcif(std::string_view text, const std::string& name, int model);

/// Name of a heavy atom as the model has it, empty for a hydrogen. `element` is the file's, or one
/// that was guessed from columns. Within an amino acid the name decides: CA is the alpha carbon,
/// and no heavy atom begins with H. Elsewhere a calcium ion, which is called CA too, becomes Ca.
[[nodiscard]] std::string heavy_atom_name(bool is_amino_acid, const std::string& name,
                                          std::string_view element);

/// Throws StructureError "NAME:LINE: WHAT".
[[noreturn]] void fail_at(const std::string& name, long line, const std::string& what);

/// A whole field as a finite number; false for anything else (blank, "nan", "1 2", "3.4x").
[[nodiscard]] bool parse_number(std::string_view field, double& value);
[[nodiscard]] bool parse_integer(std::string_view field, int& value);
[[nodiscard]] std::string_view trimmed(std::string_view text);
/// The text as one short printable line in quotes, for errors.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// "478 200 (chain B)"
[[nodiscard]] std::string residue_place(const std::string& name, int number, char insertion_code,
                                        const std::string& chain);

}  // namespace nfold::structure
