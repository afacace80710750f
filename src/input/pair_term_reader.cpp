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

constexpr double longest_pair_cutoff_nm = 20, largest_factor = 1000;
constexpr std::string_view state_names[] = {"disordered-disordered", "folded-disordered",
                                            "folded-folded"};

std::vector<std::string_view> kind_names() {
  std::vector<std::string_view> names;
  for (int k = 0; k <= static_cast<int>(FunctionKind::expression); ++k) {
    names.push_back(pair_forms::function_entry(static_cast<FunctionKind>(k)).name);
  }
  return names;
}

/// Returns N of "N*sigma"; nullopt for another text.
std::optional<double> times_sigma(std::string_view text) {
  constexpr std::string_view end = "sigma";
  if (!text.ends_with(end)) return std::nullopt;
  text.remove_suffix(end.size());
  while (text.ends_with(' ')) text.remove_suffix(1);
  if (!text.ends_with('*')) return std::nullopt;
  text.remove_suffix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return document::to_real(text);
}

bool is_switched(CutoffForm form) {
  return form == CutoffForm::smooth_step || form == CutoffForm::force_matched;
}

/// Closeness of a pair to two names, in the order that is closer; negative: not meant.
int closeness_of_pair(const Closeness& first, const Closeness& second, std::size_t a,
                      std::size_t b) {
  const auto sum = [](int x, int y) { return x < 0 || y < 0 ? -1 : x + y; };
  const int straight = sum(first[a], second[b]), crossed = sum(first[b], second[a]);
  if (straight < 0) return crossed;
  return crossed < 0 ? straight : std::min(straight, crossed);
}

