// Residue counts of polymer entities.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/structure/entity_sequences.hpp"

#include "core/text.hpp"
#include "model/structure/cif_values.hpp"
#include "model/structure/residue_kind.hpp"

namespace nfold::structure {

void EntitySequences::begin_loop() {
  columns_ = column_ = 0;
  entity_ = number_ = residue_ = -1;
}

void EntitySequences::tag(std::string_view tag) {
  const std::string name = core::to_lower(tag);
  if (name == "_entity_poly_seq.entity_id") entity_ = columns_;
  if (name == "_entity_poly_seq.num") number_ = columns_;
  if (name == "_entity_poly_seq.mon_id") residue_ = columns_;
  ++columns_;
}

void EntitySequences::value(std::string_view value) {
  if (entity_ < 0 || number_ < 0 || residue_ < 0) return;
  if (column_ == entity_) entity_text_ = unquoted(value);
  if (column_ == number_) number_text_ = unquoted(value);
  if (column_ == residue_) residue_text_ = unquoted(value);
  if (++column_ < columns_) return;
  column_ = 0;
  Sequence& sequence = sequences_[entity_text_];
  if (number_text_ == sequence.last_number) return;
  sequence.last_number = number_text_;
  sequence.residues += residue_kind(residue_text_).kind == ResidueKind::cap ? 0 : 1;
}

std::vector<DeclaredSequence> EntitySequences::chain_sequences(
    const std::map<std::string, std::string>& entities) const {
  std::vector<DeclaredSequence> stated;
  for (const auto& [chain, entity] : entities) {
    const auto found = sequences_.find(entity);
    if (found != sequences_.end()) stated.push_back({chain, found->second.residues});
  }
  return stated;
}

}  // namespace nfold::structure
