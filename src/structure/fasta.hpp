// Sequences: FASTA files and one-letter codes, as structures without coordinates.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "structure/structure.hpp"

namespace nfold::structure {

/// Residues of one record: thirty times titin, and a topology that is built within seconds.
inline constexpr std::size_t longest_sequence = 1'000'000;

struct FastaRecord {
  std::string name;      ///< first word of the header
  std::string sequence;  ///< one-letter codes of the 20 residues, in the file's case
  int line = 0;          ///< of the header, from 1
};

/// The records of a FASTA file, plain or gzipped; `name` names it in errors. Lower case counts as
/// upper case, blanks and lines that begin with ';' are skipped, a '*' may end a sequence. In PIR's
/// format (">P1;NAME") the line below the header is a title. Throws StructureError with line and
/// column for a letter that stands for none of the 20 residues, for an empty sequence, one beyond
/// longest_sequence, and for two records of one name.
[[nodiscard]] std::vector<FastaRecord> parse_fasta(std::string_view bytes, const std::string& name);

/// The record of this name; the only one if the name is empty. StructureError.
[[nodiscard]] const FastaRecord& find_record(const std::vector<FastaRecord>& records,
                                             const std::string& record, const std::string& file);

/// For messages: the names of the first few, and how many more there are.
[[nodiscard]] std::string first_names(const std::vector<FastaRecord>& records);

/// "ALA" of 'A' or 'a'; empty if the letter stands for none of the 20 residues.
[[nodiscard]] std::string residue_name_of(char letter);

/// One chain "A" of residues numbered from 1, each bonded to the next, with neither atoms nor
/// coordinates (not a number). A note says where the letters may mean something else than a protein
/// of the 20 residues. Throws StructureError naming `name` and the place of a letter that
/// stands for none of the 20 residues, or for an empty sequence.
[[nodiscard]] Structure structure_of_sequence(const std::string& name, std::string_view sequence);

}  // namespace nfold::structure