bool means_pair(const std::optional<Closeness>& first, const std::optional<Closeness>& second,
                std::size_t a, std::size_t b) {
  return !first || !second || closeness_of_pair(*first, *second, a, b) >= 0;
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

void read_cutoff(Numbers& numbers, SectionKeys& section, Cutoff& cutoff, bool may_follow_sigma) {
  const Range range = above(0, longest_pair_cutoff_nm);
  const std::string accepted = describe(range) + (may_follow_sigma ? " [nm], or 4*sigma" : " [nm]");
  const bool has_one = cutoff.cutoff_nm > 0 || cutoff.over_sigma > 0;
  const auto* const node =
      has_one ? section.find("cutoff_nm") : section.require("cutoff_nm", accepted);
  if (node != nullptr) {
    const auto over_sigma = may_follow_sigma ? times_sigma(node->text) : std::nullopt;
    if (over_sigma && !(*over_sigma > 0 && *over_sigma <= longest_pair_cutoff_nm)) {
      section.complain(*node, fmt::format("{} = {}", section.path("cutoff_nm"), shown(*node)),
                       "must be " + accepted);
    }
    cutoff.over_sigma = over_sigma.value_or(0);
    cutoff.cutoff_nm =
        over_sigma ? 0 : numbers.number(*node, section.path("cutoff_nm"), range).value_or(1);
  }
  cutoff.form = static_cast<CutoffForm>(
      section.choice("cutoff_form", cutoff_form_names, static_cast<std::size_t>(cutoff.form)));
  if (!is_switched(cutoff.form)) {
    cutoff.switch_nm = 0;
    const auto* const given = section.find("switch_nm");
    const auto* const form = document::find_entry(section.node(), "cutoff_form");
    // A form of an extending file takes the place of a base's switch.
    if (given != nullptr && (form == nullptr || form->source >= given->source)) {
      section.complain(*given, section.path("switch_nm") + " without a switch",
                       "give cutoff_form: smooth-step or force-matched, or leave it out");
    }
    return;
  }
  const auto* const start = section.require("switch_nm", describe(range) + " [nm]");
  if (start == nullptr) return;
  cutoff.switch_nm = numbers.number(*start, section.path("switch_nm"), range).value_or(0);
  if (cutoff.over_sigma > 0 || cutoff.switch_nm >= cutoff.cutoff_nm) {
    section.complain(*start, fmt::format("{} = {}", section.path("switch_nm"), shown(*start)),
                     "must be less than cutoff_nm, which must be a number");
  }
}

/// A row of `pairs`: values of some numbers between two beads or groups.
struct PairTermReader::Row {
  const InputNode* node = nullptr;
  const Closeness *first = nullptr, *second = nullptr;
  bool is_override = false;
  std::vector<double> values;                                     ///< full row: order of `rows`
  std::vector<std::pair<std::size_t, const InputNode*>> numbers;  ///< override: number and value
  bool acts = false, is_replaced_by_file = false;
};

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
  Cutoff cutoff{draft.cutoff_nm, draft.cutoff_over_sigma, draft.switch_nm, draft.cutoff_form};
  read_cutoff(numbers_, section, cutoff, has_sigma);
  draft.cutoff_nm = cutoff.cutoff_nm;
  draft.cutoff_over_sigma = cutoff.over_sigma;
  draft.switch_nm = cutoff.switch_nm;
  draft.cutoff_form = cutoff.form;
  if (draft.table != nullptr && draft.cutoff_nm > draft.table->last_nm()) {
    section.complain(node,
                     fmt::format("{} is {}, but the table ends at {} nm", section.path("cutoff_nm"),
                                 draft.cutoff_nm, draft.table->last_nm()),
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

std::optional<PairTermReader::Row> PairTermReader::read_row(const PairTermDraft& draft,
                                                            const InputNode& node) {
  const std::string path = "pairs." + draft.name;
  const auto names = draft.number_names();
  const bool is_override =
      node.kind == NodeKind::list && node.items.size() == 3 && node.items[2].kind == NodeKind::map;
  const bool is_full = !is_override && node.kind == NodeKind::list && !draft.rows.empty() &&
                       node.items.size() == 2 + draft.rows.size();
  if (!is_override && !is_full) {
    const std::string full =
        draft.rows.empty() ? "" : fmt::format("[ALA, GLY, {}] or ", fmt::join(draft.rows, ", "));
    numbers_.reader().complain(
        node,
        draft.rows.empty()
            ? fmt::format("{}: a row without {{name: number}}", path)
            : fmt::format("a pair is not [ALA, GLY, {}]", fmt::join(draft.rows, ", ")),
        fmt::format("write {}[ALA, GLY, {{{}: ...}}]", full,
                    names.empty() ? std::string_view("number") : names[0]));
    return std::nullopt;
  }
  Row row;
  row.node = &node;
  row.is_override = is_override;
  row.first = beads_.closeness(node.items[0], path);
  row.second = beads_.closeness(node.items[1], path);
  if (row.first == nullptr || row.second == nullptr) return std::nullopt;
  const std::string place =
      fmt::format("{}.{}-{}", path, printable(node.items[0].text), printable(node.items[1].text));
  if (is_override) {
    SectionKeys values(numbers_, node.items[2], place);
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (const auto* const value = values.find(names[k])) row.numbers.emplace_back(k, value);
    }
    values.finish();
    return row;
  }
  for (std::size_t k = 0; k < draft.rows.size(); ++k) {
    Range range = any_number;
    if (const auto number = draft.find_number(draft.rows[k]);
        number && draft.kind != FunctionKind::expression) {
      const auto& entry = pair_forms::function_entry(*draft.kind).numbers[*number];
      range = from(entry.lowest, entry.highest);
    }
    const auto value = numbers_.number(node.items[2 + k], place + "." + draft.rows[k], range);
    if (!value) return std::nullopt;
    row.values.push_back(*value);
  }
  return row;
}

std::vector<PairTermReader::Row> PairTermReader::read_rows(const PairTermDraft& draft) {
  std::vector<Row> rows;
  const auto* const all = document::find_entry(file_.root(), "pairs");
  const auto* const list = all == nullptr ? nullptr : document::find_entry(*all, draft.name);
  if (list == nullptr) return rows;
  if (list->kind != NodeKind::list) {
    numbers_.reader().complain(*list, fmt::format("pairs.{} = {}", draft.name, shown(*list)),
                               "must be a list of rows");
    return rows;
  }
  using RowKey = std::tuple<int, bool, std::string, std::string>;
  std::map<RowKey, const InputNode*> seen;
  for (const InputNode& node : list->items) {
    auto row = read_row(draft, node);
    if (!row) continue;
    const auto [a, b] = std::minmax(node.items[0].text, node.items[1].text);
    if (!seen.emplace(RowKey(node.source, row->is_override, a, b), &node).second) {
      numbers_.reader().complain(
          node, fmt::format("the pair {} {} for the second time", printable(a), printable(b)),
          "keep one");
    }
    rows.push_back(std::move(*row));
  }
  return rows;
}

/// Row that gives a number of a pair, and how closely it means the pair.
struct PairTermReader::Chosen {
  std::size_t row = 0;
  int source = 0, closeness = 0;
  const InputNode* value = nullptr;  ///< of an override
  bool is_set = false;
  [[nodiscard]] bool yields_to(const Chosen& other) const {
    if (!is_set) return true;
    if (source != other.source) return other.source < source;
    return other.closeness <= closeness;
  }
};

std::optional<double> PairTermReader::mixed(const PairTermDraft& draft, std::size_t number,
                                            std::size_t a, std::size_t b, const Row* row) {
  const NumberRule& rule = draft.numbers[number];
  const std::string name(draft.number_names()[number]);
  if (rule.rule == MixRule::constant) return rule.value;
  if (rule.rule == MixRule::row) return row->values[rule.row_index];
  if (rule.rule == MixRule::expression) {
    const std::string path =
        fmt::format("{}.mix.{} of {} and {}", draft.path, name, beads_.name(a), beads_.name(b));
    const auto value = [&](std::size_t first, std::size_t second) {
      Scope scope = beads_.pair_scope(first, second);
      scope.names.insert(scope.names.end(), draft.rows.begin(), draft.rows.end());
      scope.find = [&, of_beads = scope.find](std::string_view one) -> std::optional<double> {
        const auto index = std::ranges::find(draft.rows, one) - draft.rows.begin();
        const bool is_of_row = static_cast<std::size_t>(index) < draft.rows.size();
        if (!is_of_row || row == nullptr) return of_beads(one);
        return row->values[static_cast<std::size_t>(index)];
      };
      return numbers_.number(*rule.node, path, any_number, &scope);
    };
    const auto straight = value(a, b), crossed = a == b || !straight ? straight : value(b, a);
    constexpr double tolerance = 1e-12;
    if (crossed && std::abs(*crossed - *straight) > tolerance * std::abs(*straight)) {
      numbers_.reader().complain(
          *rule.node,
          fmt::format("{} is {}, but {} the other way round", path, *straight, *crossed),
          "a number of a pair must not depend on the order of the two beads");
      return std::nullopt;
    }
    return straight;
  }
  double both[2];
  for (const auto& [bead, value] : {std::pair(a, &both[0]), std::pair(b, &both[1])}) {
    const auto one = beads_.number(bead, name);
    if (!one && !rule.is_zero_if_missing) {
      beads_.complain_missing(bead, name, draft.name);
      return std::nullopt;
    }
    *value = one.value_or(0);
  }
  switch (rule.rule) {
    case MixRule::geometric:
      if (both[0] * both[1] < 0) {
        numbers_.reader().complain(*rule.node,
                                   fmt::format("{} of {} and {} has no geometric mean", name,
                                               beads_.name(a), beads_.name(b)),
                                   "take another rule, or numbers of one sign");
        return std::nullopt;
      }
      return std::sqrt(both[0] * both[1]);
    case MixRule::sum:
      return both[0] + both[1];
    default:
      return 0.5 * ((both[0] - rule.value) + (both[1] - rule.value));
  }
}

std::optional<PairFunction> PairTermReader::function(const PairTermDraft& draft,
                                                     const std::vector<double>& values,
                                                     std::size_t a, std::size_t b) {
  PairFunction function;
  function.kind = *draft.kind;
  function.cutoff_form = draft.cutoff_form;
  function.switch_nm = draft.switch_nm;
  function.cutoff_nm = draft.cutoff_nm;
  if (draft.cutoff_over_sigma > 0) {
    const double own = draft.cutoff_over_sigma * values[*draft.find_number("sigma_nm")];
    function.cutoff_nm = draft.cutoff_nm > 0 ? std::min(draft.cutoff_nm, own) : own;
  }
  if (draft.kind == FunctionKind::tabulated) {
    function.custom = draft.table;
    return function;
  }
  if (draft.kind != FunctionKind::expression) {
    std::ranges::copy(values, function.numbers.begin());
    return function;
  }
  auto& custom = made_[values];
  if (custom == nullptr) {
    std::vector<double> all;
    for (const auto& name : draft.energy->names()) {
      const auto number = draft.find_number(name);
      // Other names are conditions or functions, which are known.
      all.push_back(number ? values[*number]
                    : name == "r"
                        ? 0
                        : numbers_.named(name, *draft.node, draft.path, nullptr).value_or(0));
    }
    custom = std::make_shared<ExpressionFunction>(*draft.energy, std::move(all));
    constexpr double from_nm = 0.1;
    constexpr int points = 200;
    for (int i = 0; i <= points; ++i) {
      const double r = from_nm + (function.cutoff_nm - from_nm) * i / points;
      const double energy = custom->energy(r);
      if (!(r > 0) || std::isfinite(energy)) continue;
      numbers_.reader().complain(
          *document::find_entry(*draft.node, "energy"),
          fmt::format("{}.energy of {} and {} is {} at r = {:.4g} nm", draft.path, beads_.name(a),
                      beads_.name(b), energy, r),
          fmt::format("it must be finite from {} nm to the cutoff", from_nm));
      return std::nullopt;
    }
  }
  function.custom = custom;
  return function;
}

std::optional<MeanNumbers> PairTermReader::means(const PairTermDraft& draft, bool has_overrides) {
  const bool is_plain = draft.kind == FunctionKind::ashbaugh_hatch && !has_overrides &&
                        draft.rows.empty() && draft.addends.empty() && !draft.first &&
                        !draft.has_site_factor && !draft.depends_on_state() &&
                        draft.factors[0] == 1;
  if (!is_plain) return std::nullopt;
  const auto& [epsilon, sigma, lambda] =
      std::tie(draft.numbers[0], draft.numbers[1], draft.numbers[2]);
  if (epsilon.rule != MixRule::constant || sigma.rule != MixRule::mean || sigma.value != 0 ||
      lambda.rule != MixRule::mean) {
    return std::nullopt;
  }
  MeanNumbers means{epsilon.value, {}, {}};
  for (std::size_t bead = 0; bead < beads_.size(); ++bead) {
    means.sigma_nm.push_back(beads_.number(bead, "sigma_nm").value_or(0));
    means.lambda.push_back(beads_.number(bead, "lambda").value_or(0) - lambda.value);
  }
  return means;
}

void PairTermReader::complain_idle(const PairTermDraft& draft, const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    if (row.acts || row.is_replaced_by_file) continue;
    numbers_.reader().complain(
        *row.node,
        fmt::format("pairs.{}: the row of {} and {} never acts", draft.name,
                    printable(row.node->items[0].text), printable(row.node->items[1].text)),
        "other rows name its pairs more closely, or the term is not between them: leave it out");
  }
}

std::vector<PairTermReader::Chosen> PairTermReader::choose(const PairTermDraft& draft,
                                                           std::vector<Row>& rows) {
  const std::size_t n = beads_.size(), count = draft.numbers.size(), stride = count + 1;
  std::vector<Chosen> chosen(n * n * stride);
  const auto offer = [&rows](Chosen& mine, const Chosen& other) {
    const bool is_better = mine.yields_to(other);
    if (mine.is_set && mine.source != other.source) {
      rows[is_better ? mine.row : other.row].is_replaced_by_file = true;
    }
    if (is_better) mine = other;
  };
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Row& row = rows[k];
    for (std::size_t a = 0; a < n; ++a) {
      if ((*row.first)[a] < 0 && (*row.second)[a] < 0) continue;
      for (std::size_t b = a; b < n; ++b) {
        const int closeness = closeness_of_pair(*row.first, *row.second, a, b);
        if (closeness < 0 || !means_pair(draft.first, draft.second, a, b)) continue;
        Chosen* const mine = &chosen[(a * n + b) * stride];
        const Chosen other{k, row.node->source, closeness, nullptr, true};
        if (!row.is_override) offer(mine[count], other);
        for (const auto& [number, value] : row.numbers) {
          offer(mine[number], {k, row.node->source, closeness, value, true});
        }
      }
    }
  }
  for (const Chosen& one : chosen) {
    if (one.is_set) rows[one.row].acts = true;
  }
  return chosen;
}

