// Topics and guides of nfold help.
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>

#include "cli/guides.hpp"
#include "cli/help_models.hpp"
#include "cli/help_topics.hpp"
#include "input/force_field.hpp"
#include "input/keys.hpp"

namespace nfold::cli {
namespace {

using testing::HasSubstr;

TEST(HelpTopics, NameExistingKeysAndGuides) {
  ASSERT_FALSE(help_topics().empty());
  for (const auto& topic : help_topics()) {
    std::istringstream keys{std::string(topic.keys)};
    for (std::string key; keys >> key;) {
      EXPECT_TRUE(input::find_key(key) != nullptr || input::find_section(key) != nullptr) << key;
    }
    EXPECT_TRUE(topic.guide.empty() || find_guide(topic.guide) != nullptr) << topic.guide;
  }
}

TEST(HelpTopics, KnowTermsOfOtherPrograms) {
  for (const char* word : {"Rg", "pbc", "dt", "slurm", "xtc", "replica exchange", "REMD",
                           "replica-exchange", "neighbor_list"}) {
    EXPECT_NE(find_topic(word), nullptr) << word;
  }
  EXPECT_EQ(find_topic("xyzzy"), nullptr);
  EXPECT_THAT(describe_topic(*find_topic("dt")), HasSubstr("  dynamics.time_step_ps\n"));
  EXPECT_THAT(describe_topic(*find_topic("slurm")), HasSubstr("nfold plan --help"));
}

TEST(HelpTopics, HaveUniqueWords) {
  std::set<std::string> words;
  for (const auto& topic : help_topics()) {
    std::istringstream list{std::string(topic.words)};
    for (std::string word; std::getline(list, word, ',');) {
      const auto begin = word.find_first_not_of(' ');
      ASSERT_NE(begin, std::string::npos) << topic.words;
      EXPECT_TRUE(words.insert(word.substr(begin)).second) << word;
    }
  }
  EXPECT_FALSE(words.empty());
}

TEST(HelpModels, ListEveryModelWithItsFacts) {
  const std::string table = describe_models();
  const auto& names = input::builtin_force_field_names();
  ASSERT_FALSE(names.empty());
  for (const auto name : names) {
    EXPECT_THAT(table, HasSubstr("\n  " + std::string(name) + " ")) << name;
    EXPECT_THAT(describe_model(name), HasSubstr("\n    fitted for")) << name;
  }
  EXPECT_THAT(describe_model("mpipi-recharged"),
              HasSubstr("contact 3 sigma, at most 2.451 nm, charges 3.5 nm"));
  EXPECT_THAT(describe_model("calvados2"), HasSubstr("contact 2 nm, charges 4 nm"));
  EXPECT_EQ(describe_model("nowhere"), "");
}

TEST(Guides, AreFoundIgnoringCase) {
  ASSERT_NE(find_guide("DEVICES"), nullptr);
  EXPECT_EQ(find_guide("devices.md"), find_guide("DEVICES"));
  EXPECT_EQ(find_guide("nowhere"), nullptr);
  for (const auto& guide : guides()) {
    EXPECT_TRUE(guide.text.starts_with("# ")) << guide.name;
    EXPECT_FALSE(guide.title().empty()) << guide.name;
  }
}

}  // namespace
}  // namespace nfold::cli
