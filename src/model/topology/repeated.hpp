// Sequence of copies that stores repeated items once and returns values.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace nfold::topology {

/// Shift of ids: copy n adds first + n * stride to the ids of the stored items.
struct IdRule {
  int first = 0, stride = 0;
  [[nodiscard]] int copy_shift(std::size_t copy) const {
    return first + static_cast<int>(copy) * stride;
  }
  /// Returns the rule of the copies that follow so many copies.
  [[nodiscard]] IdRule behind(std::size_t copies) const { return {copy_shift(copies), stride}; }
  [[nodiscard]] bool operator==(const IdRule&) const = default;
};

/// Shift of a copy of a T, and bitwise equality of two items. The default serves bonded terms.
template <class T>
struct Copying {
  using Rule = IdRule;
  static void shift(T& item, int by) { item.shift(by); }
  [[nodiscard]] static bool same(const T& a, const T& b) {
    const auto [residues, numbers] = a.parts();
    const auto [other_residues, other_numbers] = b.parts();
    return residues == other_residues &&
           std::equal(numbers.begin(), numbers.end(), other_numbers.begin(),
                      [](double x, double y) {
                        return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
                      });
  }
};
template <>
struct Copying<std::pair<int, int>> {
  using Rule = IdRule;
  static void shift(std::pair<int, int>& pair, int by) { pair.first += by, pair.second += by; }
  [[nodiscard]] static bool same(const std::pair<int, int>& a, const std::pair<int, int>& b) {
    return a == b;
  }
};

/// Blocks of copies, one behind the other. Reads like a vector, but returns values: an item of a
/// copy is made on access. Write through items() or push_back().
template <class T>
class Repeated {
 public:
  using Rule = typename Copying<T>::Rule;
  using Shift = decltype(Rule{}.copy_shift(0));
  using value_type = T;
  class Iterator;
  using const_iterator = Iterator;

  Repeated() = default;
  Repeated(std::initializer_list<T> items) {
    if (items.size() > 0) blocks_.emplace_back().items.assign(items.begin(), items.end());
  }
  Repeated(std::vector<T> items) {  // NOLINT(google-explicit-constructor): a vector is one
    if (!items.empty()) blocks_.push_back({std::move(items), 1, {}, 0});
  }

  [[nodiscard]] std::size_t size() const { return blocks_.empty() ? 0 : blocks_.back().end(); }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] Iterator begin() const { return {*this, 0}; }
  [[nodiscard]] Iterator end() const { return {*this, size()}; }
  // Const return type, so that copies cannot be assigned to.
  [[nodiscard]] const T operator[](std::size_t index) const {
    const Block& block = block_of(index);
    const Location at = block.locate(index);
    return shifted(block.items[at.item], block.rule.copy_shift(at.copy));
  }
  // NOLINTNEXTLINE(readability-const-return-type)
  [[nodiscard]] const T at(std::size_t index) const {
    if (index < size()) return (*this)[index];
    throw std::out_of_range("item " + std::to_string(index) + " of " + std::to_string(size()));
  }
  // NOLINTNEXTLINE(readability-const-return-type)
  [[nodiscard]] const T front() const { return (*this)[0]; }
  // NOLINTNEXTLINE(readability-const-return-type)
  [[nodiscard]] const T back() const { return (*this)[size() - 1]; }
  /// Returns all items as a vector.
  [[nodiscard]] std::vector<T> flat() const { return std::vector<T>(begin(), end()); }
  /// Memory of the stored items [bytes].
  [[nodiscard]] std::int64_t bytes() const {
    std::size_t sum = blocks_.size() * sizeof(Block);
    for (const Block& block : blocks_) sum += block.items.size() * sizeof(T);
    return static_cast<std::int64_t>(sum);
  }

  /// Returns all items for writing. Copies become stored items.
  [[nodiscard]] std::vector<T>& items() {
    if (blocks_.size() != 1 || !blocks_.front().is_plain()) *this = Repeated(flat());
    if (blocks_.empty()) blocks_.emplace_back();
    return blocks_.front().items;
  }
  void push_back(const T& item) { plain_end().push_back(item); }
  template <class... Values>
  void emplace_back(Values&&... values) {
    plain_end().emplace_back(std::forward<Values>(values)...);
  }
  void clear() { blocks_.clear(); }
  /// Sets the capacity for the total number of items, used if they do not repeat.
  void reserve(std::size_t count) { expected_ = count; }
  /// Appends copies of these items; those of copy n are shifted by rule.copy_shift(n).
  void append(const std::vector<T>& items, std::size_t copies, const Rule& rule) {
    if (items.empty() || copies == 0) return;
    if (!blocks_.empty()) {
      Block& last = blocks_.back();
      if (last.goes_on_with(items, rule)) {
        last.copies += copies;
        return;
      }
      if (last.copies == 1 && copies == 1) {  // many different items form one block
        auto& plain = plain_end();
        for (const T& item : items) plain.push_back(shifted(item, rule.copy_shift(0)));
        return;
      }
    }
    blocks_.push_back({items, copies, rule, size()});
  }

 private:
  struct Location {
    std::size_t copy, item;
  };
  struct Block {
    std::vector<T> items;  // items of one copy
    std::size_t copies = 1;
    Rule rule;
    std::size_t first = 0;  // index of its first item

    [[nodiscard]] std::size_t end() const { return first + items.size() * copies; }
    [[nodiscard]] bool is_plain() const { return copies == 1 && rule == Rule{}; }
    [[nodiscard]] Location locate(std::size_t index) const {
      const std::size_t at = index - first;
      if (copies == 1) return {0, at};
      // Division of 32-bit numbers takes at most half the time of 64-bit ones.
      if (at <= UINT32_MAX && items.size() <= UINT32_MAX) {
        const auto narrow = static_cast<std::uint32_t>(at);
        const auto length = static_cast<std::uint32_t>(items.size());
        return {narrow / length, narrow % length};
      }
      return {at / items.size(), at % items.size()};
    }
    [[nodiscard]] bool goes_on_with(const std::vector<T>& others, const Rule& other) const {
      return rule.behind(copies) == other &&
             std::equal(items.begin(), items.end(), others.begin(), others.end(), Copying<T>::same);
    }
  };

  [[nodiscard]] static T shifted(T item, const Shift& by) {
    Copying<T>::shift(item, by);
    return item;
  }
  [[nodiscard]] const Block& block_of(std::size_t index) const {
    if (blocks_.size() == 1) return blocks_.front();
    return *(std::upper_bound(blocks_.begin(), blocks_.end(), index,
                              [](std::size_t at, const Block& block) { return at < block.first; }) -
             1);
  }
  /// Returns the items of the last block, none of which is a copy.
  [[nodiscard]] std::vector<T>& plain_end() {
    if (blocks_.empty() || blocks_.back().copies > 1) {
      blocks_.push_back({{}, 1, {}, size()});
    }
    Block& last = blocks_.back();
    if (!last.is_plain()) {
      for (T& item : last.items) Copying<T>::shift(item, last.rule.copy_shift(0));
      last.rule = {};
    }
    if (last.items.capacity() < expected_ - std::min(expected_, last.first)) {
      last.items.reserve(expected_ - last.first);
    }
    return last.items;
  }

  std::vector<Block> blocks_;
  std::size_t expected_ = 0;
};

