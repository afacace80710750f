// Edit distance and the word that a mistyped one means.
// SPDX-License-Identifier: BSD-3-Clause

#include "core/nearest.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace nfold::core {
namespace {

TEST(Nearest, EditDistanceCountsEdits) {
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("steps", "steps"), 0U);
  EXPECT_EQ(edit_distance("stesp", "steps"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(Nearest, FindsWordsWithinAThirdOfTheLength) {
  constexpr std::array<std::string_view, 3> known{"protocol", "seed", "machine"};
  EXPECT_EQ(nearest_word("protocl", known), "protocol");
  EXPECT_EQ(nearest_word("sede", known), "seed");
  EXPECT_EQ(nearest_word("budget", known), "");
  EXPECT_EQ(nearest_word(std::string(100'000, 'x'), known), "");
}

}  // namespace
}  // namespace nfold::core
