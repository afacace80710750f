// Sequences that store copies once, read by iterator, by index and flat.
// SPDX-License-Identifier: BSD-3-Clause

#include "model/topology/repeated.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <utility>
#include <vector>

#include "model/topology/topology.hpp"

namespace nfold::topology {
namespace {

using Pairs = std::vector<std::pair<int, int>>;
using RepeatedPairs = Repeated<std::pair<int, int>>;

static_assert(std::random_access_iterator<RepeatedPairs::Iterator>);

/// Compares all ways of reading.
void expect_reads_as(const RepeatedPairs& sequence, const Pairs& expected) {
  ASSERT_EQ(sequence.size(), expected.size());
  EXPECT_EQ(sequence.empty(), expected.empty());
  EXPECT_EQ(sequence.flat(), expected);
  Pairs forwards;
  for (const auto& [i, j] : sequence) forwards.emplace_back(i, j);
  EXPECT_EQ(forwards, expected);
  Pairs backwards;
  for (auto it = sequence.end(); it != sequence.begin();) backwards.push_back(*--it);
  EXPECT_TRUE(std::equal(backwards.rbegin(), backwards.rend(), expected.begin(), expected.end()));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(sequence[i], expected[i]) << i;
    for (std::size_t j = 0; j < expected.size(); ++j) {
      const auto from = sequence.begin() + static_cast<std::ptrdiff_t>(i);
      const auto by = static_cast<std::ptrdiff_t>(j) - static_cast<std::ptrdiff_t>(i);
      EXPECT_EQ(*(from + by), expected[j]) << i << " to " << j;
      EXPECT_EQ(from[by], expected[j]);
      EXPECT_EQ((from + by) - from, by);
      EXPECT_EQ(from<from + by, by> 0);
    }
  }
  EXPECT_THROW((void)sequence.at(expected.size()), std::out_of_range);
}

/// Three blocks: 4 copies of 3 pairs, 1 of 1, 2 of 2.
RepeatedPairs three_blocks() {
  RepeatedPairs sequence;
  sequence.append({{0, 1}, {0, 2}, {3, 4}}, 4, {0, 5});
  sequence.append({{0, 9}}, 1, {20, 10});
  sequence.append({{0, 1}, {1, 2}}, 2, {30, 3});
  return sequence;
}
const Pairs three_blocks_flat{{0, 1},   {0, 2},   {3, 4},   {5, 6},   {5, 7},   {8, 9},
                              {10, 11}, {10, 12}, {13, 14}, {15, 16}, {15, 17}, {18, 19},
                              {20, 29}, {30, 31}, {31, 32}, {33, 34}, {34, 35}};

TEST(Repeated, EmptySequenceReadsAsEmpty) {
  expect_reads_as({}, {});
  RepeatedPairs nothing;
  nothing.append({}, 7, {});
  nothing.append({{1, 2}}, 0, {});
  expect_reads_as(nothing, {});
  EXPECT_TRUE(nothing.items().empty());
  expect_reads_as(nothing, {});
}

TEST(Repeated, SingleBlockReadsAsItsCopies) {
  expect_reads_as({{3, 1}, {4, 1}}, {{3, 1}, {4, 1}});
  RepeatedPairs copies;
  copies.append({{0, 1}, {1, 2}}, 3, {10, 4});
  expect_reads_as(copies, {{10, 11}, {11, 12}, {14, 15}, {15, 16}, {18, 19}, {19, 20}});
  EXPECT_EQ(copies.front(), std::pair(10, 11));
  EXPECT_EQ(copies.back(), std::pair(19, 20));
}

TEST(Repeated, ManyBlocksReadAsAllCopies) {
  const auto sequence = three_blocks();
  expect_reads_as(sequence, three_blocks_flat);
  EXPECT_TRUE(std::is_sorted(sequence.begin(), sequence.end()));
  for (const auto& pair : three_blocks_flat) {
    EXPECT_TRUE(std::binary_search(sequence.begin(), sequence.end(), pair));
    EXPECT_TRUE(std::ranges::binary_search(sequence, pair));
  }
  EXPECT_FALSE(std::ranges::binary_search(sequence, std::pair(5, 8)));
}

TEST(Repeated, CopiesTakeNoMemory) {
  RepeatedPairs few, many;
  few.append({{0, 1}, {1, 2}}, 2, {0, 3});
  many.append({{0, 1}, {1, 2}}, 1'000'000, {0, 3});
  EXPECT_EQ(few.bytes(), many.bytes());
  EXPECT_EQ(many.size(), 2'000'000U);
  EXPECT_EQ(many[1'999'999], std::pair(2'999'998, 2'999'999));
}

TEST(Repeated, CopiesAppendedOneByOneAreMerged) {
  RepeatedPairs one_by_one, at_once;
  at_once.append({{0, 1}, {1, 2}}, 100, {7, 3});
  for (int copy = 0; copy < 100; ++copy) one_by_one.append({{0, 1}, {1, 2}}, 1, {7 + 3 * copy, 3});
  EXPECT_EQ(one_by_one.bytes(), at_once.bytes());
  EXPECT_EQ(one_by_one.flat(), at_once.flat());
}

TEST(Repeated, DifferentSinglesFormOneBlock) {
  RepeatedPairs sequence;
  Pairs expected;
  for (int n = 0; n < 50; ++n) {
    sequence.append({{0, n}, {1, n}}, 1, {10 * n, 10});
    expected.emplace_back(10 * n, 11 * n);
    expected.emplace_back(10 * n + 1, 11 * n);
  }
  expect_reads_as(sequence, expected);
  RepeatedPairs plain(expected);
  EXPECT_EQ(sequence.bytes(), plain.bytes());
}

TEST(Repeated, OtherStrideStartsABlock) {
  RepeatedPairs sequence;
  sequence.append({{0, 1}}, 2, {0, 2});
  sequence.append({{0, 1}}, 2, {4, 3});  // continues the first block with another stride
  expect_reads_as(sequence, {{0, 1}, {2, 3}, {4, 5}, {7, 8}});
}

TEST(Repeated, ItemsAfterCopiesKeepTheirValues) {
  auto sequence = three_blocks();
  auto expected = three_blocks_flat;
  for (const auto& pair : {std::pair(1, 2), std::pair(0, 40)}) {
    sequence.push_back(pair);
    expected.push_back(pair);
  }
  sequence.emplace_back(5, 6);
  expected.emplace_back(5, 6);
  expect_reads_as(sequence, expected);
}

TEST(Repeated, WritingLeavesOtherSequences) {
  auto sequence = three_blocks();
  const auto before = sequence;
  sequence.items()[4] = {-1, -2};
  auto expected = three_blocks_flat;
  expected[4] = {-1, -2};
  expect_reads_as(sequence, expected);
  expect_reads_as(before, three_blocks_flat);
  sequence.clear();
  expect_reads_as(sequence, {});
}

TEST(Repeated, ResiduesAndPositionsAreShifted) {
  Repeated<Residue> residues;
  residues.append({{"GLY", 1, ' ', 0, 0, 57, 0, 3, -1}, {"LYS", 2, ' ', 1, 1, 128, 1, 4, 0}}, 3,
                  {{10, 2}, {20, 2}, {30, 1}});
  ASSERT_EQ(residues.size(), 6U);
  const Residue loose = residues[4], folded = residues[5];
  EXPECT_EQ(loose.name, "GLY");
  EXPECT_EQ(loose.chain, 14);
  EXPECT_EQ(loose.segment, 24);
  EXPECT_EQ(loose.domain, -1);  // none stays none
  EXPECT_EQ(folded.chain, 15);
  EXPECT_EQ(folded.segment, 25);
  EXPECT_EQ(folded.domain, 32);
  EXPECT_EQ(folded.charge_e, 1);

  Repeated<std::array<double, 3>> positions;
  positions.append({{0.5, 1, 2}}, 4, {6, 2, 10.0});  // the last two of a second layer of two by two
  EXPECT_EQ(positions[0], (std::array{0.5, 11.0, 12.0}));
  EXPECT_EQ(positions[1], (std::array{10.5, 11.0, 12.0}));
  EXPECT_EQ(positions[2], (std::array{0.5, 1.0, 22.0}));
  const double nowhere = std::nan("");
  Repeated<std::array<double, 3>> unknown;
  for (int n = 0; n < 3; ++n) unknown.append({{nowhere, nowhere, nowhere}}, 1, {n, 2, 1.0});
  EXPECT_EQ(unknown.size(), 3U);
  EXPECT_EQ(unknown.bytes(), positions.bytes());  // stored once, although NaN does not equal itself
}

TEST(ResidueName, HoldsSevenLettersAndRefusesMore) {
  EXPECT_EQ(ResidueName("SEVENTH").view(), "SEVENTH");
  EXPECT_EQ(ResidueName("").view(), "");
  EXPECT_THROW(ResidueName("EIGHTHLY"), std::length_error);
}

}  // namespace
}  // namespace nfold::topology
