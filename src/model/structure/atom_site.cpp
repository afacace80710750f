// Checks and collection of the rows of _atom_site.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/structure/atom_site.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/text.hpp"
#include "model/structure/cif_values.hpp"
#include "model/structure/residue_kind.hpp"

namespace nfold::structure {
namespace {

constexpr std::string_view category = "_atom_site.";

}  // namespace

AtomSite::AtomSite(std::string name, int chosen_model)
    : name_(std::move(name)), model_(chosen_model) {}

void AtomSite::fail(const std::string& what) const { fail_at(name_, line_, what); }

void AtomSite::begin_block() {
  if (rows_ > 0) done_ = true;  // the first block with coordinates is the structure
}

void AtomSite::begin_loop() {
  tags_.clear();
  values_.clear();
  in_atom_site_ = rows_begun_ = false;
}

void AtomSite::tag(std::string_view tag, long line) {
  tags_.push_back(core::to_lower(tag));
  if (tags_.size() == 1 && !done_ && tags_[0].starts_with(category)) {
    line_ = line;
    if (rows_ > 0) fail("a second _atom_site loop; expected one: join them or remove one");
    in_atom_site_ = true;
  }
}

void AtomSite::pair_tag(std::string_view tag, long line) {
  if (done_ || !core::to_lower(tag).starts_with(category)) return;
  line_ = line;
  fail(
      "_atom_site is not in a loop, so it holds at most one atom; expected loop_ with a row an "
      "atom");
}

void AtomSite::begin_rows(long line) {
  rows_begun_ = true;
  line_ = line;
  struct Wanted {
    Item item;
    std::array<std::string_view, 2> names;
    bool required;
  };
  constexpr std::array<Wanted, item_count> wanted{
      {{group, {"group_pdb", ""}, false},
       {element, {"type_symbol", ""}, false},
       {atom, {"label_atom_id", "auth_atom_id"}, true},
       {residue, {"label_comp_id", "auth_comp_id"}, true},
       {chain, {"auth_asym_id", "label_asym_id"}, true},
       {number, {"auth_seq_id", "label_seq_id"}, true},
       {insertion, {"pdbx_pdb_ins_code", ""}, false},
       {alternate, {"label_alt_id", ""}, false},
       {x, {"cartn_x", ""}, true},
       {y, {"cartn_y", ""}, true},
       {z, {"cartn_z", ""}, true},
       {occupancy, {"occupancy", ""}, false},
       {model, {"pdbx_pdb_model_num", ""}, false},
       {molecule, {"label_asym_id", ""}, false},
       {entity, {"label_entity_id", ""}, false},
       {b_factor, {"b_iso_or_equiv", ""}, false},
       {label_number, {"label_seq_id", ""}, false}}};
  for (const auto& [item, names, required] : wanted) {
    column_[item] = -1;
    for (const auto name : names) {
      const auto found =
          std::find(tags_.begin(), tags_.end(), std::string(category) + std::string(name));
      if (!name.empty() && found != tags_.end() && column_[item] < 0) {
        column_[item] = static_cast<int>(found - tags_.begin());
      }
    }
    if (required && column_[item] < 0) {
      fail(
          fmt::format("the loop of atoms has no _atom_site.{}; nfold needs it: add the column, or "
                      "write the file anew as mmCIF",
                      names[0]));
    }
  }
}

void AtomSite::value(std::string_view value, long line) {
  if (!in_atom_site_ || done_) return;
  if (!rows_begun_) begin_rows(line);
  if (values_.empty()) line_ = line;
  values_.push_back(value);
  if (values_.size() < tags_.size()) return;
  row();
  ++rows_;
  values_.clear();
}

void AtomSite::end_loop(long line) {
  if (!in_atom_site_ || done_ || values_.empty()) return;
  line_ = std::max(line, line_);
  fail(
      fmt::format("the last atom has {} values, expected {}; the file is cut off, copy or download "
                  "it again",
                  values_.size(), tags_.size()));
}

std::string_view AtomSite::text(Item item) const {
  const int column = column_[item];
  return column < 0 ? std::string_view{} : unquoted(values_[static_cast<std::size_t>(column)]);
}

bool AtomSite::in_chosen_model() {
  const std::string_view name = text(model);
  if (models_.empty() || name != model_name_) {
    int number_of_model = 0;
    if (!name.empty() && !parse_integer(name, number_of_model)) {
      fail(fmt::format("model number {}, expected an integer; a value may be missing in this row",
                       in_quotes(name)));
    }
    model_name_ = name;
    const auto [entry, fresh] = models_.emplace(model_name_, static_cast<int>(models_.size()) + 1);
    raw_.model_count = static_cast<int>(models_.size());
    return entry->second == model_;
  }
  return models_.at(model_name_) == model_;
}

double AtomSite::coordinate(Item item, char axis) const {
  std::string_view field = text(item);
  field = field.substr(0, field.find('('));  // removes the standard uncertainty: 12.345(6)
  double value = 0;
  if (!parse_number(field, value)) {
    fail(fmt::format("Cartn_{} is {}, expected a number of angstrom; correct or remove this atom",
                     axis, in_quotes(values_[static_cast<std::size_t>(column_[item])])));
  }
  value *= angstrom_nm;
  if (std::abs(value) > largest_coordinate_nm) {
    fail(fmt::format("Cartn_{} is {}, beyond 100000 nm; check the unit (angstrom)", axis,
                     in_quotes(field)));
  }
  return value;
}

void AtomSite::begin_residue(std::string_view residue_name, int residue_number,
                             char insertion_code) {
  const auto molecule_id =
      molecules_.emplace(std::string(text(molecule)), static_cast<int>(molecules_.size()))
          .first->second;
  std::string place =
      fmt::format("{}\t{}{}\t{}", text(chain), residue_number, insertion_code, molecule_id);
  std::string key = fmt::format("{}\t{}", place, residue_name);
  if (key == residue_key_) return;
  const bool is_same_residue = residue_key_.starts_with(place + "\t");
  residue_key_ = std::move(key);
  RawResidue fresh;
  fresh.chain = text(chain);
  fresh.name = residue_name;
  fresh.number = residue_number;
  fresh.insertion_code = insertion_code;
  fresh.hetero = text(group) == "HETATM";
  fresh.part = molecule_id;
  fresh.label_chain = text(molecule);
  (void)parse_integer(text(label_number), fresh.label_number);
  fresh.line = line_;
  is_amino_acid_ = !residue_kind(fresh.name).parent.empty();
  if (is_amino_acid_ && !fresh.hetero) entities_.emplace(fresh.chain, text(entity));
  if (is_amino_acid_ && !fresh.hetero && !is_same_residue &&
      !seen_.insert(std::move(place)).second) {
    fail(
        fmt::format("residue {} comes a second time, after others; expected each residue once, "
                    "its atoms together: renumber it",
                    describe_residue(fresh)));
  }
  raw_.residues.push_back(std::move(fresh));
}

void AtomSite::row() {
  if (!in_chosen_model()) return;
  RawAtom fresh;
  fresh.position_nm = {coordinate(x, 'x'), coordinate(y, 'y'), coordinate(z, 'z')};
  fresh.name = text(atom);
  const std::string_view residue_name = text(residue);
  if (fresh.name.empty() || residue_name.empty() || text(chain).empty()) {
    fail("an atom without its own name, residue name or chain name; expected all three");
  }
  int residue_number = 0;
  // Waters have no number in the label scheme; protein residues must have one.
  if (!text(number).empty() && !parse_integer(text(number), residue_number)) {
    fail(fmt::format("residue number {}, expected an integer", in_quotes(text(number))));
  }
  if (text(number).empty() && !residue_kind(std::string(residue_name)).parent.empty()) {
    fail(fmt::format("residue {} of chain {} has no number (auth_seq_id); expected an integer",
                     residue_name, text(chain)));
  }
  double occupied = 1;
  if (!text(occupancy).empty() &&
      !parse_number(text(occupancy).substr(0, text(occupancy).find('(')), occupied)) {
    fail(fmt::format("occupancy {}, expected a number", in_quotes(text(occupancy))));
  }
  fresh.occupancy = static_cast<float>(occupied);
  if (!text(alternate).empty()) fresh.alternate = text(alternate)[0];
  begin_residue(residue_name, residue_number, text(insertion).empty() ? ' ' : text(insertion)[0]);
  double b = 0;
  const bool has_b_factor = parse_number(text(b_factor).substr(0, text(b_factor).find('(')), b);
  raw_.residues.back().b_factors.add(has_b_factor ? b : std::numeric_limits<double>::quiet_NaN());
  fresh.name = heavy_atom_name(is_amino_acid_, fresh.name, text(element));
  if (!fresh.name.empty()) raw_.residues.back().atoms.push_back(std::move(fresh));
}

RawStructure AtomSite::finish() {
  if (rows_ == 0) {
    throw StructureError(
        fmt::format("{}: mmCIF without atoms (no _atom_site loop with rows); expected a file of "
                    "coordinates: is "
                    "it a file of reflections, a dictionary or a chemical component?",
                    name_));
  }
  return std::move(raw_);
}

}  // namespace nfold::structure
