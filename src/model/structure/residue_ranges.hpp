// Syntax of residue ranges for all keys: "A", "A:10-50", "A:10-50,60-72", "A:27A-30,B:5".
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace nfold::structure {

/// Number and insertion code of a residue in its structure file.
struct ResidueLabel {
  int number = 0;
  char insertion_code = ' ';
  [[nodiscard]] bool operator==(const ResidueLabel&) const = default;
};

/// Returns "27A", or "27" without a code.
[[nodiscard]] std::string to_text(const ResidueLabel& label);

/// A chain that is searched for ranges; its residues have consecutive indices.
struct LabelledChain {
  std::string name;
  std::string file_name;  ///< alternative name, from the structure file; may be empty
  int first = 0;          ///< index of its first residue
  int count = 0;
};

/// Residues selected by a text.
struct SelectedResidues {
  std::vector<int> indices;          ///< order of the text's ranges, each in the file's order
  std::vector<std::string> missing;  ///< descriptions of ranges that the structure has only in part
};

/// Search for residues by text in the chains of a structure.
///
/// FIRST-LAST selects all residues from FIRST to LAST in the file's order, whatever their numbers;
/// insertion codes follow the order of the file. "27A" is one residue, "27" the residue 27 without
/// a code (or all of this number, if each has one), and a bound "27" includes all of its number.
/// A chain applies to the following ranges too ("A:1-9,12,B:5"). A text without a chain is the name
/// of a chain, or ranges of the only chain.
class ResidueFinder {
 public:
  using LabelOf = std::function<ResidueLabel(int index)>;

  /// `subject` names the key or list of the texts in errors.
  ResidueFinder(std::string subject, std::vector<LabelledChain> chains, LabelOf label_of);

  /// Finds residues. Throws StructureError for a text that cannot be parsed, an unknown chain and a
  /// range without residues.
  [[nodiscard]] SelectedResidues find(const std::string& text) const;
  /// Finds residues like find(). Throws StructureError also if a range is present only in part.
  [[nodiscard]] std::vector<int> find_whole(const std::string& text) const;

 private:
  struct Range;
  struct Found {
    std::vector<int> indices;
    bool is_complete = true;  ///< both ends of the range are residues of the chain
  };

  [[nodiscard]] std::vector<const LabelledChain*> chains_called(std::string_view name) const;
  void add_range(std::string_view chain, const Range& range, SelectedResidues& selected) const;
  [[nodiscard]] Found single_in(const LabelledChain& chain, const Range& range) const;
  [[nodiscard]] Found range_in(const LabelledChain& chain, const Range& range) const;
  [[nodiscard]] std::string chain_names() const;
  [[noreturn]] void fail(const std::string& whole, const std::string& what) const;

  std::string subject_;
  std::vector<LabelledChain> chains_;
  LabelOf label_of_;
};

}  // namespace nfold::structure
