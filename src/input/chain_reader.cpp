// Monomers, bonded terms, local pairs and exclusions of a chain kind.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/chain_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numbers>
#include <string_view>
#include <utility>

namespace nfold::input {

using document::InputNode;
using document::NodeKind;
using document::printable;
using document::shown;

namespace {

constexpr double highest_k = 1e7, longest_nm = 10, largest_mass_amu = 1000;
constexpr int farthest_monomer = 3, largest_separation = 1000;

int read_count(SectionKeys& section, Numbers& numbers, std::string_view key, int lowest,
               int otherwise) {
  const auto* const node = section.find(key);
  if (node == nullptr) return otherwise;
  const auto value = numbers.number(*node, section.path(key), from(lowest, largest_separation));
  const int whole = static_cast<int>(value.value_or(otherwise));
  if (value && *value != whole) {
    section.complain(*node, fmt::format("{} = {}", section.path(key), shown(*node)),
                     "must be a whole number");
  }
  return whole;
}

}  // namespace

void ChainReader::read(ChainKind& kind, const InputNode& node) {
  SectionKeys section(numbers_, node, "chains." + kind.name);
  if (node.kind != NodeKind::map) return;
  read_monomers(kind, section);
  const auto replace = [](auto& mine, auto read) {
    if (!read.empty()) mine = std::move(read);
  };
  replace(kind.bonds, read_terms(kind, section, "bonds", 2));
  replace(kind.angles, read_terms(kind, section, "angles", 3));
  replace(kind.dihedrals, read_terms(kind, section, "dihedrals", 4));
  read_local_pairs(kind, section);
  read_exclusions(kind, section);
  kind.has_charged_ends = section.flag("charged_ends", kind.has_charged_ends);
  kind.first_mass_amu =
      section.number("first_mass_amu", from(0, largest_mass_amu), kind.first_mass_amu);
  kind.last_mass_amu =
      section.number("last_mass_amu", from(0, largest_mass_amu), kind.last_mass_amu);
  kind.flexible_angles = section.flag("flexible_angles", kind.flexible_angles);
  if (const auto* const network = section.find("network")) {
    read_network(numbers_, kind.network, *network, section.path("network"));
  }
  section.finish();
}

void ChainReader::read_network(Numbers& numbers, Network& network, const InputNode& node,
                               const std::string& path) {
  SectionKeys section(numbers, node, path);
  if (node.kind != NodeKind::map) return;
  const auto read = [&](std::string_view key, const Range& range, double& value) {
    value = value > 0 ? section.number(key, range, value) : section.required_number(key, range);
  };
  read("k_kj_mol_nm2", above(0, 1e6), network.k_kj_mol_nm2);
  read("cutoff_nm", above(0, longest_nm), network.cutoff_nm);
  network.min_separation =
      read_count(section, numbers, "min_separation", 1, network.min_separation);
  network.excludes_pairs = section.flag("excluded", network.excludes_pairs);
  section.finish();
}

int ChainReader::bead_type(const InputNode& name, const std::string& path) {
  const auto bead = name.kind == NodeKind::scalar ? beads_.find(name.text) : std::nullopt;
  if (bead && *bead < beads_.size()) return static_cast<int>(*bead);
  std::vector<std::string_view> known;
  for (std::size_t k = 0; k < beads_.size(); ++k) known.push_back(beads_.name(k));
  numbers_.reader().complain(name, fmt::format("{}: no bead {}", path, shown(name)),
                             nearest_remedy(name.text, known));
  return 0;
}

void ChainReader::read_monomers(ChainKind& kind, SectionKeys& section) {
  const auto* const monomer = section.find("monomer");
  if (monomer != nullptr) kind.roles = section.texts("monomer");
  const auto* const letters = section.find("letters");
  if (monomer != nullptr && (kind.roles.empty() || kind.roles.size() > 8)) {
    section.complain(*monomer, section.path("monomer") + " = " + shown(*monomer),
                     "must be a list of 1 to 8 beads");
    kind.roles = {"bead"};
  }
  for (const auto& role : kind.roles) {
    if (monomer == nullptr || std::ranges::count(kind.roles, role) == 1) continue;
    section.complain(*monomer, fmt::format("{} has {} twice", section.path("monomer"), role),
                     "give each bead a name of its own, and the beads in `letters`");
    break;
  }
  if (letters == nullptr) {
    if (monomer == nullptr) return;
    Monomer any;
    const bool is_list = monomer->kind == NodeKind::list;
    for (std::size_t k = 0; k < kind.roles.size(); ++k) {
      any.types.push_back(
          bead_type(is_list && k < monomer->items.size() ? monomer->items[k] : *monomer,
                    section.path("monomer")));
    }
    kind.monomers = {std::move(any)};
    return;
  }
  if (letters->kind != NodeKind::map || letters->items.empty()) {
    section.complain(*letters, fmt::format("{} = {}", section.path("letters"), shown(*letters)),
                     "must be {A: BEAD, ...}");
    return;
  }
  kind.monomers.clear();
  for (std::size_t i = 0; i < letters->items.size(); ++i) {
    const InputNode &name = letters->entry_names[i], &value = letters->items[i];
    const std::string path = section.path("letters") + "." + printable(name.text);
    Monomer one{name.text, {}};
    if (value.kind == NodeKind::list) {
      for (const InputNode& bead : value.items) one.types.push_back(bead_type(bead, path));
    } else {
      one.types.push_back(bead_type(value, path));
    }
    if (one.types.size() != kind.roles.size() || name.text.empty()) {
      section.complain(
          value,
          fmt::format("{} has {} bead{}", path, one.types.size(), one.types.size() == 1 ? "" : "s"),
          fmt::format("a monomer of this kind has {}: {}", kind.roles.size(),
                      fmt::join(kind.roles, ", ")));
    }
    kind.monomers.push_back(std::move(one));
  }
}

bool ChainReader::read_beads(const ChainKind& kind, SectionKeys& section, std::size_t count,
                             std::vector<int>& beads, std::vector<int>& monomers) {
  const auto* const list = section.find("beads");
  if (list == nullptr && kind.roles.size() == 1) {
    for (std::size_t k = 0; k < count; ++k) {
      beads.push_back(0);
      monomers.push_back(static_cast<int>(k));
    }
    return true;
  }
  if (list == nullptr || list->kind != NodeKind::list || list->items.size() != count) {
    section.complain(list == nullptr ? section.node() : *list,
                     list == nullptr ? fmt::format("{} has no beads", section.path())
                                     : fmt::format("{} = {}", section.path("beads"), shown(*list)),
                     fmt::format("must be a list of {}, such as [{}, next {}]", count,
                                 kind.roles.front(), kind.roles.front()));
    return false;
  }
  for (const InputNode& item : list->items) {
    constexpr std::string_view next = "next ";
    std::string_view name = item.text;
    int offset = 0;
    while (name.starts_with(next)) {
      name.remove_prefix(next.size());
      ++offset;
    }
    const auto role = std::ranges::find(kind.roles, name) - kind.roles.begin();
    const bool is_known = static_cast<std::size_t>(role) < kind.roles.size();
    if (!is_known || offset > farthest_monomer) {
      const std::vector<std::string_view> known(kind.roles.begin(), kind.roles.end());
      section.complain(
          item, fmt::format("{}: no bead {}", section.path("beads"), shown(item)),
          is_known ? std::string("at most three times 'next'") : nearest_remedy(name, known));
      return false;
    }
    const auto is_same = [&](std::size_t k) {
      return beads[k] == static_cast<int>(role) && monomers[k] == offset;
    };
    for (std::size_t k = 0; k < beads.size(); ++k) {
      if (!is_same(k)) continue;
      section.complain(item, fmt::format("{} has {} twice", section.path("beads"), shown(item)),
                       "write 'next' before the bead of the next monomer");
      return false;
    }
    beads.push_back(static_cast<int>(role));
    monomers.push_back(offset);
  }
  return true;
}

bool ChainReader::read_or_structure(SectionKeys& section, std::string_view key, const Range& range,
                                    double& value) {
  const auto* const node = section.require(key, describe(range) + ", or structure");
  if (node == nullptr) return false;
  if (node->kind == NodeKind::scalar && node->text == "structure") return true;
  value = numbers_.number(*node, section.path(key), range).value_or(value);
  return false;
}

std::vector<ChainTerm> ChainReader::read_terms(const ChainKind& kind, SectionKeys& section,
                                               std::string_view key, std::size_t beads) {
  std::vector<ChainTerm> terms;
  const auto entries = section.entries(key, NodeKind::list);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    SectionKeys one(numbers_, *entries[i], fmt::format("{}[{}]", section.path(key), i));
    if (entries[i]->kind != NodeKind::map) continue;
    ChainTerm term;
    const bool is_complete = read_beads(kind, one, beads, term.beads, term.monomers);
    if (beads == 2) {
      term.from_structure =
          read_or_structure(one, "length_nm", above(0, longest_nm), term.length_nm);
      term.k = one.required_number("k_kj_mol_nm2", above(0, highest_k));
    } else {
      constexpr double half_turn = 180;
      if (one.find("theta0_rad") != nullptr) {
        term.from_structure = read_or_structure(
            one, "theta0_rad", from(-std::numbers::pi, std::numbers::pi), term.theta0_rad);
      } else {
        double degrees = 0;
        term.from_structure =
            read_or_structure(one, "degrees", from(-half_turn, half_turn), degrees);
        term.theta0_rad = degrees * (std::numbers::pi / half_turn);
      }
      if (beads == 3) {
        term.k = one.required_number("k_kj_mol_rad2", above(0, highest_k));
      } else {
        term.k1_kj_mol = one.number("k1_kj_mol", from(0, highest_k));
        term.k3_kj_mol = one.number("k3_kj_mol", from(0, highest_k));
      }
    }
    one.finish();
    if (is_complete) terms.push_back(std::move(term));
  }
  return terms;
}

