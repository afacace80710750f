// Grammar of expressions, and their evaluation in postfix order.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/expression.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <tao/pegtl.hpp>

#include "core/document/scalars.hpp"

namespace nfold::input {

namespace pegtl = tao::pegtl;

namespace {

// Limits of the parser's recursion, which parentheses and signs deepen, and of the stack of values.
constexpr std::size_t longest_text = 1000, deepest_parentheses = 50, deepest_stack = 64;
constexpr std::string_view function_names = "exp, log, sqrt, tanh, abs, min, max";

}  // namespace

/// Steps of an expression that is being parsed, and the numbers that they leave on the stack.
struct ExpressionBuilder {
  using Operation = Expression::Operation;
  struct Function {
    std::string_view name;
    std::size_t arguments;
    Operation operation;
  };
  static constexpr std::array functions{
      Function{"exp", 1, Operation::exp},   Function{"log", 1, Operation::log},
      Function{"sqrt", 1, Operation::sqrt}, Function{"tanh", 1, Operation::tanh},
      Function{"abs", 1, Operation::abs},   Function{"min", 2, Operation::min},
      Function{"max", 2, Operation::max}};
  struct Call {
    const Function* function;
    std::size_t offset, arguments = 1;
  };

  Expression& expression;
  std::vector<Call> calls;
  std::size_t depth = 0;

  void push(Expression::Step step, std::size_t offset) {
    if (++depth > deepest_stack) throw ExpressionError(offset, "is nested too deep");
    expression.steps_.push_back(step);
  }
  void push_number(std::string_view text, std::size_t offset) {
    const auto number = document::to_real(text);
    if (!number) throw ExpressionError(offset, fmt::format("'{}' is no number", text));
    push({Operation::push_number, *number}, offset);
  }
  void push_name(std::string_view text, std::size_t offset) {
    if (text == "pi") {
      push({Operation::push_number, std::numbers::pi}, offset);
      return;
    }
    const auto is_function = [&](const Function& one) { return one.name == text; };
    if (std::ranges::any_of(functions, is_function)) {
      throw ExpressionError(offset, fmt::format("'{}' needs an argument in parentheses", text));
    }
    auto& names = expression.names_;
    const auto index = static_cast<std::size_t>(std::ranges::find(names, text) - names.begin());
    if (index == names.size()) names.emplace_back(text);
    push({Operation::push_name, 0, index}, offset);
  }
  void apply(Operation operation, std::size_t arguments) {
    depth -= arguments - 1;
    expression.steps_.push_back({operation});
  }
  void open_call(std::string_view name, std::size_t offset) {
    const auto* const found = std::ranges::find(functions, name, &Function::name);
    if (found == functions.end()) {
      throw ExpressionError(
          offset, fmt::format("unknown function '{}'; there are {}", name, function_names));
    }
    calls.push_back({found, offset});
  }
  void close_call() {
    const auto [function, offset, arguments] = calls.back();
    calls.pop_back();
    if (arguments != function->arguments) {
      throw ExpressionError(
          offset, fmt::format("{} takes {} argument{}, not {}", function->name, function->arguments,
                              function->arguments == 1 ? "" : "s", arguments));
    }
    apply(function->operation, arguments);
  }
};

namespace {

namespace grammar {
using pegtl::one;

struct Blanks : pegtl::star<pegtl::space> {};
template <char c>
struct Sign : pegtl::seq<one<c>, Blanks> {};
template <class Rule>
struct Token : pegtl::seq<Rule, Blanks> {};

struct Sum;
struct Unary;
struct Digits : pegtl::plus<pegtl::digit> {};
struct Exponent : pegtl::seq<one<'e', 'E'>, pegtl::opt<one<'+', '-'>>, Digits> {};
struct Number : pegtl::seq<pegtl::sor<pegtl::seq<Digits, pegtl::opt<one<'.'>, pegtl::opt<Digits>>>,
                                      pegtl::seq<one<'.'>, Digits>>,
                           pegtl::opt<Exponent>> {};
struct Name : pegtl::identifier {};
struct CallName : pegtl::seq<pegtl::identifier, pegtl::at<Blanks, one<'('>>> {};
struct Operand : pegtl::must<Sum> {};
struct Close : pegtl::must<Sign<')'>> {};
struct NextArgument : pegtl::seq<Sign<','>, Operand> {};
struct Call : pegtl::seq<Token<CallName>, Sign<'('>, Operand, pegtl::star<NextArgument>, Close> {};
struct Primary
    : pegtl::sor<Call, Token<Number>, Token<Name>, pegtl::seq<Sign<'('>, Operand, Close>> {};
struct Exponentiation : pegtl::seq<Sign<'^'>, pegtl::must<Unary>> {};
struct Power : pegtl::seq<Primary, pegtl::opt<Exponentiation>> {};
struct Negation : pegtl::seq<Sign<'-'>, pegtl::must<Unary>> {};
struct Unary : pegtl::sor<Negation, pegtl::seq<Sign<'+'>, pegtl::must<Unary>>, Power> {};
struct Product : pegtl::seq<Sign<'*'>, pegtl::must<Unary>> {};
struct Quotient : pegtl::seq<Sign<'/'>, pegtl::must<Unary>> {};
struct Term : pegtl::seq<Unary, pegtl::star<pegtl::sor<Product, Quotient>>> {};
struct Addition : pegtl::seq<Sign<'+'>, pegtl::must<Term>> {};
struct Subtraction : pegtl::seq<Sign<'-'>, pegtl::must<Term>> {};
struct Sum : pegtl::seq<Term, pegtl::star<pegtl::sor<Addition, Subtraction>>> {};
struct Whole : pegtl::must<Blanks, Sum, pegtl::eof> {};
}  // namespace grammar

template <class Rule>
struct Action : pegtl::nothing<Rule> {};

/// Action of a binary or unary operator, after its operands.
template <auto operation, std::size_t arguments>
struct Apply {
  static void apply0(ExpressionBuilder& builder) { builder.apply(operation, arguments); }
};
using Operation = ExpressionBuilder::Operation;

template <>
struct Action<grammar::Addition> : Apply<Operation::add, 2> {};
template <>
struct Action<grammar::Subtraction> : Apply<Operation::subtract, 2> {};
template <>
struct Action<grammar::Product> : Apply<Operation::multiply, 2> {};
template <>
struct Action<grammar::Quotient> : Apply<Operation::divide, 2> {};
template <>
struct Action<grammar::Exponentiation> : Apply<Operation::power, 2> {};
template <>
struct Action<grammar::Negation> : Apply<Operation::negate, 1> {};
template <>
struct Action<grammar::Number> {
  template <class Input>
  static void apply(const Input& in, ExpressionBuilder& builder) {
    builder.push_number(in.string_view(), in.position().byte);
  }
};
template <>
struct Action<grammar::Name> {
  template <class Input>
  static void apply(const Input& in, ExpressionBuilder& builder) {
    builder.push_name(in.string_view(), in.position().byte);
  }
};
template <>
struct Action<grammar::CallName> {
  template <class Input>
  static void apply(const Input& in, ExpressionBuilder& builder) {
    builder.open_call(in.string_view(), in.position().byte);
  }
};
template <>
struct Action<grammar::NextArgument> {
  static void apply0(ExpressionBuilder& builder) { ++builder.calls.back().arguments; }
};
template <>
struct Action<grammar::Call> {
  static void apply0(ExpressionBuilder& builder) { builder.close_call(); }
};

/// Describes what a text has where the grammar finds nothing that it accepts.
std::string describe_end(std::string_view text, std::size_t offset) {
  if (offset >= text.size()) return "ends too early";
  const char c = text[offset];
  const bool is_visible = c > ' ' && c < '\x7f';
  return is_visible ? fmt::format("unexpected '{}'", c) : "unexpected character";
}

/// Returns the offset of the first parenthesis that is nested too deep; the text's size if none is.
std::size_t find_deep_parenthesis(std::string_view text) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' && ++depth > deepest_parentheses) return i;
    if (text[i] == ')' && depth > 0) --depth;
  }
  return text.size();
}

