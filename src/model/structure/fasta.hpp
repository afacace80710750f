// Sequences from FASTA files and one-letter codes, as structures without coordinates.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "model/structure/structure.hpp"

namespace nfold::structure {

/// Largest number of residues of one record: thirty times titin, and a topology that is built
/// within seconds.
inline constexpr std::size_t longest_sequence = 1'000'000;

/// True for a FASTA file, plain or gzipped: by its ending, or by its first character.
[[nodiscard]] bool is_fasta_file(const std::filesystem::path& file);

/// Letters of a sequence: one-letter codes of the 20 residues, or any letters, which a chain kind
/// of the force field interprets. Both also take names in brackets, as in "GG[SEP]PT".
enum class Alphabet { protein, any };

struct FastaRecord {
  std::string name;      ///< first word of the header
  std::string sequence;  ///< letters and names of the file, without blanks
  int line = 0;          ///< line of the header, from 1
};

/// Parses the records of a FASTA file, plain or gzipped; `name` names it in errors. Lower case
/// counts as upper case, blanks and lines that begin with ';' are skipped, a '*' may end a
/// sequence. In PIR format (">P1;NAME") the line below the header is a title. Throws StructureError
/// with line and column for a letter that is not of the alphabet, for an empty sequence, one beyond
/// longest_sequence, and for two records of one name.
[[nodiscard]] std::vector<FastaRecord> parse_fasta(std::string_view bytes, const std::string& name,
                                                   Alphabet alphabet = Alphabet::protein);

/// Finds a record by its name; an empty name stands for the only record. Throws StructureError.
[[nodiscard]] const FastaRecord& find_record(const std::vector<FastaRecord>& records,
                                             const std::string& record, const std::string& file);

/// Lists the names of the first few records and the number of others, for messages.
[[nodiscard]] std::string list_record_names(const std::vector<FastaRecord>& records);

/// Returns "ALA" for 'A' or 'a'; empty if the letter is none of the 20 residues.
[[nodiscard]] std::string to_residue_name(char letter);

/// Returns one chain "A" of residues numbered from 1, each bonded to the next, without atoms and
/// coordinates (NaN). `kind` is the chain kind; in a protein, names in brackets are those of
/// modified residues or beads, and a note lists letters that may mean something other than a
/// protein of the 20 residues. Throws StructureError with `name` and the position of a letter that
/// is none of the 20 residues of a protein, or for an empty sequence.
[[nodiscard]] Structure make_sequence_structure(const std::string& name, std::string_view sequence,
                                                const std::string& kind = "protein");

}  // namespace nfold::structure