void ChainReader::read_local_pairs(ChainKind& kind, SectionKeys& section) {
  const auto entries = section.entries("local_pairs", NodeKind::list);
  if (!entries.empty()) kind.local_pairs.clear();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    SectionKeys one(numbers_, *entries[i], fmt::format("{}[{}]", section.path("local_pairs"), i));
    if (entries[i]->kind != NodeKind::map) continue;
    LocalPairTerm term;
    const bool is_complete = read_beads(kind, one, 2, term.beads, term.monomers);
    term.sigma_from_structure =
        read_or_structure(one, "sigma_nm", above(0, longest_nm), term.sigma_nm);
    term.factor = one.number("factor", from(0, 1e6), 1);
    term.shift_cutoff_nm = one.number("shift_cutoff_nm", from(0, longest_nm));
    if (const auto* const name = one.require("term", "the name of an Ashbaugh-Hatch term")) {
      const auto found = std::ranges::find(terms_, name->text, &PairTerm::name);
      if (found == terms_.end() || found->kind != pair_forms::FunctionKind::ashbaugh_hatch) {
        std::vector<std::string_view> known;
        for (const auto& pair_term : terms_) known.push_back(pair_term.name);
        one.complain(*name, fmt::format("{} = {}", one.path("term"), shown(*name)),
                     found == terms_.end() ? nearest_remedy(name->text, known)
                                           : "must be a term of the form ashbaugh-hatch");
      }
      term.term = static_cast<int>(found - terms_.begin());
    }
    one.finish();
    if (is_complete) kind.local_pairs.push_back(std::move(term));
  }
}

void ChainReader::read_exclusions(ChainKind& kind, SectionKeys& section) {
  if (const auto* const list = section.find("excluded")) {
    auto& excluded = kind.excluded;
    excluded.bonds = excluded.angle_ends = excluded.local_pairs = false;
    excluded.native = NativePairs::all;
    for (const auto& name : section.texts("excluded")) {
      if (name == "bonds") {
        excluded.bonds = true;
      } else if (name == "angle_ends") {
        excluded.angle_ends = true;
      } else if (name == "local_pairs") {
        excluded.local_pairs = true;
      } else if (name == "native") {
        excluded.native = NativePairs::none;
      } else if (name == "native but charges") {
        excluded.native = NativePairs::charges;
      } else {
        section.complain(*list, fmt::format("{} has {}", section.path("excluded"), printable(name)),
                         nearest_remedy(name, {"bonds", "angle_ends", "local_pairs", "native",
                                               "native but charges"}));
      }
    }
  }
  kind.excluded.separation_below =
      read_count(section, numbers_, "separation_below", 0, kind.excluded.separation_below);
}

}  // namespace nfold::input
