// Keys of a pair term, and the numbers of each pair by mixing, rows, addends and overrides.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/pair_term_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "core/document/scalars.hpp"

namespace nfold::input {

using document::InputNode;
using document::NodeKind;
using document::printable;
using document::shown;
using pair_forms::CutoffForm;
using pair_forms::FunctionKind;
using pair_forms::PairFunction;

namespace {

constexpr double largest_factor = 1000;
constexpr std::string_view state_names[] = {"disordered-disordered", "folded-disordered",
                                            "folded-folded"};

std::vector<std::string_view> kind_names() {
  std::vector<std::string_view> names;
  for (int k = 0; k <= static_cast<int>(FunctionKind::expression); ++k) {
    names.push_back(pair_forms::function_entry(static_cast<FunctionKind>(k)).name);
  }
  return names;
}

}  // namespace

std::vector<std::string_view> PairTermDraft::number_names() const {
  if (kind == FunctionKind::expression) {
    return {expression_numbers.begin(), expression_numbers.end()};
  }
  std::vector<std::string_view> names;
  if (!kind) return names;
  for (const auto& number : pair_forms::function_entry(*kind).numbers) names.push_back(number.name);
  return names;
}

std::optional<std::size_t> PairTermDraft::find_number(std::string_view number) const {
  const auto names = number_names();
  const auto found = std::ranges::find(names, number);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

bool PairTermDraft::depends_on_state() const {
  return factors[0] != factors[1] || factors[0] != factors[2];
}

void PairTermReader::read(PairTermDraft& draft, const InputNode& node) {
  draft.node = &node;
  SectionKeys section(numbers_, node, draft.path);
  if (node.kind != NodeKind::map) return;
  set_kind(draft, section);
  if (!draft.kind) return;
  read_numbers(draft, section);
  if (const auto* const between = section.find("between")) {
    read_between(*between, section.path("between"), draft.first, draft.second);
  }
  if (const auto* const others = section.find("others")) {
    draft.has_others = others->text != "none";
    if (others->kind != NodeKind::scalar || draft.has_others) {
      section.complain(*others, fmt::format("{} = {}", section.path("others"), shown(*others)),
                       "must be none, or be left out");
    }
  }
  read_addends(draft, section);
  read_factors(draft, section);
  draft.has_site_factor = section.flag("with_site_factor", draft.has_site_factor);
  const bool has_sigma = draft.find_number("sigma_nm").has_value();
  read_cutoff(numbers_, section, draft.cutoff, has_sigma);
  if (draft.table != nullptr && draft.cutoff.cutoff_nm > draft.table->last_nm()) {
    section.complain(node,
                     fmt::format("{} is {}, but the table ends at {} nm", section.path("cutoff_nm"),
                                 draft.cutoff.cutoff_nm, draft.table->last_nm()),
                     "give a cutoff within the table");
  }
  section.finish();
}

void PairTermReader::set_kind(PairTermDraft& draft, SectionKeys& section) {
  const auto names = kind_names();
  if (!draft.kind || document::find_entry(section.node(), "form") != nullptr) {
    if (section.require("form", "a form: one of " + fmt::format("{}", fmt::join(names, ", "))) ==
        nullptr) {
      return;
    }
    const std::size_t index = section.choice("form", names, names.size());
    if (index == names.size()) {
      draft.kind.reset();
      return;
    }
    const auto kind = static_cast<FunctionKind>(index);
    if (draft.kind && *draft.kind != kind) draft.numbers.clear();
    draft.kind = kind;
  }
  if (draft.kind == FunctionKind::tabulated) {
    const auto* const file = section.require("file", "a file of r [nm], U [kJ/mol]");
    if (file != nullptr && file->kind == NodeKind::scalar) {
      try {
        draft.table = std::make_shared<TabulatedFunction>(file_.data(*file), file->text);
      } catch (const core::InputError& error) {
        for (const auto& one : error.problems()) {
          numbers_.reader().complain(one.position, one.problem, one.remedy);
        }
      }
    }
  } else if (draft.kind == FunctionKind::expression) {
    const auto* const energy = section.require("energy", "an expression in r");
    if (energy != nullptr) draft.energy = numbers_.expression(*energy, section.path("energy"));
    draft.expression_numbers.clear();
    if (draft.energy == nullptr) return;
    for (const auto& name : draft.energy->names()) {
      if (name != "r" && !numbers_.is_known(name)) draft.expression_numbers.push_back(name);
    }
  }
  draft.numbers.resize(draft.number_names().size());
}

void PairTermReader::read_numbers(PairTermDraft& draft, SectionKeys& section) {
  const auto names = draft.number_names();
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto* const node = section.find(names[k]);
    if (node == nullptr) continue;
    const auto value = numbers_.number(*node, section.path(names[k]), any_number);
    draft.numbers[k] = {true, MixRule::constant, value.value_or(0), node};
  }
  if (const auto* const rows = section.find("rows")) {
    draft.rows = section.texts("rows");
    for (const auto& name : draft.rows) {
      if (std::ranges::count(draft.rows, name) > 1) {
        section.complain(*rows, fmt::format("{} names {} twice", section.path("rows"), name),
                         "keep one");
        break;
      }
    }
    for (std::size_t index = 0; index < draft.rows.size(); ++index) {
      if (const auto number = draft.find_number(draft.rows[index])) {
        draft.numbers[*number] = {true, MixRule::row, 0, rows, index};
      }
    }
  }
  if (const auto* const mix = section.find("mix")) read_mix(draft, *mix);
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (draft.numbers[k].is_given) continue;
    section.complain(section.node(), fmt::format("{} has no {}", draft.path, names[k]),
                     fmt::format("give {0}: NUMBER, mix: {{{0}: mean}} or rows: [{0}]", names[k]));
  }
}

