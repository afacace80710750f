// Numbers and sections of a force-field file: expressions at the conditions, and places of errors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/document/section_reader.hpp"
#include "input/expression.hpp"
#include "input/force_field_file.hpp"

namespace nfold::input {

/// Interval of a number.
struct Range {
  double lowest = std::numeric_limits<double>::lowest();
  double highest = std::numeric_limits<double>::max();
  bool above = false;  ///< more than `lowest`
};
inline constexpr Range any_number{};
[[nodiscard]] constexpr Range from(double lowest, double highest) { return {lowest, highest}; }
[[nodiscard]] constexpr Range above(double bound, double highest) { return {bound, highest, true}; }
/// Returns "a number > 0 and <= 20".
[[nodiscard]] std::string describe(const Range& range);

/// Returns "did you mean 'WORD'?" or "there are ...".
[[nodiscard]] std::string nearest_remedy(std::string_view word,
                                         const std::vector<std::string_view>& known);

/// Names that an expression may use besides conditions and functions.
struct Scope {
  std::function<std::optional<double>(std::string_view)> find;
  std::vector<std::string> names;  ///< for suggestions
};

/// Conditions on which a number depends.
struct Dependence {
  bool temperature = false, ionic_strength = false, ph = false;
  void add(const Dependence& other) {
    temperature |= other.temperature;
    ionic_strength |= other.ionic_strength;
    ph |= other.ph;
  }
};

/// Dielectric constant of water, a/T + b + c T + d T^2 + e T^3.
[[nodiscard]] double dielectric_polynomial(std::span<const double> coefficients,
                                           double temperature_kelvin);
/// Coefficients of Akerlof and Oshry, J. Am. Chem. Soc. 72, 2844 (1950), as coded in CALVADOS.
inline constexpr double akerlof_oshry[] = {5321.0, 233.76, -0.9297, 1.417e-3, -8.292e-7};

/// Evaluates numbers of one file, and collects the problems of all readers of it.
class Numbers {
 public:
  Numbers(const ForceFieldFile& file, const Conditions& conditions);

  [[nodiscard]] document::SectionReader& reader() { return reader_; }
  [[nodiscard]] const Conditions& conditions() const { return conditions_; }
  [[nodiscard]] const Dependence& dependence() const { return dependence_; }
  void set_dependence(const Dependence& dependence) { dependence_ = dependence; }

  /// Returns the expression of a node; null, with a problem, if it is none.
  const Expression* expression(const document::InputNode& node, const std::string& path);
  /// Returns the value of an expression's name; nullopt, with a problem, if it is unknown.
  std::optional<double> named(std::string_view name, const document::InputNode& node,
                              const std::string& path, const Scope* scope);
  /// True if the name is a condition or a function of the file.
  [[nodiscard]] bool is_known(std::string_view name) const;
  /// Returns the value of a number or an expression; nullopt, with a problem, if it has none in the
  /// range.
  std::optional<double> number(const document::InputNode& node, const std::string& path,
                               const Range& range, const Scope* scope = nullptr);

 private:
  struct Function {
    const document::InputNode* node = nullptr;
    enum { unread, in_progress, read, failed } state = unread;
    double value = 0;
    Dependence dependence;
  };
  void read_functions(const document::InputNode& root);
  std::optional<double> function(const std::string& name, Function& function);

  document::SectionReader reader_;
  Conditions conditions_;
  Dependence dependence_;
  std::map<std::string, Function, std::less<>> functions_;
  std::map<const document::InputNode*, std::optional<Expression>> expressions_;
};

/// Reads the keys of one section, and reports those that nobody asked for.
class SectionKeys {
 public:
  /// A node that is no map is reported, and is read as an empty section.
  SectionKeys(Numbers& numbers, const document::InputNode& node, std::string path);

  [[nodiscard]] const document::InputNode& node() const { return node_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string path(std::string_view key) const {
    return document::join_path(path_, key);
  }
  [[nodiscard]] const std::vector<std::string>& known() const { return known_; }

  /// Returns the value of a key; null if it is not there.
  const document::InputNode* find(std::string_view key);
  const document::InputNode* require(std::string_view key, const std::string& accepted);
  /// Returns `otherwise` if the key is not there, or is wrong, with a problem.
  double number(std::string_view key, const Range& range, double otherwise = 0);
  double required_number(std::string_view key, const Range& range);
  bool flag(std::string_view key, bool otherwise);
  std::string text(std::string_view key);
  std::vector<std::string> texts(std::string_view key);
  std::size_t choice(std::string_view key, std::span<const std::string_view> names,
                     std::size_t otherwise);
  /// Returns the entries of a list or a map; empty, with a problem, if the value is another kind.
  std::vector<const document::InputNode*> entries(std::string_view key, document::NodeKind kind);
  /// Reports keys that were not asked for.
  void finish();

  void complain(const document::InputNode& at, std::string problem, std::string remedy) {
    numbers_.reader().complain(at, std::move(problem), std::move(remedy));
  }

 private:
  template <class Type>
  std::optional<Type> value(std::string_view key, const document::Rule& rule);

  Numbers& numbers_;
  const document::InputNode& node_;
  std::string path_;
  std::vector<std::string> known_;
};

}  // namespace nfold::input
