// Changes of a list between two starts of a batch.
// SPDX-License-Identifier: BSD-3-Clause
#include "batch/list_changes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace nfold::batch {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* earlier = R"(
batch: {seed: 1}
input: {dynamics: {steps: 1000}}
targets:
- {name: a, structure: a.pdb, chains: [A]}
- {name: b, structure: b.pdb}
)";

TEST(ListChanges, AreAddedAndRemovedTargetsAndKeys) {
  constexpr const char* now = R"(
batch: {seed: 2}
targets:
- {name: c, structure: c.pdb}
- {name: a, structure: a.pdb, chains: [A, B], input: {dynamics: {steps: 5}}}
)";
  EXPECT_THAT(
      describe_list_changes(earlier, now, "list.yaml"),
      ElementsAre("targets added: c", "targets removed: b",
                  "batch.seed: 1 -> 2, input.dynamics.steps: 1000 -> not set",
                  "target 'a': chains[1]: not set -> B, input.dynamics.steps: not set -> 5"));
}

TEST(ListChanges, IgnoreOrderAndLayout) {
  constexpr const char* now = R"(
targets:
- name: b
  structure: b.pdb
- {chains: [A], structure: a.pdb, name: a}   # a comment
input:
  dynamics:
    steps: 1000
batch: {seed: 1}
)";
  EXPECT_THAT(describe_list_changes(earlier, now, "list.yaml"), IsEmpty());
}

TEST(ListChanges, NameFirstTenTargets) {
  std::string now = "targets:\n";
  for (int k = 10; k < 23; ++k) {
    now += "- {name: x" + std::to_string(k) + ", structure: x.pdb}\n";
  }
  EXPECT_EQ(describe_list_changes(earlier, now, "list.yaml").front(),
            "targets added: x10, x11, x12, x13, x14, x15, x16, x17, x18, x19 and 3 more");
}

TEST(ListChanges, AreLimitedToTwenty) {
  const auto list = [](const std::string& seed) {
    std::string text = "targets:\n";
    for (int k = 10; k < 35; ++k) {
      text += "- {name: x" + std::to_string(k) + ", input: {dynamics: {seed: " + seed + "}}}\n";
    }
    return text;
  };
  const auto changes = describe_list_changes(list("1"), list("2"), "list.yaml");
  ASSERT_EQ(changes.size(), 21U);
  EXPECT_EQ(changes.front(), "target 'x10': input.dynamics.seed: 1 -> 2");
  EXPECT_EQ(changes.back(), "5 more changes");
}

TEST(ListChanges, IgnoreUnreadableEarlierList) {
  for (const char* text : {"", "targets: 5\n", "- torn"}) {
    EXPECT_THAT(describe_list_changes(text, earlier, "list.yaml"), IsEmpty()) << text;
  }
}

}  // namespace
}  // namespace nfold::batch
