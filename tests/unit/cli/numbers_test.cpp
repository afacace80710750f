// Numbers on the command line and their ranges.
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <string>

#include "cli/command_options.hpp"

namespace nfold::cli {
namespace {

/// Returns the number that the check makes of a text, or its message.
std::string read(const CLI::Validator& check, std::string text) {
  const std::string message = check(text);
  return message.empty() ? text : message;
}

TEST(Numbers, AreFiniteDecimalsWithinTheirRange) {
  EXPECT_EQ(read(real_from(0, 10), "1e1"), "10");
  EXPECT_EQ(read(real_from(0, 10), "0"), "0");
  for (const char* text : {"nan", "inf", "-1", "10.5", "0x1", "1 s", "", "1,5"}) {
    EXPECT_THAT(read(real_from(0, 10), text), testing::HasSubstr("a number from 0 to 10")) << text;
  }
  EXPECT_THAT(read(real_above(0, 10), "0"), testing::HasSubstr("above 0"));
  EXPECT_EQ(read(real_above(0, 10), "10"), "10");
}

TEST(Numbers, AcceptAnyFormOfInteger) {
  EXPECT_EQ(read(whole_from(-5, 1'000'000), "1e6"), "1000000");
  EXPECT_EQ(read(whole_from(-5, 5), "-1"), "-1");
  for (const char* text : {"2.5", "6", "-6", "nan", "--1", "99999999999999999999"}) {
    EXPECT_THAT(read(whole_from(-5, 5), text), testing::HasSubstr("a whole number from -5 to 5"))
        << text;
  }
}

TEST(Numbers, SizesHaveUnits) {
  EXPECT_EQ(read(size_in_bytes(), "7.6GB"), "7600000000");
  EXPECT_EQ(read(size_in_bytes(), "500 MB"), "500000000");
  EXPECT_EQ(read(size_in_bytes(), "2GiB"), "2147483648");
  EXPECT_EQ(read(size_in_bytes(), "4096"), "4096");
  for (const char* text : {"-1", "0", "nanGB", "GB", "1e300GB", "7,6GB"}) {
    EXPECT_THAT(read(size_in_bytes(), text), testing::HasSubstr("is not a size")) << text;
  }
}

}  // namespace
}  // namespace nfold::cli
