// Help on keys and sections, and the committed reference.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/reference.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "core/input_error.hpp"
#include "input/keys.hpp"

namespace nfold::input {
namespace {

using testing::HasSubstr;

TEST(Help, ShowsKeysByFullOrLastName) {
  EXPECT_THAT(help_topic("dynamics.time_step_ps"), HasSubstr("a number > 0 and <= 1 [ps]"));
  EXPECT_EQ(help_topic("time_step_ps"), help_topic("dynamics.time_step_ps"));
  EXPECT_THAT(help_topic("seed"), HasSubstr("partition.seed"));
  EXPECT_THAT(help_topic("seed"), HasSubstr("dynamics.seed"));
  EXPECT_THAT(help_topic("force_field"), HasSubstr("nfold help force_field.contacts"));
  for (const auto& section : input::all_sections()) {
    EXPECT_THAT(help_overview(), HasSubstr(std::string(section.name)));
  }
  try {
    (void)help_topic("tiem_step_ps");
    FAIL() << "found";
  } catch (const core::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'dynamics.time_step_ps'?"));
  }
}

TEST(Help, FindsKeysByWord) {
  const auto text = help_topic("temperature");
  EXPECT_THAT(text, HasSubstr(help_topic("dynamics.temperature_kelvin")));
  EXPECT_THAT(text, HasSubstr(help_topic("ensemble.temperatures_kelvin")));
  EXPECT_THAT(text, HasSubstr("whose explanations mention 'temperature'"));
  EXPECT_EQ(help_topic("Temperature").substr(0, 200), text.substr(0, 200));
  EXPECT_THROW((void)help_topic("xyzzy"), core::InputError);
  EXPECT_THROW((void)help_topic("a"), core::InputError);
}

TEST(Reference, CommittedFileIsUpToDate) {
  std::ifstream file(NFOLD_SOURCE_DIR "/input/REFERENCE.md");
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), reference_markdown())
      << "renew it: nfold help --reference > input/REFERENCE.md";
}

}  // namespace
}  // namespace nfold::input