std::optional<double> PairTermReader::pair_number(const PairTermDraft& draft, std::size_t number,
                                                  std::size_t a, std::size_t b, const Row* row,
                                                  const Chosen& override_row) {
  if (override_row.is_set) {
    const Scope names = beads_.pair_scope(a, b);
    return numbers_.number(
        *override_row.value,
        fmt::format("pairs.{} of {} and {}", draft.name, beads_.name(a), beads_.name(b)),
        any_number, &names);
  }
  if (draft.contact_energy && number != 1) {
    const auto& c = *draft.contact_energy;
    const double above = row->values[0] - c.offset;
    if (number == 0) return std::max(c.least_kj_mol, std::abs(c.scale * above * c.unit_kj_mol));
    return above < 0 ? 1 : -1;
  }
  auto value = mixed(draft, number, a, b, row);
  for (const auto& addend : draft.addends) {
    if (!value) return value;
    if (addend.number != number || !means_pair(addend.first, addend.second, a, b)) continue;
    const Scope names = beads_.pair_scope(a, b);
    const auto more = numbers_.number(*addend.node, addend.path, any_number, &names);
    value = more ? std::optional(*value + *more) : std::nullopt;
  }
  return value;
}

std::optional<std::vector<double>> PairTermReader::pair_numbers(const PairTermDraft& draft,
                                                                std::size_t a, std::size_t b,
                                                                const Row* row,
                                                                const Chosen* overrides) {
  std::vector<double> values;
  for (std::size_t k = 0; k < draft.numbers.size(); ++k) {
    const auto value = pair_number(draft, k, a, b, row, overrides[k]);
    if (!value) return std::nullopt;
    values.push_back(*value);
    if (draft.kind == FunctionKind::expression) continue;
    const auto& entry = pair_forms::function_entry(*draft.kind).numbers[k];
    if (*value >= entry.lowest && *value <= entry.highest) continue;
    const InputNode* place = overrides[k].value;
    if (place == nullptr) place = row != nullptr ? row->node : draft.numbers[k].node;
    numbers_.reader().complain(place != nullptr ? *place : *draft.node,
                               fmt::format("{} of {} and {} in {} is {}", entry.name,
                                           beads_.name(a), beads_.name(b), draft.path, *value),
                               "must be " + describe(from(entry.lowest, entry.highest)));
    return std::nullopt;
  }
  return values;
}

