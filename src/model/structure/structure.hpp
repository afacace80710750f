// Structure of a protein as read from a file: chains of residues with their atoms.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/failure.hpp"
#include "model/structure/confidence.hpp"
#include "system/bead_frame.hpp"
#include "system/methods.hpp"

namespace nfold::structure {

/// Thrown if a file is not usable; names file, line or residue, the value found and the remedy.
class StructureError : public core::Failure {
 public:
  explicit StructureError(const std::string& message)
      : core::Failure(message, core::Outcome::wrong_input, core::Reach::all_ranks) {}
};

struct Atom {
  std::string name;  ///< "CA", "OD1"
  std::array<double, 3> position_nm{};
};

struct Residue {
  /// Three-letter name of the parent ("MET" for MSE, "ALA" for DAL); letter of a nucleotide.
  std::string name;
  std::string file_name;  ///< name in the file or sequence ("MSE", "DA"); empty for a letter
  int number = 0;         ///< author's numbering
  char insertion_code = ' ';
  /// C-alpha atom; of a nucleotide P, or the first atom behind it at a 5' end without one.
  std::array<double, 3> calpha_nm{};
  std::vector<Atom> heavy_atoms;  ///< includes the atom above; hydrogens omitted
  bool bonded_to_next = false;    ///< false at a chain's end and at a gap
  bool bridged_to_next = false;   ///< a bond joins both sides of the gap, requested by the input
  bool is_named = false;  ///< file_name is the input's: the force field must have such a bead
  int file_residue = -1;  ///< index in FileContents::residues; -1: without a file
  double b_factor = 0;    ///< mean of the residue's atoms, hydrogens included; may be NaN
};

struct Chain {
  std::string name;
  std::vector<Residue> residues;
  bool is_closed = false;        ///< the last residue is bonded to the first
  std::string kind = "protein";  ///< chain kind of the force field; nucleotides: "rna" or "dna"
};

struct Structure {
  std::string name;  ///< stem of the file name
  std::vector<Chain> chains;
  FileContents file;
  Confidence confidence;  ///< set by set_confidence()
  /// (residues) solvent-accessible areas [nm^2] that the input gives; empty: those of the atoms.
  std::vector<double> areas_nm2;
  std::vector<std::string> notes;  ///< one line per note: what, how many, which
  [[nodiscard]] int residue_count() const;
};

struct Selection {
  int model = 1;                    ///< 1-based
  std::vector<std::string> chains;  ///< texts for ResidueFinder; empty: all
  bool nucleotides = false;         ///< keep RNA and DNA; false: left out, with a note
};

/// Reads a PDB or mmCIF file, plain or gzipped, recognised by content rather than by suffix. Throws
/// StructureError.
[[nodiscard]] Structure read_structure(const std::filesystem::path& path,
                                       const Selection& selection = {});
/// Parses a structure from bytes (read by one rank, broadcast to all); `name` names them in errors.
/// Throws StructureError.
[[nodiscard]] Structure parse_structure(std::string_view bytes, const std::string& name,
                                        const Selection& selection = {});
/// Parses all heavy atoms of a model as beads, one a record, with their residue names, chains and
/// the file's unit cell (0: none; NaN: not rectangular). Takes the best of alternate locations.
/// Throws StructureError.
[[nodiscard]] system::BeadFrame parse_bead_records(std::string_view bytes, const std::string& name,
                                                   int model);
/// Returns the number of models of a structure file. Throws StructureError.
[[nodiscard]] int count_models(std::string_view bytes, const std::string& name);
/// Largest file that is read [bytes], 16 GiB: above any structure of ten million residues.
inline constexpr std::uintmax_t largest_file_bytes = std::uintmax_t{1} << 34;

/// Reads the file's bytes without decompression. Throws StructureError, also before reading if the
/// file is larger than largest_bytes.
[[nodiscard]] std::string read_structure_bytes(const std::filesystem::path& path,
                                               std::uintmax_t largest_bytes = largest_file_bytes);

struct ContactOptions {
  system::ContactMap map = system::ContactMap::shadow;
  double cutoff_nm = 0.6;  ///< usual: shadow 0.6, heavy atom 0.45, C-alpha 0.8
  double shadow_radius_nm = 0.1;
  double bonded_radius_nm = 0.05;
  bool legacy_atan = true;          ///< true: atan like SMOG 2's program; false: asin
  int min_sequence_separation = 4;  ///< within a chain
};

/// A native contact of residues i < j, consecutive indices over all chains.
struct Contact {
  int i, j;
  int atom_pairs;      ///< number of atom pairs in contact (1 for the C-alpha map)
  double distance_nm;  ///< C-alpha distance
};
/// Returns the native contacts sorted by (i, j). Shadow: Noel, Whitford, Onuchic, J. Phys. Chem. B
/// 116, 8692 (2012).
[[nodiscard]] std::vector<Contact> native_contacts(const Structure& structure,
                                                   const ContactOptions& options);

}  // namespace nfold::structure
