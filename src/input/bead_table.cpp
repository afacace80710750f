// Reading of beads with what they inherit, and of groups.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/bead_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/nearest.hpp"
#include "system/pair_forms/pair_function.hpp"

namespace nfold::input {

using document::InputNode;
using document::NodeKind;
using document::printable;
using document::shown;

namespace {

constexpr std::size_t most_beads = 256;
constexpr int closeness_of_group = 1000, closeness_of_all = 2000;
constexpr std::string_view all_beads = "all";

/// Returns the range of a bead's number: that of the function that has a number of this name.
Range range_of(std::string_view name) {
  if (name == "mass_amu") return above(0, 1e6);
  if (name == "charge_e") return from(-10, 10);
  for (int kind = 0; kind <= static_cast<int>(pair_forms::FunctionKind::expression); ++kind) {
    const auto& entry = pair_forms::function_entry(static_cast<pair_forms::FunctionKind>(kind));
    for (const auto& number : entry.numbers) {
      if (number.name == name) return from(std::min(0.0, number.lowest), number.highest);
    }
  }
  return any_number;
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && !document::has_control(name) && name.find(' ') == std::string_view::npos;
}

}  // namespace

BeadTable::BeadTable(Numbers& numbers, const ForceFieldFile& file, bool has_spare_numbers)
    : numbers_(numbers), key_(file.beads_key()), has_spare_numbers_(has_spare_numbers) {
  const auto* const beads = document::find_entry(file.root(), "beads");
  if (beads == nullptr || beads->items.empty()) {
    const InputNode whole;
    numbers_.reader().complain(beads == nullptr ? whole : *beads, fmt::format("no {}", key_),
                               fmt::format("give `{}`", key_));
    return;
  }
  if (beads->kind != NodeKind::map) {
    numbers_.reader().complain(*beads, fmt::format("'{}' is {}", key_, shown(*beads)),
                               "it is a section: NAME: {mass_amu: ..., charge_e: ...}");
    return;
  }
  for (const bool is_hidden : {false, true}) {
    for (std::size_t i = 0; i < beads->items.size(); ++i) {
      const InputNode& name = beads->entry_names[i];
      if (name.text.ends_with(hidden_bead_mark) == is_hidden) read_bead(name, beads->items[i]);
    }
    if (!is_hidden) count_ = beads_.size();
  }
  if (count_ > most_beads) {
    numbers_.reader().complain(*beads, fmt::format("{} beads", count_),
                               fmt::format("at most {} are supported", most_beads));
    beads_.clear();
    count_ = 0;
    return;
  }
  link_beads();
  check_required();
  read_groups(file.root());
}

std::string BeadTable::path(const Bead& bead) const {
  const auto end = bead.name.find(hidden_bead_mark);
  return fmt::format("{}.{}", key_, printable(bead.name.substr(0, end)));
}

void BeadTable::read_bead(const InputNode& name, const InputNode& node) {
  Bead bead{name.text, &node, -1, {}};
  const bool is_hidden = name.text.ends_with(hidden_bead_mark);
  const bool is_name = is_hidden || (is_plain_name(name.text) && name.text != all_beads);
  if (node.kind != NodeKind::map || !is_name) {
    numbers_.reader().complain(name, path(bead) + " is " + shown(node),
                               is_name ? "write {mass_amu: ..., charge_e: ...}"
                                       : "a name has no blanks, and is not 'all'");
    return;
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const std::string& key = node.entry_names[i].text;
    if (key == "like") continue;
    bead.numbers.emplace(key, Number{&node.items[i]});
    if (std::ranges::find(number_names_, key) == number_names_.end()) number_names_.push_back(key);
  }
  beads_.push_back(std::move(bead));
}

std::optional<std::size_t> BeadTable::find(std::string_view name) const {
  const auto found = std::ranges::find(beads_, name, &Bead::name);
  if (found == beads_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - beads_.begin());
}

void BeadTable::link_beads() {
  for (auto& bead : beads_) {
    const auto* const like = document::find_entry(*bead.node, "like");
    if (like == nullptr) continue;
    const auto other = like->kind == NodeKind::scalar ? find(like->text) : std::nullopt;
    if (other) {
      bead.like = static_cast<int>(*other);
      continue;
    }
    std::vector<std::string_view> known;
    for (std::size_t k = 0; k < count_; ++k) known.push_back(beads_[k].name);
    numbers_.reader().complain(*like, fmt::format("{}.like = {}", path(bead), shown(*like)),
                               core::suggest_word(like->text, known, "name another bead"));
  }
  for (auto& bead : beads_) {
    // A chain without a cycle has fewer steps than there are beads.
    int at = bead.like;
    for (std::size_t steps = 0; at >= 0 && steps < beads_.size(); ++steps) {
      at = beads_[static_cast<std::size_t>(at)].like;
    }
    if (at < 0) continue;
    numbers_.reader().complain(*document::find_entry(*bead.node, "like"),
                               fmt::format("{} is like itself", path(bead)),
                               "one bead of the circle must have its own numbers");
    bead.like = -1;
  }
}

void BeadTable::check_required() {
  for (std::size_t bead = 0; bead < count_; ++bead) {
    for (const std::string_view key : {"mass_amu", "charge_e"}) {
      if (number(bead, key)) continue;
      if (beads_[bead].numbers.contains(key)) continue;  // reported
      numbers_.reader().complain_missing(*beads_[bead].node, key, path(beads_[bead]),
                                         describe(range_of(key)));
    }
  }
}

std::optional<double> BeadTable::number(std::size_t bead, std::string_view name) {
  if (!used_numbers_.contains(name)) used_numbers_.emplace(name);
  for (auto at = static_cast<int>(bead); at >= 0; at = beads_[static_cast<std::size_t>(at)].like) {
    Bead& owner = beads_[static_cast<std::size_t>(at)];
    const auto found = owner.numbers.find(name);
    if (found == owner.numbers.end()) continue;
    Number& own = found->second;
    if (own.state == Number::read) return own.value;
    if (own.state == Number::failed) return std::nullopt;
    const std::string full = path(owner) + "." + printable(std::string(name));
    if (own.state == Number::in_progress) {
      numbers_.reader().complain(*own.node, fmt::format("{} depends on itself", full),
                                 "take it out of its own expression");
      own.state = Number::failed;
      return std::nullopt;
    }
    own.state = Number::in_progress;
    const auto owner_index = static_cast<std::size_t>(at);
    const Scope names{[this, owner_index, name](std::string_view other) {
                        const bool is_same = other == name;
                        const int like = beads_[owner_index].like;
                        if (is_same && like < 0) return std::optional<double>();
                        return number(is_same ? static_cast<std::size_t>(like) : owner_index,
                                      other);
                      },
                      number_names_};
    const auto value = numbers_.number(*own.node, full, range_of(name), &names);
    own.state = value && own.state == Number::in_progress ? Number::read : Number::failed;
    own.value = value.value_or(0);
    return value;
  }
  return std::nullopt;
}

void BeadTable::complain_missing(std::size_t bead, std::string_view name,
                                 const std::string& reader) {
  if (!missing_.emplace(bead, name).second) return;
  for (auto at = static_cast<int>(bead); at >= 0; at = beads_[static_cast<std::size_t>(at)].like) {
    if (beads_[static_cast<std::size_t>(at)].numbers.contains(name)) return;  // reported
  }
  numbers_.reader().complain(*beads_[bead].node,
                             fmt::format("{} has no {}", path(beads_[bead]), name),
                             fmt::format("{} needs one", reader));
}

Scope BeadTable::scope(std::size_t bead) {
  return {[this, bead](std::string_view name) { return number(bead, name); }, number_names_};
}

Scope BeadTable::pair_scope(std::size_t first, std::size_t second) {
  Scope scope{[this, first, second](std::string_view name) -> std::optional<double> {
                if (name.ends_with("_1")) return number(first, name.substr(0, name.size() - 2));
                if (name.ends_with("_2")) return number(second, name.substr(0, name.size() - 2));
                return std::nullopt;
              },
              {}};
  for (const auto& name : number_names_) {
    scope.names.push_back(name + "_1");
    scope.names.push_back(name + "_2");
  }
  return scope;
}

Closeness BeadTable::closeness_to_bead(std::size_t target) const {
  Closeness closeness(count_, -1);
  for (std::size_t bead = 0; bead < count_; ++bead) {
    int steps = 0;
    for (auto at = static_cast<int>(bead); at >= 0;
         at = beads_[static_cast<std::size_t>(at)].like) {
      const std::string_view name = beads_[static_cast<std::size_t>(at)].name;
      if (name.substr(0, name.find(hidden_bead_mark)) == beads_[target].name) {
        closeness[bead] = steps;
        break;
      }
      ++steps;
    }
  }
  return closeness;
}

void BeadTable::read_groups(const InputNode& root) {
  const auto* const groups = numbers_.reader().find_section(root, "groups", "");
  if (groups == nullptr) return;
  for (std::size_t i = 0; i < groups->items.size(); ++i) {
    const InputNode& name = groups->entry_names[i];
    if (!is_plain_name(name.text) || name.text == all_beads || find(name.text)) {
      numbers_.reader().complain(name, fmt::format("a group '{}'", printable(name.text)),
                                 "a group has a name of its own, without blanks");
      continue;
    }
    groups_.emplace(name.text, Group{&groups->items[i], Group::unread, {}});
  }
  for (const auto& [name, unused] : groups_) (void)group(name);
}

const Closeness* BeadTable::group(const std::string& name) {
  Group& group = groups_.find(name)->second;
  if (group.state == Group::read) return &group.closeness;
  const std::string path = "groups." + name;
  if (group.state == Group::in_progress) {
    numbers_.reader().complain(*group.node, path + " contains itself", "take it out");
    return nullptr;
  }
  group.state = Group::in_progress;
  group.closeness.assign(count_, -1);
  if (group.node->kind != NodeKind::list || group.node->items.empty()) {
    numbers_.reader().complain(*group.node, fmt::format("{} = {}", path, shown(*group.node)),
                               "must be a list of beads or groups");
  }
  for (const InputNode& member : group.node->items) {
    const Closeness* const one = closeness(member, path);
    if (one == nullptr) continue;
    for (std::size_t bead = 0; bead < count_; ++bead) {
      if ((*one)[bead] < 0) continue;
      // A group of groups is as close as one of beads.
      const int steps = (*one)[bead] % closeness_of_group;
      int& mine = group.closeness[bead];
      mine = mine < 0 ? closeness_of_group + steps : std::min(mine, closeness_of_group + steps);
    }
  }
  group.state = Group::read;
  return &group.closeness;
}

const Closeness* BeadTable::closeness(const InputNode& name, const std::string& path) {
  if (name.kind == NodeKind::scalar) {
    const auto known = of_beads_.find(name.text);
    if (known != of_beads_.end()) return &known->second;
    if (name.text == all_beads) {
      return &(of_beads_[name.text] = Closeness(count_, closeness_of_all));
    }
    if (const auto bead = find(name.text); bead && *bead < count_) {
      return &(of_beads_[name.text] = closeness_to_bead(*bead));
    }
    if (groups_.contains(name.text)) return group(name.text);
  }
  std::vector<std::string_view> known{all_beads};
  for (std::size_t bead = 0; bead < count_; ++bead) known.push_back(beads_[bead].name);
  for (const auto& [group, unused] : groups_) known.push_back(group);
  numbers_.reader().complain(
      name, fmt::format("{}: no bead or group {}", path, shown(name)),
      core::suggest_word(name.text, known, fmt::format("add it to `{}` or `groups`", key_)));
  return nullptr;
}

std::vector<BeadType> BeadTable::types() {
  std::vector<BeadType> types;
  for (std::size_t bead = 0; bead < count_; ++bead) {
    BeadType type{name(bead), number(bead, "mass_amu").value_or(1),
                  number(bead, "charge_e").value_or(0), ""};
    if (const int like = beads_[bead].like; like >= 0) {
      const std::string& other = beads_[static_cast<std::size_t>(like)].name;
      if (!other.ends_with(hidden_bead_mark)) type.like = other;
    }
    types.push_back(std::move(type));
  }
  return types;
}

void BeadTable::complain_unused() {
  std::vector<std::string_view> known(used_numbers_.begin(), used_numbers_.end());
  known.emplace_back("like");
  for (const Bead& bead : beads_) {
    for (const auto& [key, number] : bead.numbers) {
      const bool is_spare = has_spare_numbers_ && (key == "sigma_nm" || key == "lambda");
      if (is_spare || used_numbers_.contains(key)) continue;
      const auto entry = number.node - bead.node->items.data();
      numbers_.reader().complain(
          bead.node->entry_names[static_cast<std::size_t>(entry)],
          fmt::format("unknown key '{}' in '{}'", printable(key), path(bead)),
          core::suggest_word(key, known,
                             fmt::format("no term reads it; it takes {}", fmt::join(known, ", "))));
    }
  }
}

}  // namespace nfold::input
