// Compressed column of numbers, few of which are distinct.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

namespace nfold::start {

/// Column of numbers (count), initially 0. It takes one byte per number for up to 256 distinct
/// ones, else four.
template <class T>
class RepeatedNumbers {
 public:
  explicit RepeatedNumbers(std::size_t count) : narrow_(count, 0) { (void)find_index(T{}); }

  [[nodiscard]] bool empty() const { return narrow_.empty() && wide_.empty(); }
  [[nodiscard]] T operator[](std::size_t index) const {
    return distinct_[wide_.empty() ? narrow_[index] : wide_[index]];
  }
  void set(std::size_t index, T number) {
    const std::uint32_t distinct = find_index(number);
    if (wide_.empty() && distinct > std::numeric_limits<std::uint8_t>::max()) {
      wide_.assign(narrow_.begin(), narrow_.end());
      narrow_ = std::vector<std::uint8_t>();
    }
    if (wide_.empty()) {
      narrow_[index] = static_cast<std::uint8_t>(distinct);
    } else {
      wide_[index] = distinct;
    }
  }

 private:
  [[nodiscard]] std::uint32_t find_index(T number) {
    if (last_ < distinct_.size() && distinct_[last_] == number) return last_;
    const auto [at, is_new] =
        index_of_.try_emplace(number, static_cast<std::uint32_t>(distinct_.size()));
    if (is_new) distinct_.push_back(number);
    last_ = at->second;
    return last_;
  }

  std::vector<std::uint8_t> narrow_;
  std::vector<std::uint32_t> wide_;  // replaces narrow_ if not empty
  std::vector<T> distinct_;
  std::map<T, std::uint32_t> index_of_;
  std::uint32_t last_ = 0;  // index of the latest number
};

}  // namespace nfold::start
