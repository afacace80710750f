// Serialisation of an accumulator's sums as 64-bit words of a checkpoint.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace nfold::analysis {

__extension__ using Int128 = __int128;

class WordWriter {
 public:
  void put(std::int64_t word) { words_.push_back(word); }
  void put_number(double value) { put(std::bit_cast<std::int64_t>(value)); }
  void put_wide(Int128 value) {
    put(static_cast<std::int64_t>(value));
    put(static_cast<std::int64_t>(value >> 64));
  }
  /// Writes the number of words, then the words.
  void put_all(std::span<const std::int64_t> words) {
    put(static_cast<std::int64_t>(words.size()));
    words_.insert(words_.end(), words.begin(), words.end());
  }
  [[nodiscard]] const std::vector<std::int64_t>& words() const { return words_; }

 private:
  std::vector<std::int64_t> words_;
};

/// Reader of saved words; get() throws std::out_of_range if a word is missing.
class WordReader {
 public:
  explicit WordReader(std::span<const std::int64_t> words) : words_(words) {}
  [[nodiscard]] std::int64_t get() {
    if (at_ >= words_.size()) throw std::out_of_range("saved sums end too early");
    return words_[at_++];
  }
  [[nodiscard]] Int128 get_wide() {
    const auto low = static_cast<std::uint64_t>(get());
    return (static_cast<Int128>(get()) << 64) | low;
  }
  [[nodiscard]] std::vector<std::int64_t> get_all() {
    const auto count = static_cast<std::size_t>(get());
    if (count > words_.size() - at_) throw std::out_of_range("saved sums end too early");
    const auto part = words_.subspan(at_, count);
    at_ += count;
    return {part.begin(), part.end()};
  }
  /// Throws std::out_of_range for another number of words.
  [[nodiscard]] std::vector<std::int64_t> get_all(std::size_t count) {
    auto words = get_all();
    if (words.size() != count) throw std::out_of_range("saved sums are those of another system");
    return words;
  }

 private:
  std::span<const std::int64_t> words_;
  std::size_t at_ = 0;
};

}  // namespace nfold::analysis
