// Lists of rows of varying length, interleaved as kernels::RowLists says, built on the host.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "dynamics/device_array.hpp"

namespace nfold::dynamics {

class RowListArrays {
 public:
  explicit RowListArrays(const std::string& label)
      : first_(label + ".first"), count_(label + ".count"), entry_(label + ".entry") {}

  /// Entries that only fill a group up are 0.
  void build(const std::vector<std::vector<int>>& lists) {
    using kernels::row_group;
    const auto rows = kernels::padded(static_cast<int>(lists.size()));
    const int groups = rows / row_group;
    std::vector<std::int64_t> first{0};
    std::vector<int> count(static_cast<std::size_t>(rows), 0);
    for (int group = 0; group < groups; ++group) {
      std::size_t longest = 0;
      for (int r = group * row_group; r < (group + 1) * row_group; ++r) {
        if (r >= static_cast<int>(lists.size())) break;
        count[static_cast<std::size_t>(r)] =
            static_cast<int>(lists[static_cast<std::size_t>(r)].size());
        longest = std::max(longest, lists[static_cast<std::size_t>(r)].size());
      }
      first.push_back(first.back() + static_cast<std::int64_t>(longest));
    }
    std::vector<int> entry(static_cast<std::size_t>(first.back()) * row_group, 0);
    for (std::size_t r = 0; r < lists.size(); ++r) {
      const auto group = r / row_group;
      for (std::size_t k = 0; k < lists[r].size(); ++k) {
        entry[(static_cast<std::size_t>(first[group]) + k) * row_group + r % row_group] =
            lists[r][k];
      }
    }
    first_.upload(first);
    count_.upload(count);
    entry_.upload(entry);
  }
  [[nodiscard]] kernels::RowLists view() const {
    return {first_.data(), count_.data(), entry_.data()};
  }
  [[nodiscard]] std::int64_t bytes() const {
    return first_.bytes() + count_.bytes() + entry_.bytes();
  }

 private:
  DeviceArray<std::int64_t> first_;
  DeviceArray<int> count_, entry_;
};

}  // namespace nfold::dynamics