/// Iterator that walks within a copy, then to the next one, without division. It returns values,
/// but is tagged random access because algorithms jump with it.
template <class T>
class Repeated<T>::Iterator {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using difference_type = std::ptrdiff_t;
  using value_type = T;
  using reference = T;
  using pointer = void;

  Iterator() = default;
  Iterator(const Repeated& of, std::size_t index) : of_(&of), index_(index) { seek(); }

  [[nodiscard]] T operator*() const { return shifted(*item_, shift_); }
  [[nodiscard]] T operator[](difference_type by) const { return (*of_)[moved(by)]; }
  Iterator& operator++() {
    ++index_;
    if (++item_ == end_) seek();
    return *this;
  }
  Iterator operator++(int) {
    Iterator before = *this;
    ++*this;
    return before;
  }
  Iterator& operator--() { return *this += -1; }
  Iterator operator--(int) {
    Iterator before = *this;
    --*this;
    return before;
  }
  Iterator& operator+=(difference_type by) {
    index_ = moved(by);
    seek();
    return *this;
  }
  Iterator& operator-=(difference_type by) { return *this += -by; }
  [[nodiscard]] friend Iterator operator+(Iterator it, difference_type by) { return it += by; }
  [[nodiscard]] friend Iterator operator+(difference_type by, Iterator it) { return it += by; }
  [[nodiscard]] friend Iterator operator-(Iterator it, difference_type by) { return it -= by; }
  [[nodiscard]] friend difference_type operator-(const Iterator& a, const Iterator& b) {
    return static_cast<difference_type>(a.index_) - static_cast<difference_type>(b.index_);
  }
  [[nodiscard]] bool operator==(const Iterator& other) const { return index_ == other.index_; }
  [[nodiscard]] auto operator<=>(const Iterator& other) const { return index_ <=> other.index_; }

 private:
  [[nodiscard]] std::size_t moved(difference_type by) const {
    return static_cast<std::size_t>(static_cast<difference_type>(index_) + by);
  }
  void seek() {
    if (index_ >= of_->size()) return;  // at the end or behind it
    const Block& block = of_->block_of(index_);
    const Location at = block.locate(index_);
    item_ = block.items.data() + at.item;
    end_ = block.items.data() + block.items.size();
    shift_ = block.rule.copy_shift(at.copy);
  }

  const Repeated* of_ = nullptr;
  std::size_t index_ = 0;
  const T *item_ = nullptr, *end_ = nullptr;
  Shift shift_{};
};

}  // namespace nfold::topology
