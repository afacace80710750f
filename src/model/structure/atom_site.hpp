// Loop _atom_site of an mmCIF file, processed row by row.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "model/structure/raw_residue.hpp"

namespace nfold::structure {

/// Collector of the selected model's atoms. The values passed in must outlive their row: a row is
/// kept as views into the file's text until it is complete; the whole table is never stored.
class AtomSite {
 public:
  AtomSite(std::string name, int chosen_model);

  void begin_block();
  void begin_loop();
  void tag(std::string_view tag, long line);
  /// Adds a value, with its quotes as in the file.
  void value(std::string_view value, long line);
  /// Ends the loop that began at `line`. Throws if its last row is incomplete.
  void end_loop(long line);
  void pair_tag(std::string_view tag, long line);

  /// Returns the residues. Throws if there was no usable loop.
  [[nodiscard]] RawStructure finish();
  /// Entity of each chain's amino acids, by the chain's name; the first if a chain has several.
  [[nodiscard]] const std::map<std::string, std::string>& entities() const { return entities_; }

 private:
  // Items that are used; if both names of an item are present, the first counts.
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
    b_factor,
    label_number,
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
  long line_ = 0;  ///< line of the current row
  long rows_ = 0;
  std::string model_name_;
  std::unordered_map<std::string, int> models_;
  std::string residue_key_;
  bool is_amino_acid_ = false;  ///< the current residue
  std::unordered_map<std::string, int> molecules_;
  std::unordered_set<std::string> seen_;
  std::map<std::string, std::string> entities_;
  RawStructure raw_;
};

}  // namespace nfold::structure
