// Runs of residues with one letter in column 21, compared with their neighbours.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/structure/four_letter_names.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <utility>
#include <vector>

#include "model/structure/pdb_columns.hpp"
#include "model/structure/residue_kind.hpp"

namespace nfold::structure {
namespace {

/// Consecutive residues with the same columns 21 and 22.
struct Run {
  int part = 0;  ///< number of preceding TER records
  char letter = ' ', chain = ' ';
  int first_number = 0, last_number = 0;
  bool is_known = true;        ///< three_letters() knows every name
  bool is_amino_acids = true;  ///< the first three letters of every name are an amino acid's
  std::vector<std::pair<std::string, std::string>> names;  ///< columns 18 to 27, three letters
};

/// Returns the residue number, decimal or from the digits of hybrid-36: only differences matter.
int residue_number(std::string_view line) {
  const std::string_view field = trim(columns(line, 23, 26));
  const bool is_hybrid = !field.empty() && field[0] >= 'A' && field[0] <= 'Z';
  int number = 0;
  std::from_chars(field.data(), field.data() + field.size(), number, is_hybrid ? 36 : 10);
  return number;
}

bool goes_on(const Run& before, const Run& after) {
  return before.part == after.part && before.chain == after.chain &&
         std::abs(after.first_number - before.last_number) <= 1;
}

std::vector<Run> find_runs(std::string_view text) {
  std::vector<Run> runs;
  std::string_view residue;
  int part = 0;
  for (core::Lines lines(text); lines.next();) {
    const std::string_view line = lines.line();
    if (is_record(line, "TER")) ++part;
    if (!is_atom(line) || line.size() < 27 || columns(line, 18, 27) == residue) continue;
    residue = columns(line, 18, 27);
    const char letter = line[20], chain = line[21];
    if (runs.empty() || runs.back().part != part || runs.back().letter != letter ||
        runs.back().chain != chain) {
      runs.push_back({.part = part,
                      .letter = letter,
                      .chain = chain,
                      .first_number = residue_number(line),
                      .names = {}});
    }
    Run& run = runs.back();
    run.last_number = residue_number(line);
    if (letter == ' ') continue;
    const std::string known = three_letters(columns(line, 18, 21));
    const std::string before(columns(line, 18, 20));
    run.is_known &= !known.empty();
    run.is_amino_acids &= !known.empty() || !residue_kind(before).parent.empty();
    run.names.emplace_back(residue, known.empty() ? before : known);
  }
  return runs;
}

}  // namespace

FourLetterNames::FourLetterNames(std::string_view text) {
  const std::vector<Run> runs = find_runs(text);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Run& run = runs[i];
    if (run.letter == ' ' || !run.is_amino_acids) continue;
    const bool follows = i > 0 && goes_on(runs[i - 1], run);
    const bool leads = i + 1 < runs.size() && goes_on(run, runs[i + 1]);
    // An unknown letter must stand within a chain of three-letter names.
    const bool is_within =
        follows && leads && runs[i - 1].letter == ' ' && runs[i + 1].letter == ' ';
    if (!(run.is_known ? follows || leads : is_within)) continue;
    three_letters_.insert(run.names.begin(), run.names.end());
  }
}

std::string FourLetterNames::find_three_letters(std::string_view line) const {
  if (three_letters_.empty() || line.size() < 27 || line[20] == ' ') return {};
  const auto found = three_letters_.find(std::string(columns(line, 18, 27)));
  return found == three_letters_.end() ? std::string() : found->second;
}

}  // namespace nfold::structure
