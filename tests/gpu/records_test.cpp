// Packed records in memory reallocated at the same address, where old contents are lost.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "device/device_array.hpp"
#include "engine/forces/cuda/sorted_rows.hpp"
#include "support/kokkos_scope.hpp"

namespace nfold::forces {
namespace {

const auto* const scope = test::start_kokkos();

using Record = kernels::PackedRow<kernels::Mixed>;

constexpr int capacity = 8;  // records of one set

/// Tags of the first records of both sets.
std::vector<int> read_tags(const device::DeviceArray<int>& memory, int records) {
  constexpr int words = sizeof(Record) / sizeof(int), tag = 3;
  const auto all = memory.download(2 * capacity * words);
  std::vector<int> found;
  for (int set = 0; set < 2; ++set) {
    for (int k = 0; k < records; ++k) {
      found.push_back(all[static_cast<std::size_t>((set * capacity + k) * words + tag)]);
    }
  }
  return found;
}

TEST(SortedList, WritesTagsIntoReallocatedMemory) {
  // Rows 0 and 2 are owned and charged, row 4 is a charged ghost; two owned ones leave no gap
  // before it.
  const std::vector<int> charges{5, 0, 7, 0, 9};
  device::DeviceArray<int> ids("ids"), memory("memory");
  ids.upload({0, 1, 2, 3, 4});
  memory.reserve(2 * capacity * static_cast<std::int64_t>(sizeof(Record) / sizeof(int)));
  memory.fill(0);
  SortedList<kernels::Mixed> list("charged");
  list.set_tags(charges, false);
  list.set_owned(2);
  const auto place = [&](int taken, bool new_ghosts) {
    list.find_members(ids.data(), 4, 5, new_ghosts);
    list.place_members(ids.data(), {reinterpret_cast<Record*>(memory.data()), capacity, taken});
    return read_tags(memory, 3);
  };
  const std::vector<int> expected{5, 7, 9, 5, 7, 9};
  EXPECT_EQ(place(1, false), expected);
  EXPECT_EQ(place(1, true), expected);
  memory.fill(0);
  EXPECT_EQ(place(2, true), expected);
}

}  // namespace
}  // namespace nfold::forces
