// Durations on the command line: accepted and refused forms.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/duration.hpp"

#include <gtest/gtest.h>

#include "core/input_error.hpp"

namespace {

double seconds(const std::string& text) {
  return nfold::core::parse_duration_seconds(text, "--time-limit");
}

TEST(Duration, AcceptsEveryForm) {
  EXPECT_EQ(seconds("90"), 90);
  EXPECT_EQ(seconds("2.5s"), 2.5);
  EXPECT_EQ(seconds("30m"), 1800);
  EXPECT_EQ(seconds("1.5h"), 5400);
  EXPECT_EQ(seconds("2d"), 172800);
  EXPECT_EQ(seconds("01:30"), 90);
  EXPECT_EQ(seconds("12:00:01"), 43201);
  EXPECT_EQ(seconds("1-02:03:04"), 93784);
}

TEST(Duration, ErrorsNameOptionAndText) {
  for (const char* text : {"", "0", "-5", "5x", "1:2:3:4", "ten", "1:", ":", "nan", "inf", "1e3",
                           "5 s", "h", "1-", "--"}) {
    try {
      static_cast<void>(seconds(text));
      ADD_FAILURE() << "'" << text << "' was taken as a duration";
    } catch (const nfold::core::InputError& error) {
      EXPECT_NE(std::string(error.what()).find("--time-limit: '" + std::string(text) + "'"),
                std::string::npos)
          << error.what();
    }
  }
}

}  // namespace