/// Functions in extended precision, rounded once; see Expression.
double rounded(long double value) { return static_cast<double>(value); }

double power(double x, double exponent) {
  constexpr double largest_whole = 64;
  if (std::abs(exponent) > largest_whole || exponent != std::floor(exponent)) {
    return rounded(std::pow(static_cast<long double>(x), static_cast<long double>(exponent)));
  }
  double result = 1, factor = x;
  for (int n = std::abs(static_cast<int>(exponent)); n > 0; n /= 2, factor *= factor) {
    if (n % 2 == 1) result *= factor;
  }
  return exponent < 0 ? 1 / result : result;
}

}  // namespace

Expression::Expression(std::string_view text) : text_(text) {
  if (text.size() > longest_text) {
    throw ExpressionError(
        0, fmt::format("has {} characters; at most {} are read", text.size(), longest_text));
  }
  if (const auto deep = find_deep_parenthesis(text); deep < text.size()) {
    throw ExpressionError(deep, "is nested too deep");
  }
  ExpressionBuilder builder{*this, {}};
  pegtl::memory_input<> input(text_.data(), text_.size(), "");
  try {
    pegtl::parse<grammar::Whole, Action>(input, builder);
  } catch (const pegtl::parse_error& error) {
    const std::size_t offset = error.positions().front().byte;
    throw ExpressionError(offset, describe_end(text, offset));
  }
}

bool Expression::has_name(std::string_view name) const {
  return std::ranges::find(names_, name) != names_.end();
}

double Expression::value(std::span<const double> values) const {
  std::array<double, deepest_stack> stack{};
  std::size_t size = 0;
  for (const Step& step : steps_) {
    switch (step.operation) {
      case Operation::push_number:
        stack[size++] = step.number;
        continue;
      case Operation::push_name:
        stack[size++] = values[step.name];
        continue;
      case Operation::negate:
        stack[size - 1] = -stack[size - 1];
        continue;
      case Operation::exp:
        stack[size - 1] = rounded(std::exp(static_cast<long double>(stack[size - 1])));
        continue;
      case Operation::log:
        stack[size - 1] = rounded(std::log(static_cast<long double>(stack[size - 1])));
        continue;
      case Operation::sqrt:
        stack[size - 1] = std::sqrt(stack[size - 1]);
        continue;
      case Operation::tanh:
        stack[size - 1] = rounded(std::tanh(static_cast<long double>(stack[size - 1])));
        continue;
      case Operation::abs:
        stack[size - 1] = std::abs(stack[size - 1]);
        continue;
      default:
        break;
    }
    const double second = stack[--size];
    double& first = stack[size - 1];
    switch (step.operation) {
      case Operation::add:
        first += second;
        break;
      case Operation::subtract:
        first -= second;
        break;
      case Operation::multiply:
        first *= second;
        break;
      case Operation::divide:
        first /= second;
        break;
      case Operation::power:
        first = power(first, second);
        break;
      case Operation::min:
        first = std::min(first, second);
        break;
      default:
        first = std::max(first, second);
        break;
    }
  }
  return stack[0];
}

}  // namespace nfold::input
