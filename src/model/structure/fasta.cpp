// Reader of FASTA files, with errors for letters that are no residue.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/structure/fasta.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <unordered_map>
#include <utility>

#include "core/lines.hpp"
#include "model/structure/gunzip.hpp"
#include "model/structure/residue_kind.hpp"
#include "model/structure/tally.hpp"

namespace nfold::structure {
namespace {

constexpr std::array<std::pair<char, std::string_view>, 20> residue_codes{
    {{'A', "ALA"}, {'R', "ARG"}, {'N', "ASN"}, {'D', "ASP"}, {'C', "CYS"},
     {'Q', "GLN"}, {'E', "GLU"}, {'G', "GLY"}, {'H', "HIS"}, {'I', "ILE"},
     {'L', "LEU"}, {'K', "LYS"}, {'M', "MET"}, {'F', "PHE"}, {'P', "PRO"},
     {'S', "SER"}, {'T', "THR"}, {'W', "TRP"}, {'Y', "TYR"}, {'V', "VAL"}}};

constexpr bool is_residue_code(char code) {
  return std::any_of(residue_codes.begin(), residue_codes.end(),
                     [code](const auto& known) { return known.first == code; });
}

char upper(char letter) {
  return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
}

bool is_letter(char c) { return upper(c) >= 'A' && upper(c) <= 'Z'; }

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string shown(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte > 0x20 && byte < 0x7F ? fmt::format("'{}'", c) : fmt::format("byte 0x{:02x}", byte);
}

std::string advice(char letter) {
  switch (upper(letter)) {
    case 'X':
      return "X is an unknown residue: put in one of the 20 codes ACDEFGHIKLMNPQRSTVWY";
    case 'U':
    case 'O':
    case 'B':
    case 'Z':
    case 'J':
      return "put in the nearest of ACDEFGHIKLMNPQRSTVWY, or the name of a bead of the force field "
             "in "
             "brackets, as in [SEP]";
    case '-':
    case '.':
      return "a gap of an alignment, or a letter of a secondary structure: take it out";
    case '/':
      return "a chain break of PIR's format: give each chain a record of its own";
    default:
      return "expected one of ACDEFGHIKLMNPQRSTVWY";
  }
}

constexpr std::size_t longest_bracket_name = 7;  // topology::ResidueName takes no more

/// Returns the letters of a name that stands in brackets at the start; empty if it is none.
std::string_view name_in_brackets(std::string_view text) {
  const std::size_t end = text.find(']');
  if (text.empty() || text[0] != '[' || end == std::string_view::npos) return {};
  const std::string_view name = text.substr(1, end - 1);
  const bool is_name =
      !name.empty() && name.size() <= longest_bracket_name && std::ranges::all_of(name, [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
               c == '_';
      });
  return is_name ? name : std::string_view{};
}

/// Returns the kind of a record from its PIR header; empty for a plain FASTA header.
std::string_view pir_kind(std::string_view header) {
  constexpr std::array<std::string_view, 9> kinds{"P1", "F1", "DL", "DC", "RL",
                                                  "RC", "N1", "N3", "XX"};
  const bool is_pir = header.size() > 2 && header[2] == ';' &&
                      std::find(kinds.begin(), kinds.end(), header.substr(0, 2)) != kinds.end();
  return is_pir ? header.substr(0, 2) : std::string_view{};
}

bool consists_of(std::string_view sequence, std::string_view letters) {
  return std::all_of(sequence.begin(), sequence.end(), [letters](char letter) {
    return letters.find(upper(letter)) != std::string_view::npos;
  });
}

/// True if the sequence consists of three-letter codes, "METGLNILE".
bool is_of_three_letter_codes(std::string_view sequence) {
  if (sequence.size() % 3 != 0) return false;
  std::string code(3, ' ');
  for (std::size_t i = 0; i < sequence.size(); i += 3) {
    std::transform(sequence.begin() + static_cast<std::ptrdiff_t>(i),
                   sequence.begin() + static_cast<std::ptrdiff_t>(i + 3), code.begin(), upper);
    if (std::none_of(residue_codes.begin(), residue_codes.end(),
                     [&](const auto& known) { return known.second == code; })) {
      return false;
    }
  }
  return true;
}

/// Notes sequences of other alphabets whose letters are residue codes too.
void note_other_alphabets(std::string_view sequence, std::vector<std::string>& notes) {
  constexpr std::size_t least = 10;  // shorter peptides may have few letters by chance
  if (sequence.size() < least) return;
  const auto has = [&](char letter) {
    return std::any_of(sequence.begin(), sequence.end(),
                       [letter](char one) { return upper(one) == letter; });
  };
  const auto note = [&](std::string_view letters, std::string_view alphabet) {
    notes.push_back(
        fmt::format("warning: the sequence consists of {} alone: is it {}? It counts as "
                    "a protein's residues",
                    letters, alphabet));
  };
  if (consists_of(sequence, "ACGTN")) {
    note("the letters A, C, G, T and N", "DNA");
  } else if (consists_of(sequence, "HECL") && has('H') && has('E')) {
    note("the letters H, E, C and L", "a secondary structure");
  } else if (consists_of(sequence, "HP") && has('H') && has('P')) {
    note("the letters H and P", "a sequence of the HP model");
  } else if (is_of_three_letter_codes(sequence)) {
    note("the three-letter codes of residues", "a sequence to be written in one-letter codes");
  }
}

/// Notes lower case, which marks modified or masked residues in many files, unless all letters have
/// it.
void note_lower_case(std::string_view sequence, std::vector<std::string>& notes) {
  Tally lower;
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    if (sequence[i] != upper(sequence[i])) lower.add(fmt::format("{}{}", sequence[i], i + 1));
  }
  const auto count = static_cast<std::size_t>(lower.count());
  if (count == 0 || count == sequence.size()) return;
  notes.push_back(fmt::format(
      "warning: {} of {} letters are in lower case ({}), which may mark modified residues: they "
      "count as the plain ones, without a charge of their own",
      count, sequence.size(), lower.examples()));
}

class FastaReader {
 public:
  FastaReader(const std::string& name, Alphabet alphabet) : name_(name), alphabet_(alphabet) {}

