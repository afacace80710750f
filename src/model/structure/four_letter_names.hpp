// Distinction of four-letter residue names (LYSH) from three-letter names of two-letter chains.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

namespace nfold::structure {

/// Column 21 of a PDB line may contain the fourth letter of a residue's name or the first of a
/// chain's name. It belongs to the residue if it differs from that of an adjacent residue (same
/// column 22, number differing by one), because a chain does not change there.
class FourLetterNames {
 public:
  /// Reads all atom lines of the file.
  explicit FourLetterNames(std::string_view text);

  /// Returns the three-letter name of this atom line's residue if columns 18 to 21 are one name,
  /// else an empty text.
  [[nodiscard]] std::string find_three_letters(std::string_view line) const;

 private:
  std::unordered_map<std::string, std::string> three_letters_;  ///< key: columns 18 to 27
};

}  // namespace nfold::structure
