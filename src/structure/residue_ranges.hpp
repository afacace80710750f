// The syntax of residue ranges, one for all keys: "A", "A:10-50", "A:10-50,60-72", "A:27A-30,B:5".
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

/// "27A", or "27" without a code.
[[nodiscard]] std::string to_text(const ResidueLabel& label);

/// A chain in which ranges are looked up; its residues have consecutive indices.
struct LabelledChain {
  std::string name;
  std::string file_name;  ///< name in the structure file, which is accepted too; may be empty
  int first = 0;          ///< index of its first residue
  int count = 0;
};

/// Residues that a text selects.
struct SelectedResidues {
  std::vector<int> indices;          ///< in the text's order of ranges, each in the file's order
  std::vector<std::string> missing;  ///< ranges that the structure has only in part, described
};

/// Looks texts up in the chains of a structure.
///
/// FIRST-LAST takes all residues from FIRST to LAST in the file's order, whatever their numbers
/// are; insertion codes count by their place in the file. "27A" is one residue, "27" the residue 27
/// without a code (or all of this number, if each has one), and a bound "27" includes all of its
/// number. A chain holds for the ranges behind it ("A:1-9,12,B:5"). Without a chain a text is the
/// name of one, or ranges of the only chain.
class ResidueFinder {
 public:
  using LabelOf = std::function<ResidueLabel(int index)>;

  /// `subject` names the key or list of the texts in errors.
  ResidueFinder(std::string subject, std::vector<LabelledChain> chains, LabelOf label_of);

  /// Throws StructureError for a text that cannot be understood, an unknown chain and a range
  /// without residues.
  [[nodiscard]] SelectedResidues find(const std::string& text) const;
  /// The same where every range must be there as a whole: StructureError otherwise, too.
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