void PairTermReader::place(const PairTermDraft& draft, const PairFunction& function, std::size_t a,
                           std::size_t b, std::size_t types, PairTerm& term) const {
  const std::size_t n = beads_.size();
  for (std::size_t first = a; first < types; first += n) {
    for (std::size_t second = b; second < types; second += n) {
      const std::size_t folded = (first >= n ? 1 : 0) + (second >= n ? 1 : 0);
      auto one = function;
      one.factor = draft.factors[folded];
      if (one.factor == 0) continue;
      term.functions[first * types + second] = term.functions[second * types + first] = one;
    }
  }
}

PairTerm PairTermReader::evaluate(const PairTermDraft& draft, bool has_folded_types) {
  PairTerm term;
  term.name = draft.name;
  term.kind = *draft.kind;
  term.has_site_factor = draft.has_site_factor;
  term.cutoff_nm = draft.cutoff_nm;
  term.cutoff_over_sigma = draft.cutoff_over_sigma;
  term.cutoff_form = draft.cutoff_form;
  made_.clear();
  const std::size_t n = beads_.size(), types = has_folded_types ? 2 * n : n;
  term.functions.resize(types * types);
  auto rows = read_rows(draft);
  const auto chosen = choose(draft, rows);
  complain_idle(draft, rows);

  const std::size_t count = draft.numbers.size();
  std::size_t missing = 0, pairs = 0, acting = 0;
  std::string first_missing;
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = a; b < n; ++b) {
      if (!means_pair(draft.first, draft.second, a, b)) continue;
      ++pairs;
      const Chosen* const mine = &chosen[(a * n + b) * (count + 1)];
      const Row* const row = mine[count].is_set ? &rows[mine[count].row] : nullptr;
      const auto overrides =
          std::count_if(mine, mine + count, [](auto& one) { return one.is_set; });
      const bool is_complete = static_cast<std::size_t>(overrides) == count && count > 0;
      if (!draft.rows.empty() && row == nullptr && !is_complete) {
        if (!draft.has_others && overrides == 0) continue;
        if (++missing == 1) first_missing = beads_.name(a) + " " + beads_.name(b);
        continue;
      }
      ++acting;
      const auto values = pair_numbers(draft, a, b, row, mine);
      if (!values || numbers_.reader().is_full()) continue;
      if (const auto made = function(draft, *values, a, b)) {
        place(draft, *made, a, b, types, term);
      }
    }
  }
  if (missing > 0) {
    numbers_.reader().complain(*draft.node,
                               fmt::format("{} of {} pairs of {} {} have no row, such as {}",
                                           missing, pairs, n, file_.beads_key(), first_missing),
                               fmt::format("{} needs all {}, or others: none", draft.path, pairs));
  } else if (acting == 0 && n > 0) {
    numbers_.reader().complain(*draft.node, fmt::format("{} acts between no beads", draft.path),
                               "leave it out");
  }
  const bool has_overrides =
      std::ranges::any_of(rows, [](const Row& row) { return row.is_override; });
  term.means = means(draft, has_overrides);
  return term;
}

}  // namespace nfold::input
