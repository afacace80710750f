// Which chains and residues of a structure are wanted.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace nfold::structure {

/// "A", "A:10-50" or "A:10-50,60-72", parsed. Bounds are inclusive; "27A" means insertion code A.
class ChainSelection {
 public:
  /// Throws StructureError naming the text that cannot be understood.
  explicit ChainSelection(const std::vector<std::string>& selections);

  [[nodiscard]] bool all() const { return entries_.empty(); }
  [[nodiscard]] bool wants_chain(const std::string& chain) const;
  [[nodiscard]] bool wants(const std::string& chain, int number, char insertion_code) const;
  /// As written, for those that `wants_chain` would never meet.
  [[nodiscard]] std::vector<std::string> chain_names() const;

 private:
  struct Bound {
    int number = 0;
    char insertion_code = 0;  ///< 0: any
  };
  struct Entry {
    std::string chain;
    std::vector<std::pair<Bound, Bound>> ranges;  ///< empty: the whole chain
  };
  static std::pair<Bound, Bound> parse_range(const std::string& range, const std::string& whole);
  static Bound parse_bound(const std::string& text, const std::string& whole);

  std::vector<Entry> entries_;
};

}  // namespace nfold::structure
