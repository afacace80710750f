// Sequence lengths of polymers in an mmCIF file, from its _entity_poly_seq loop.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/structure/raw_residue.hpp"

namespace nfold::structure {

class EntitySequences {
 public:
  void begin_loop();  ///< Call at each loop_ of the file. Forgets the columns of the last loop.
  void tag(std::string_view tag);  ///< Adds a column to the loop.
  /// Adds a value, with its quotes as in the file.
  void value(std::string_view value);

  /// Returns the sequence length of each chain with a known entity. entities: id by chain name.
  [[nodiscard]] std::vector<DeclaredSequence> chain_sequences(
      const std::map<std::string, std::string>& entities) const;

 private:
  struct Sequence {
    int residues = 0;
    std::string last_number;  ///< shared by alternative residues at one position
  };

  int columns_ = 0, column_ = 0;  ///< columns of the loop; column of the next value
  int entity_ = -1, number_ = -1, residue_ = -1;
  std::string entity_text_, number_text_, residue_text_;
  std::map<std::string, Sequence> sequences_;  ///< key: entity
};

}  // namespace nfold::structure
