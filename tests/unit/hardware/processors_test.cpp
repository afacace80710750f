// Sets of processors: text, sharing and affinity.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/hardware/processors.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "processor_range.hpp"

namespace nfold::hardware {
namespace {

using Sets = std::vector<ProcessorSet>;

TEST(Processors, AreFormattedLikeLinux) {
  EXPECT_EQ(list_text(processor_range(0, 16) | processor_range(32, 33) | processor_range(40, 42)),
            "0-15,32,40-41");
  EXPECT_EQ(list_text({}), "");
  for (const char* text : {"", "3", "0-15,32,40-41", "1023"}) {
    const auto set = parse_list(text);
    ASSERT_TRUE(set) << text;
    EXPECT_EQ(list_text(*set), text);
  }
  for (const char* text : {"a", "1-", "3-1", "1024", "1;2"}) EXPECT_FALSE(parse_list(text)) << text;
}

TEST(Processors, AreSharedEvenly) {
  const Sets unbound(4, processor_range(0, 16));
  EXPECT_EQ(share_of_processors(unbound, 2), 4);
  EXPECT_EQ(share_of_processors(Sets(3, processor_range(0, 16)), 0), 5);
  // Slurm's --cpus-per-task=4: each rank has its own processors, and all of them.
  const Sets bound{processor_range(0, 4), processor_range(4, 8), processor_range(8, 12),
                   processor_range(12, 16)};
  for (std::size_t k = 0; k < bound.size(); ++k) EXPECT_EQ(share_of_processors(bound, k), 4);
  // One rank is bound to half of the processors of the other.
  EXPECT_EQ(share_of_processors(Sets{processor_range(0, 4), processor_range(0, 8)}, 0), 2);
  EXPECT_EQ(share_of_processors(Sets{processor_range(0, 4), processor_range(0, 8)}, 1), 6);
  EXPECT_EQ(share_of_processors(Sets(8, processor_range(0, 2)), 7), 1) << "never none";
}

TEST(Processors, AffinityCanBeReadAndSet) {
  const auto before = bound_processors();
  ASSERT_TRUE(before.any());
  std::size_t first = 0;
  while (!before[first]) ++first;
  ASSERT_TRUE(bind_to(processor_range(first, first + 1)));
  EXPECT_EQ(bound_processors(), processor_range(first, first + 1));
  const auto reachable = reachable_processors();
  EXPECT_EQ(bound_processors().count(), 1U) << "to ask changes nothing";
  ASSERT_TRUE(reachable);
  EXPECT_EQ(*reachable & before, before);
  EXPECT_TRUE(bind_to(before));
}

}  // namespace
}  // namespace nfold::hardware
