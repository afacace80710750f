// The _atom_site loop of an mmCIF file, row by row as the parser meets it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "structure/raw_residue.hpp"

namespace nfold::structure {

/// Collects the chosen model's atoms. The values passed in must outlive the object's use of them:
/// a row is kept as views into the file's text until it is complete, never the whole table.
class AtomSite {
 public:
  AtomSite(std::string name, int chosen_model);

  void begin_block();
  void begin_loop();
  void tag(std::string_view tag, long line);
  /// `value` with its quotes as they stand in the file.
  void value(std::string_view value, long line);
  /// `line` is where the loop began. Throws if its last row is not complete.
  void end_loop(long line);
  void pair_tag(std::string_view tag, long line);

  /// Throws if there was no usable loop.
  [[nodiscard]] RawStructure finish();
  /// Entity of each chain's amino acids, by the chain's name; a chain of several has the first.
  [[nodiscard]] const std::map<std::string, std::string>& entities() const { return entities_; }

 private:
  // Items that are used; the first of two names that is present counts.
  enum Item {
    group,
    element,
    atom,
    residue,
    chain,
    number,
    insertion,
    alternate,
    x,
    y,
    z,
    occupancy,
    model,
    molecule,
    entity,
    item_count
  };
  void begin_rows(long line);
  void row();
  [[nodiscard]] std::string_view text(Item item) const;  ///< empty if absent, '.' or '?'
  [[nodiscard]] bool in_chosen_model();
  [[nodiscard]] double coordinate(Item item, char axis) const;
  void begin_residue(std::string_view residue_name, int residue_number, char insertion_code);
  [[noreturn]] void fail(const std::string& what) const;

  std::string name_;
  int model_;
  std::vector<std::string> tags_;
  std::vector<std::string_view> values_;
  std::array<int, item_count> column_{};
  bool in_atom_site_ = false, rows_begun_ = false, done_ = false;
  long line_ = 0;  ///< of the row being read
  long rows_ = 0;
  std::string model_name_;
  std::unordered_map<std::string, int> models_;
  std::string residue_key_;
  bool is_amino_acid_ = false;  ///< the residue being read
  std::unordered_map<std::string, int> molecules_;
  std::unordered_set<std::string> seen_;
  std::map<std::string, std::string> entities_;
  RawStructure raw_;
};

}  // namespace nfold::structure
