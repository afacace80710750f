// Tells residue names of four letters (LYSH, NALA, GLYT) from names of three and chains of two.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

namespace nfold::structure {

/// Column 21 of a PDB line may hold the fourth letter of a residue's name or the first of a chain's
/// name. It belongs to the residue where it differs from that of the residue before or after, in
/// the same chain by column 22 and with the number before or after: a chain does not change there.
class FourLetterNames {
 public:
  /// Looks at all atom lines of the file.
  explicit FourLetterNames(std::string_view text);

  /// The three letters of the name of this atom line's residue if columns 18 to 21 are one name,
  /// else empty.
  [[nodiscard]] std::string three_letters_of(std::string_view line) const;

 private:
  std::unordered_map<std::string, std::string> three_letters_;  ///< by columns 18 to 27
};

}  // namespace nfold::structure
