// Arithmetic expressions of force-field files.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace nfold::input {

/// Thrown for a text that is no expression.
class ExpressionError : public std::runtime_error {
 public:
  ExpressionError(std::size_t offset, const std::string& problem)
      : std::runtime_error(problem), offset_(offset) {}
  /// Byte of the text at which the problem is.
  [[nodiscard]] std::size_t offset() const { return offset_; }

 private:
  std::size_t offset_;
};

/// An expression of + - * / ^, parentheses, exp, log, sqrt, tanh, abs, min, max, pi, numbers and
/// names. Powers of whole numbers are products; other functions are computed with 64 bits of
/// mantissa and rounded, so that a value is the same on every machine.
class Expression {
 public:
  /// Any bytes are safe; a text is limited in length and depth. Throws ExpressionError.
  explicit Expression(std::string_view text);

  /// Names in the order in which they first occur, each once.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool has_name(std::string_view name) const;
  /// Returns the value, which may be infinite or no number. values: order of names().
  [[nodiscard]] double value(std::span<const double> values) const;

 private:
  friend struct ExpressionBuilder;
  enum class Operation {
    push_number,
    push_name,
    add,
    subtract,
    multiply,
    divide,
    power,
    negate,
    exp,
    log,
    sqrt,
    tanh,
    abs,
    min,
    max
  };
  struct Step {
    Operation operation;
    double number = 0;
    std::size_t name = 0;
  };
  std::string text_;
  std::vector<std::string> names_;
  std::vector<Step> steps_;  ///< postfix order
};

}  // namespace nfold::input
