// Evaluation of expressions with the names of a file, and typed access to its sections.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/force_field_numbers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/document/scalars.hpp"
#include "core/nearest.hpp"

namespace nfold::input {

using document::InputNode;
using document::NodeKind;
using document::printable;
using document::shown;

namespace {

constexpr std::string_view condition_names[] = {"temperature", "ionic_strength", "ph",
                                                "akerlof_oshry"};

bool is_name(std::string_view text) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !text.empty() && is_letter(text[0]) &&
         std::ranges::all_of(text, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

}  // namespace

std::string nearest_remedy(std::string_view word, const std::vector<std::string_view>& known) {
  return core::suggest_word(word, known, fmt::format("there are {}", fmt::join(known, ", ")));
}

std::string describe(const Range& range) {
  if (range.lowest == any_number.lowest) return "a number";
  return document::describe_accepted(document::RealRule{range.lowest, range.highest, range.above});
}

double dielectric_polynomial(std::span<const double> coefficients, double temperature_kelvin) {
  const auto& c = coefficients;
  const double t = temperature_kelvin;
  return c[0] / t + c[1] + c[2] * t + c[3] * (t * t) + c[4] * (t * t * t);
}

Numbers::Numbers(const ForceFieldFile& file, const Conditions& conditions)
    : reader_(file.sources().front(), "input/force_fields has tables with all keys"),
      conditions_(conditions) {
  for (std::size_t k = 1; k < file.sources().size(); ++k) reader_.add_source(file.sources()[k]);
  read_functions(file.root());
}

void Numbers::read_functions(const InputNode& root) {
  const auto* const functions = reader_.find_section(root, "functions", "");
  if (functions == nullptr) return;
  for (std::size_t k = 0; k < functions->items.size(); ++k) {
    const InputNode& name = functions->entry_names[k];
    const bool is_taken =
        std::ranges::find(condition_names, name.text) != std::end(condition_names);
    if (!is_name(name.text) || is_taken || name.text == "pi" || name.text == "r") {
      reader_.complain(name, fmt::format("a function '{}'", printable(name.text)),
                       is_taken || is_name(name.text)
                           ? "that name has a meaning of its own: take another"
                           : "a name has letters, digits and _");
      continue;
    }
    functions_[name.text].node = &functions->items[k];
  }
  for (auto& [name, one] : functions_) (void)function(name, one);
  dependence_ = {};
}

std::optional<double> Numbers::function(const std::string& name, Function& one) {
  if (one.state == Function::in_progress) {
    reader_.complain(*one.node, fmt::format("functions.{} depends on itself", name),
                     "take it out of its own expression");
    one.state = Function::failed;
  }
  if (one.state == Function::unread) {
    one.state = Function::in_progress;
    const Dependence before = std::exchange(dependence_, {});
    const auto value = number(*one.node, "functions." + name, any_number);
    one.dependence = std::exchange(dependence_, before);
    one.value = value.value_or(0);
    one.state = value && one.state == Function::in_progress ? Function::read : Function::failed;
  }
  // A function that failed was reported.
  dependence_.add(one.dependence);
  return one.value;
}

bool Numbers::is_known(std::string_view name) const {
  return functions_.contains(name) ||
         std::ranges::find(condition_names, name) != std::end(condition_names);
}

const Expression* Numbers::expression(const InputNode& node, const std::string& path) {
  const auto [entry, is_new] = expressions_.try_emplace(&node);
  if (!is_new) return entry->second ? &*entry->second : nullptr;
  if (node.kind != NodeKind::scalar || node.text.empty()) {
    reader_.complain(node, fmt::format("{} = {}", path, shown(node)),
                     "must be a number or an expression");
    return nullptr;
  }
  try {
    entry->second.emplace(node.text);
    return &*entry->second;
  } catch (const ExpressionError& error) {
    auto at = reader_.position(node);
    if (at.column > 0) at.column += static_cast<int>(error.offset());
    const std::string hint = document::number_hint(node.text);
    reader_.complain(std::move(at), fmt::format("{} = {}: {}", path, shown(node), error.what()),
                     hint.empty() ? "must be a number or an expression of + - * / ^, functions "
                                    "and names"
                                  : "must be a number or an expression; " + hint);
    return nullptr;
  }
}

std::optional<double> Numbers::named(std::string_view name, const InputNode& node,
                                     const std::string& path, const Scope* scope) {
  if (scope != nullptr) {
    if (const auto value = scope->find(name)) return value;
  }
  if (const auto found = functions_.find(name); found != functions_.end()) {
    return function(found->first, found->second);
  }
  if (name == "temperature" || name == "akerlof_oshry") {
    dependence_.temperature = true;
    const double kelvin = conditions_.temperature_kelvin;
    return name == "temperature" ? kelvin : dielectric_polynomial(akerlof_oshry, kelvin);
  }
  if (name == "ionic_strength") {
    dependence_.ionic_strength = true;
    return conditions_.ionic_strength_molar;
  }
  if (name == "ph") {
    dependence_.ph = true;
    return conditions_.ph;
  }
  std::vector<std::string_view> known(std::begin(condition_names), std::end(condition_names));
  for (const auto& [function, unused] : functions_) known.push_back(function);
  if (scope != nullptr) known.insert(known.end(), scope->names.begin(), scope->names.end());
  auto at = reader_.position(node);
  if (at.column > 0)
    at.column += static_cast<int>(std::min(node.text.find(name), node.text.size()));
  reader_.complain(
      std::move(at),
      fmt::format("{} = {}: unknown name '{}'", path, shown(node), printable(std::string(name))),
      nearest_remedy(name, known));
  return std::nullopt;
}

std::optional<double> Numbers::number(const InputNode& node, const std::string& path,
                                      const Range& range, const Scope* scope) {
  std::optional<double> value =
      node.kind == NodeKind::scalar ? document::to_real(node.text) : std::nullopt;
  std::string result;
  if (!value) {
    const Expression* const terms = expression(node, path);
    if (terms == nullptr) return std::nullopt;
    std::vector<double> values;
    std::string names;
    for (const auto& name : terms->names()) {
      const auto one = named(name, node, path, scope);
      if (!one) return std::nullopt;
      values.push_back(*one);
      names += fmt::format("{}{} = {}", names.empty() ? " at " : ", ", name, *one);
    }
    value = terms->value(values);
    result = fmt::format(" is {}{}", *value, names);
    if (!std::isfinite(*value)) {
      reader_.complain(node, fmt::format("{} = {}{}", path, shown(node), result),
                       "it must be a finite number there");
      return std::nullopt;
    }
  }
  const bool is_low = range.above ? *value <= range.lowest : *value < range.lowest;
  if (!is_low && *value <= range.highest) return value;
  reader_.complain(node, fmt::format("{} = {}{}", path, shown(node), result),
                   "must be " + describe(range));
  return std::nullopt;
}

SectionKeys::SectionKeys(Numbers& numbers, const InputNode& node, std::string path)
    : numbers_(numbers), node_(node), path_(std::move(path)) {
  if (node.kind == NodeKind::map) return;
  complain(node, fmt::format("{} is {}", path_, shown(node)),
           "it is a section: put its keys below it, indented, or in {}");
}

const InputNode* SectionKeys::find(std::string_view key) {
  known_.emplace_back(key);
  const auto* const entry = document::find_entry(node_, key);
  return entry == nullptr || entry->kind == NodeKind::nothing ? nullptr : entry;
}

const InputNode* SectionKeys::require(std::string_view key, const std::string& accepted) {
  const auto* const entry = find(key);
  if (entry == nullptr && node_.kind == NodeKind::map) {
    numbers_.reader().complain_missing(node_, key, path_, accepted);
  }
  return entry;
}

double SectionKeys::number(std::string_view key, const Range& range, double otherwise) {
  const auto* const entry = find(key);
  return entry == nullptr ? otherwise
                          : numbers_.number(*entry, path(key), range).value_or(otherwise);
}

double SectionKeys::required_number(std::string_view key, const Range& range) {
  const auto* const entry = require(key, describe(range));
  return entry == nullptr ? 0 : numbers_.number(*entry, path(key), range).value_or(0);
}

template <class Type>
std::optional<Type> SectionKeys::value(std::string_view key, const document::Rule& rule) {
  const auto* const entry = find(key);
  if (entry == nullptr) return std::nullopt;
  const auto read = numbers_.reader().read_value(rule, document::describe_accepted(rule), path(key),
                                                 *entry, numbers_.reader().position(*entry));
  return read ? std::optional(std::get<Type>(*read)) : std::nullopt;
}

bool SectionKeys::flag(std::string_view key, bool otherwise) {
  return value<bool>(key, document::FlagRule{}).value_or(otherwise);
}

std::string SectionKeys::text(std::string_view key) {
  return value<std::string>(key, document::TextRule{}).value_or("");
}

std::vector<std::string> SectionKeys::texts(std::string_view key) {
  return value<std::vector<std::string>>(key, document::TextListRule{})
      .value_or(std::vector<std::string>());
}

std::size_t SectionKeys::choice(std::string_view key, std::span<const std::string_view> names,
                                std::size_t otherwise) {
  return value<std::uint64_t>(key, document::ChoiceRule{names}).value_or(otherwise);
}

std::vector<const InputNode*> SectionKeys::entries(std::string_view key, NodeKind kind) {
  std::vector<const InputNode*> entries;
  const auto* const list = find(key);
  if (list == nullptr) return entries;
  if (list->kind != kind) {
    complain(*list, fmt::format("{} = {}", path(key), shown(*list)),
             kind == NodeKind::list ? "must be a list" : "must be a section");
    return entries;
  }
  for (const InputNode& item : list->items) entries.push_back(&item);
  return entries;
}

void SectionKeys::finish() {
  std::vector<std::string_view> known(known_.begin(), known_.end());
  for (const InputNode& name : node_.entry_names) {
    if (std::ranges::find(known, name.text) != known.end()) continue;
    numbers_.reader().complain_unknown(name, path_, known);
  }
}

}  // namespace nfold::input