void PairTermReader::read_mix(PairTermDraft& draft, const InputNode& mix) {
  SectionKeys section(numbers_, mix, draft.path + ".mix");
  const auto names = draft.number_names();
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto* const node = section.find(names[k]);
    if (node == nullptr) continue;
    if (draft.numbers[k].is_given && document::find_entry(*draft.node, names[k]) != nullptr) {
      section.complain(*node,
                       fmt::format("{} beside a number of this name", section.path(names[k])),
                       "keep one of the two");
    }
    NumberRule rule{true, MixRule::expression, 0, node};
    constexpr std::string_view less = "mean less ";
    if (node->text == "mean") {
      rule.rule = MixRule::mean;
    } else if (node->text == "geometric") {
      rule.rule = MixRule::geometric;
    } else if (node->text == "sum") {
      rule.rule = MixRule::sum;
    } else if (node->text.starts_with(less)) {
      rule.rule = MixRule::mean;
      const auto offset = document::to_real(std::string_view(node->text).substr(less.size()));
      if (!offset) {
        section.complain(*node, fmt::format("{} = {}", section.path(names[k]), shown(*node)),
                         "write 'mean less 0.08'");
      }
      rule.value = offset.value_or(0);
    } else if (numbers_.expression(*node, section.path(names[k])) == nullptr) {
      rule.rule = MixRule::constant;  // reported
    }
    draft.numbers[k] = rule;
  }
  section.finish();
}

void PairTermReader::read_between(const InputNode& node, const std::string& path,
                                  std::optional<Closeness>& first,
                                  std::optional<Closeness>& second) {
  if (node.kind != NodeKind::list || node.items.size() != 2) {
    numbers_.reader().complain(node, fmt::format("{} = {}", path, shown(node)),
                               "must be a list of two beads or groups");
    return;
  }
  const auto* const a = beads_.closeness(node.items[0], path);
  const auto* const b = beads_.closeness(node.items[1], path);
  if (a != nullptr && b != nullptr) first = *a, second = *b;
}

void PairTermReader::read_addends(PairTermDraft& draft, SectionKeys& section) {
  const auto entries = section.entries("add", NodeKind::list);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    SectionKeys one(numbers_, *entries[i], fmt::format("{}[{}]", section.path("add"), i));
    std::optional<Closeness> first, second;
    if (const auto* const between = one.find("between")) {
      read_between(*between, one.path("between"), first, second);
    }
    const auto names = draft.number_names();
    bool has_number = false;
    for (std::size_t k = 0; k < names.size(); ++k) {
      const auto* const node = one.find(names[k]);
      if (node == nullptr) continue;
      has_number = true;
      draft.addends.push_back({first, second, k, node, one.path(names[k])});
    }
    one.finish();
    if (!has_number && entries[i]->kind == NodeKind::map) {
      one.complain(*entries[i], one.path() + " adds nothing",
                   fmt::format("give one of {}", fmt::join(names, ", ")));
    }
  }
}

void PairTermReader::read_factors(PairTermDraft& draft, SectionKeys& section) {
  const auto* const node = section.find("factor");
  if (node == nullptr) return;
  SectionKeys states(numbers_, *node, section.path("factor"));
  for (std::size_t k = 0; k < pair_states; ++k) {
    draft.factors[k] = states.number(state_names[k], from(0, largest_factor), draft.factors[k]);
  }
  states.finish();
}

}  // namespace nfold::input
