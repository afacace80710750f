// Numbers of each pair of beads in a pair term: mixing, rows, addends and overrides.
// SPDX-License-Identifier: BSD-3-Clause

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "input/pair_term_reader.hpp"

namespace nfold::input {

using document::InputNode;
using document::NodeKind;
using document::printable;
using document::shown;
using pair_forms::FunctionKind;
using pair_forms::PairFunction;

namespace {

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
  function.cutoff_form = draft.cutoff.form;
  function.switch_nm = draft.cutoff.switch_nm;
  function.cutoff_nm = draft.cutoff.cutoff_nm;
  if (draft.cutoff.over_sigma > 0) {
    const double own = draft.cutoff.over_sigma * values[*draft.find_number("sigma_nm")];
    function.cutoff_nm = draft.cutoff.cutoff_nm > 0 ? std::min(draft.cutoff.cutoff_nm, own) : own;
  }
  const bool is_table = draft.kind == FunctionKind::tabulated;
  const bool is_expression = draft.kind == FunctionKind::expression;
  if ((is_table && draft.table == nullptr) || (is_expression && draft.energy == nullptr)) {
    return std::nullopt;  // reported
  }
  if (is_table) {
    function.custom = draft.table;
    return function;
  }
  if (!is_expression) {
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
    const auto is_wrong = [&custom](double r) { return !std::isfinite(custom->energy(r)); };
    if (const auto r = find_in_range(function.cutoff_nm, is_wrong)) {
      numbers_.reader().complain(
          *document::find_entry(*draft.node, "energy"),
          fmt::format("{}.energy of {} and {} is {} at r = {:.4g} nm", draft.path, beads_.name(a),
                      beads_.name(b), custom->energy(*r), *r),
          fmt::format("it must be finite from {} nm to the cutoff", shortest_checked_nm));
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
  term.cutoff_nm = draft.cutoff.cutoff_nm;
  term.cutoff_over_sigma = draft.cutoff.over_sigma;
  term.cutoff_form = draft.cutoff.form;
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
