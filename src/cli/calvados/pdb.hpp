// Structures of a CALVADOS folder by the rules of MDAnalysis, with which the package reads them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nfold::calvados {

using Point = std::array<double, 3>;

inline constexpr double angstroms_per_nm = 10;

struct PdbAtom {
  std::string name;
  double mass_amu = 0;  ///< 0: its element is blank or unknown while other atoms have one
  std::array<float, 3> position_angstrom{};
  float b_factor = 0;
};
struct PdbResidue {
  std::string name;
  int number = 0;
  int segment = 0;
  int line = 0;  ///< line of its first atom
  std::vector<PdbAtom> atoms;
};
/// The first model of a PDB file, its atoms shifted so that their centre of mass is at 0. Positions
/// have the rounding of the package, which keeps them in single precision.
struct PdbStructure {
  std::vector<PdbResidue> residues;
  std::optional<Point> cell_nm;  ///< cell of CRYST1

  /// Indices of the first and last residues of segments: by segment name (columns 73 to 76) if any
  /// atom has one, else by chain letter.
  [[nodiscard]] std::vector<int> first_residues() const;
  [[nodiscard]] std::vector<int> last_residues() const;
};

/// Parses a PDB file; `file` names it in errors. Any bytes are safe. Throws core::InputError.
[[nodiscard]] PdbStructure parse_pdb(std::string_view text, const std::string& file);

/// Returns the positions of all atoms of the first model [nm], as the file has them. Throws
/// core::InputError.
[[nodiscard]] std::vector<Point> pdb_coordinates(std::string_view text, const std::string& file);

/// Returns the letter of a residue; none for a name that MDAnalysis does not translate.
[[nodiscard]] std::optional<char> to_letter(std::string_view residue_name);

/// Returns the centres of mass of residues, or the positions of their atoms CA [nm]. Throws
/// core::InputError for a residue without mass, or without one atom CA.
[[nodiscard]] std::vector<Point> protein_positions(const PdbStructure& structure,
                                                   bool use_centre_of_mass,
                                                   const std::string& file);
/// Returns backbone and base of each nucleotide in turn [nm]: centres of mass, or the atoms P and
/// N1 or N9. Throws core::InputError.
[[nodiscard]] std::vector<Point> rna_positions(const PdbStructure& structure,
                                               bool use_centre_of_mass, const std::string& file);

/// Distance of two positions in single precision, as the package computes it. cell: for the nearest
/// image; null: none.
[[nodiscard]] double distance_nm(const Point& a, const Point& b, const std::optional<Point>& cell);

}  // namespace nfold::calvados