  std::vector<FastaRecord> read(std::string_view text) {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    for (core::Lines lines(text); lines.next();) {
      line_ = lines.number();
      read_line(lines.line());
    }
    if (records_.empty()) {
      throw StructureError(fmt::format(
          "{}: no record; expected FASTA, a line '>name' and the sequence below it", name_));
    }
    check_last();
    return std::move(records_);
  }

 private:
  [[noreturn]] void refuse(std::size_t column, const std::string& what) const {
    throw StructureError(fmt::format("{}:{}:{}: {}", name_, line_, column + 1, what));
  }

  void read_line(std::string_view line) {
    if (line.starts_with(';')) return;
    if (is_title_) {
      is_title_ = false;
      return;
    }
    if (is_pir_ && ended_ && !line.starts_with('>')) return;  // references and comments of PIR
    if (line.starts_with('>')) {
      begin_record(line.substr(1));
      return;
    }
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (is_blank(line[i])) continue;
      if (line[i] == '[') {
        i += read_name(line.substr(i), i);
      } else {
        read_letter(line[i], i);
      }
    }
  }

  /// Reads a name in brackets and returns the number of characters behind '['.
  std::size_t read_name(std::string_view text, std::size_t column) {
    const std::string_view name = name_in_brackets(text);
    if (name.empty()) {
      refuse(column,
             fmt::format("'[' without a name; expected one of 1 to {} letters or digits, as "
                         "in [SEP]",
                         longest_bracket_name));
    }
    check_place('[', column);
    records_.back().sequence += text.substr(0, name.size() + 2);
    ++letters_;
    return name.size() + 1;
  }

  /// Throws StructureError where no letter may stand.
  void check_place(char letter, std::size_t column) const {
    if (records_.empty()) {
      refuse(column, fmt::format("{} before the first header; expected '>name'", shown(letter)));
    }
    if (ended_) refuse(column, "the sequence goes on after '*', which ends one");
    if (letters_ == longest_sequence) {
      refuse(column, fmt::format("record '{}' has more than {} residues, the most of one chain; is "
                                 "'>' missing before another protein? Larger systems are made of "
                                 "several chains",
                                 records_.back().name, longest_sequence));
    }
  }

  void read_letter(char letter, std::size_t column) {
    if (letter == '*' && !records_.empty() && !ended_) {
      ended_ = true;
      return;
    }
    const bool is_of_alphabet =
        alphabet_ == Alphabet::protein ? is_residue_code(upper(letter)) : is_letter(letter);
    if (!records_.empty() && !ended_ && !is_of_alphabet) {
      const std::string& sequence = records_.back().sequence;
      const bool is_rna = upper(letter) == 'U' && consists_of(sequence, "ACGN");
      refuse(
          column,
          fmt::format("{} stands for no residue of '{}'; {}", shown(letter), records_.back().name,
                      is_rna ? "is this RNA? Then give the species `kind: rna`" : advice(letter)));
    }
    check_place(letter, column);
    records_.back().sequence += letter;
    ++letters_;
  }

  void begin_record(std::string_view header) {
    check_last();
    while (!header.empty() && is_blank(header.front())) header.remove_prefix(1);
    FastaRecord record;
    record.line = line_;
    const std::string_view kind = pir_kind(header);
    is_pir_ = is_title_ = !kind.empty();
    if (is_pir_ && kind != "P1" && kind != "F1") {
      refuse(1, fmt::format("a PIR record of the kind {}, which is no protein; expected P1 or F1",
                            kind));
    }
    if (is_pir_) header.remove_prefix(kind.size() + 1);
    record.name = std::string(header.substr(0, header.find_first_of(" \t\r")));
    if (const auto [line, is_new] = line_of_.try_emplace(record.name, line_); !is_new) {
      refuse(0, fmt::format("record '{}' for the second time; it stands in line {} already",
                            record.name, line->second));
    }
    records_.push_back(std::move(record));
    ended_ = false;
    letters_ = 0;
  }

