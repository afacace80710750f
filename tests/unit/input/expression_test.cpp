// Arithmetic expressions: values, names and places of errors.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/expression.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace nfold::input {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

double value(const std::string& text, const std::vector<double>& values = {}) {
  return Expression(text).value(values);
}

// Source: Python.
TEST(Expression, FollowsPrecedence) {
  EXPECT_EQ(value("1 + 2*3"), 7);
  EXPECT_EQ(value("(1 + 2)*3"), 9);
  EXPECT_EQ(value("8/4/2"), 1);
  EXPECT_EQ(value("7 - 3 - 2"), 2);
  EXPECT_EQ(value("-2^2"), -4);
  EXPECT_EQ(value("2^-1"), 0.5);
  EXPECT_EQ(value("2^3^2"), 512);
  EXPECT_EQ(value("--3"), 3);
  EXPECT_EQ(value("-3*-2"), 6);
  EXPECT_EQ(value("+1.5e1 - .5"), 14.5);
  EXPECT_EQ(value(" 1\t+\n1 "), 2);
}

// Source: Python's math, rounded to double.
TEST(Expression, HasFunctions) {
  EXPECT_EQ(value("exp(1)"), 2.718281828459045);
  EXPECT_EQ(value("log(10)"), 2.302585092994046);
  EXPECT_EQ(value("sqrt(0.7)"), 0.8366600265340756);
  EXPECT_DOUBLE_EQ(value("tanh(0.5)"), 0.46211715726000973);
  EXPECT_DOUBLE_EQ(value("10^(6.01 - 7.5)"), 0.0323593656929628);
  EXPECT_EQ(value("abs(-3) + min(1, 2) + max(1, 2)"), 6);
  EXPECT_EQ(value("pi"), 3.141592653589793);
  EXPECT_EQ(value("0.1^3"), 0.1 * (0.1 * 0.1));
}

TEST(Expression, ListsEachNameOnce) {
  const Expression terms("a*exp(-r/b)/r + a");
  EXPECT_THAT(terms.names(), ElementsAre("a", "r", "b"));
  EXPECT_TRUE(terms.has_name("r"));
  EXPECT_FALSE(terms.has_name("exp"));
  EXPECT_EQ(terms.value(std::vector{2.0, 1.0, 1e300}), 4);
}

TEST(Expression, ReturnsWhatIsNotFinite) {
  EXPECT_EQ(value("1/0"), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(value("sqrt(-1)")));
  EXPECT_TRUE(std::isnan(value("0/0")));
  EXPECT_EQ(value("exp(1e4)"), std::numeric_limits<double>::infinity());
}

struct Wrong {
  std::string text;
  std::size_t offset;
  std::string problem;
};
class WrongExpression : public testing::TestWithParam<Wrong> {};

TEST_P(WrongExpression, IsRefusedAtItsPlace) {
  const auto& [text, offset, problem] = GetParam();
  try {
    (void)Expression(text);
    FAIL() << "accepted";
  } catch (const ExpressionError& error) {
    EXPECT_EQ(error.offset(), offset);
    EXPECT_THAT(error.what(), HasSubstr(problem));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongExpression,
    testing::Values(Wrong{"", 0, "ends too early"}, Wrong{"1 +", 3, "ends too early"},
                    Wrong{"(1", 2, "ends too early"}, Wrong{"1)", 1, "unexpected ')'"},
                    Wrong{"2x", 1, "unexpected 'x'"}, Wrong{"a$", 1, "unexpected '$'"},
                    Wrong{"1,2", 1, "unexpected ','"}, Wrong{"a = 1", 2, "unexpected '='"},
                    Wrong{"a ? 1 : 2", 2, "unexpected '?'"}, Wrong{"a[0]", 1, "unexpected '['"},
                    Wrong{"1e400", 0, "'1e400' is no number"},
                    Wrong{"1 + foo(3)", 4, "unknown function 'foo'"},
                    Wrong{"sin(1)", 0, "unknown function 'sin'"},
                    Wrong{"min(1)", 0, "min takes 2 arguments, not 1"},
                    Wrong{"exp(1, 2)", 0, "exp takes 1 argument, not 2"},
                    Wrong{"exp + 1", 0, "'exp' needs an argument"},
                    Wrong{"exp()", 4, "unexpected ')'"},
                    Wrong{std::string("1\0", 2), 1, "unexpected character"},
                    Wrong{std::string(51, '(') + "1" + std::string(51, ')'), 50, "nested too deep"},
                    Wrong{std::string(1001, '1'), 0, "1001 characters"}));

TEST(Expression, LimitsItsStack) {
  std::string text = "1";
  for (int i = 0; i < 70; ++i) text = "2^" + text;
  EXPECT_THROW((void)Expression(text), ExpressionError);
  EXPECT_EQ(value(std::string(900, '-') + "1"), 1);
}

}  // namespace
}  // namespace nfold::input
