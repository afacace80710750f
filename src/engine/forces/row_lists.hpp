// Lists of rows of varying length, interleaved as in kernels::RowLists, built on the host.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "device/device_array.hpp"
#include "device/refill.hpp"

namespace nfold::forces {

/// Host copy, for upload.
struct HostRowLists {
  std::vector<std::int64_t> first;
  std::vector<int> count, entry;

  /// Builds the lists: row r lists the indices k with row_of[k] == r, ascending; k with -1 is in no
  /// list. Padding entries are 0.
  void build(const std::vector<int>& row_of, int row_count) {
    using kernels::row_group;
    const auto rows = kernels::padded(row_count);
    count.assign(static_cast<std::size_t>(rows), 0);
    for (const int row : row_of) {
      if (row >= 0) ++count[static_cast<std::size_t>(row)];
    }
    first.assign(1, 0);
    first.reserve(static_cast<std::size_t>(rows / row_group) + 1);
    for (auto group = count.begin(); group != count.end(); group += row_group) {
      first.push_back(first.back() + *std::max_element(group, group + row_group));
    }
    entry.assign(static_cast<std::size_t>(first.back()) * row_group, 0);
    std::fill(count.begin(), count.end(), 0);
    for (std::size_t k = 0; k < row_of.size(); ++k) {
      if (row_of[k] < 0) continue;
      const auto row = static_cast<std::size_t>(row_of[k]);
      const auto place = static_cast<std::size_t>(first[row / row_group] + count[row]++);
      entry[place * row_group + row % row_group] = static_cast<int>(k);
    }
  }
};

class RowListArrays {
 public:
  explicit RowListArrays(const std::string& label)
      : first_(label + ".first"), count_(label + ".count"), entry_(label + ".entry") {}

  void take(const HostRowLists& lists) {
    reserve(std::ssize(lists.count), std::ssize(lists.entry));
    first_.upload(lists.first);
    count_.upload(lists.count);
    entry_.upload(lists.entry);
  }
  /// rows: padded number of rows.
  void reserve(std::int64_t rows, std::int64_t entries) {
    device::reserve_for_refill(first_, rows / kernels::row_group + 1);
    device::reserve_for_refill(count_, rows);
    device::reserve_for_refill(entry_, entries);
  }
  /// Sum over the groups of rows of their longest list, which sets the capacity of a group.
  [[nodiscard]] static std::int64_t longest_of_groups(const std::vector<int>& count) {
    using kernels::row_group;
    std::int64_t sum = 0;
    for (std::size_t first = 0; first < count.size(); first += row_group) {
      const auto end = std::min(count.size(), first + row_group);
      sum += *std::max_element(count.begin() + static_cast<std::ptrdiff_t>(first),
                               count.begin() + static_cast<std::ptrdiff_t>(end));
    }
    return sum;
  }
  [[nodiscard]] kernels::RowLists view() const {
    return {first_.data(), count_.data(), entry_.data()};
  }

 private:
  device::DeviceArray<std::int64_t> first_;
  device::DeviceArray<int> count_, entry_;
};

}  // namespace nfold::forces