  void check_last() const {
    if (records_.empty() || !records_.back().sequence.empty()) return;
    throw StructureError(
        fmt::format("{}:{}: record '{}' has no sequence; expected letters below it", name_,
                    records_.back().line, records_.back().name));
  }

  const std::string& name_;
  Alphabet alphabet_;
  int line_ = 0;
  std::size_t letters_ = 0;  ///< in the current record
  bool ended_ = false;
  bool is_pir_ = false;    ///< current record
  bool is_title_ = false;  ///< the next line is the title of a PIR record
  std::vector<FastaRecord> records_;
  std::unordered_map<std::string, int> line_of_;
};

}  // namespace

bool is_fasta_file(const std::filesystem::path& file) {
  constexpr std::array<std::string_view, 5> endings{".fasta", ".fa", ".fas", ".faa", ".seq"};
  auto name = file.filename();
  if (name.extension() == ".gz") name = name.stem();
  if (std::ranges::find(endings, name.extension().string()) != endings.end()) return true;
  return std::ifstream(file, std::ios::binary).get() == '>';
}

std::vector<FastaRecord> parse_fasta(std::string_view bytes, const std::string& name,
                                     Alphabet alphabet) {
  if (is_gzip(bytes)) return FastaReader(name, alphabet).read(gunzip(bytes, name));
  return FastaReader(name, alphabet).read(bytes);
}

const FastaRecord& find_record(const std::vector<FastaRecord>& records, const std::string& record,
                               const std::string& file) {
  if (record.empty() && records.size() == 1) return records.front();
  const auto found = std::find_if(records.begin(), records.end(), [&](const FastaRecord& one) {
    return one.name == record && !record.empty();
  });
  if (found != records.end()) return *found;
  const std::string names = list_record_names(records);
  if (record.empty()) {
    throw StructureError(
        fmt::format("{}: {} records; name one by `record`: {}", file, records.size(), names));
  }
  throw StructureError(fmt::format("{}: no record '{}'; it has {}", file, record, names));
}

std::string list_record_names(const std::vector<FastaRecord>& records) {
  constexpr std::size_t most_records = 5, longest_name = 40;
  std::string names;
  for (std::size_t i = 0; i < std::min(most_records, records.size()); ++i) {
    const std::string& name = records[i].name;
    names += i == 0 ? "" : ", ";
    names += name.size() <= longest_name ? name : name.substr(0, longest_name) + "...";
  }
  if (records.size() <= most_records) return names;
  return fmt::format("{} and {} more", names, records.size() - most_records);
}

std::string to_residue_name(char letter) {
  const char code = upper(letter);
  const auto* found = std::find_if(residue_codes.begin(), residue_codes.end(),
                                   [code](const auto& known) { return known.first == code; });
  return found == residue_codes.end() ? std::string() : std::string(found->second);
}

Structure make_sequence_structure(const std::string& name, std::string_view sequence,
                                  const std::string& kind) {
  constexpr double nowhere = std::numeric_limits<double>::quiet_NaN();
  if (sequence.empty()) {
    throw StructureError(fmt::format("{}: the sequence is empty; expected one-letter codes", name));
  }
  if (sequence.size() > longest_sequence) {
    throw StructureError(fmt::format(
        "{}: a sequence of {} residues; one chain has at most {}, larger systems are made of "
        "several",
        name, sequence.size(), longest_sequence));
  }
  const bool is_protein = kind == "protein";
  Structure structure;
  structure.name = name;
  structure.chains.push_back({"A", {}, false, kind});
  auto& residues = structure.chains.front().residues;
  residues.reserve(sequence.size());
  std::string letters;  // without names in brackets
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    Residue residue;
    residue.number = static_cast<int>(residues.size()) + 1;
    if (const auto in_brackets = name_in_brackets(sequence.substr(i)); !in_brackets.empty()) {
      residue.file_name = std::string(in_brackets);
      residue.is_named = true;
      const std::string parent =
          is_protein ? residue_kind(residue.file_name).parent : std::string();
      residue.name = parent.empty() || parent == "UNK" ? residue.file_name : parent;
      i += in_brackets.size() + 1;
    } else {
      residue.name = is_protein ? to_residue_name(sequence[i]) : std::string(1, sequence[i]);
      if (residue.name.empty() || !is_letter(sequence[i])) {
        throw StructureError(fmt::format("{}: {} at {} of the sequence stands for no residue; {}",
                                         name, shown(sequence[i]), residue.number,
                                         advice(sequence[i])));
      }
      letters += sequence[i];
    }
    residue.calpha_nm = {nowhere, nowhere, nowhere};
    residue.bonded_to_next = i + 1 < sequence.size();
    residues.push_back(std::move(residue));
  }
  if (is_protein) {
    note_lower_case(letters, structure.notes);
    note_other_alphabets(letters, structure.notes);
  }
  return structure;
}

}  // namespace nfold::structure
