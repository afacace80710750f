// Atom lines of one model of a PDB file, each checked before gemmi reads it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "model/structure/four_letter_names.hpp"
#include "model/structure/raw_residue.hpp"
#include "model/structure/tally.hpp"

namespace nfold::structure {

/// A stream in gemmi's sense that returns the ATOM, HETATM and TER lines of the selected model.
/// Throws StructureError at the first line that violates the format. gemmi itself converts a
/// garbled number to 0 and merges residues that occur twice.
class PdbLines {
 public:
  PdbLines(std::string_view text, std::string name, int model);

  /// Writes the next line, ended by a newline, into `line` (`size` bytes). Returns null at the end.
  char* gets(char* line, int size);
  int getc() { return -1; }  // gets never truncates a line, so there is no rest to skip

  [[nodiscard]] int model_count() const { return model_count_; }
  /// Sequences from SEQRES; available after the last line.
  [[nodiscard]] std::vector<DeclaredSequence> take_sequences() { return std::move(sequences_); }
  /// Statements of the header; available after the last line.
  [[nodiscard]] const PredictionRecord& prediction() const { return prediction_; }
  /// Notes on the file other than its atoms, a line each; available after the last line.
  [[nodiscard]] std::vector<std::string> notes() const;

 private:
  bool next_line(std::string_view& line);
  /// Tracks MODEL, ENDMDL and END. Returns true if the line belongs to the selected model.
  bool is_selected(std::string_view line);
  void read_header(std::string_view line);
  /// Counts atoms behind END, which are ignored.
  void read_rest();
  /// Returns the line with a four-letter name shortened to three and column 21 blank.
  std::string_view with_short_name(std::string_view line);
  void check_atom(std::string_view line);
  void check_residue(std::string_view line);
  [[noreturn]] void fail(const std::string& what) const;

  core::Lines lines_;
  std::string name_;
  int model_;
  int model_count_ = 0;     ///< models begun so far
  bool in_model_ = false;   ///< between a model's first line and its ENDMDL
  bool by_record_ = false;  ///< the model began with a MODEL record
  long model_line_ = 0;     ///< line where the model began
  int part_ = 0;            ///< TER records so far
  std::string residue_;     ///< chain, number, insertion code and part of the last residue
  std::unordered_set<std::string> seen_;
  FourLetterNames four_letter_names_;
  std::string renamed_;  ///< buffer of with_short_name()
  std::vector<DeclaredSequence> sequences_;
  PredictionRecord prediction_;
  Tally short_names_;
  int stated_models_ = 0;  ///< number in NUMMDL; 0: not stated
  long end_line_ = 0;      ///< line of END; 0: none
  long atoms_behind_end_ = 0;
};

}  // namespace nfold::structure
