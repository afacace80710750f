// Column of values, stored or computed on access.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

namespace nfold::io {

/// A column that reads like a vector but returns values. Only a stored column can be written to.
template <class T>
class Column {
 public:
  using value_type = T;
  class Iterator;

  Column() = default;
  Column(std::vector<T> values)  // NOLINT(google-explicit-constructor): a vector is one
      : held_(std::move(values)) {}
  /// make(row) computes a value for rows below `count`; data it refers to must outlive the column
  /// and its copies.
  Column(std::size_t count, std::function<T(std::size_t row)> make)
      : count_(count), make_(std::move(make)) {}

  [[nodiscard]] std::size_t size() const { return make_ ? count_ : held_.size(); }
  [[nodiscard]] bool empty() const { return size() == 0; }
  // Const return type, so that computed values cannot be assigned to.
  [[nodiscard]] const T operator[](std::size_t row) const {
    return make_ ? make_(row) : held_[row];
  }
  [[nodiscard]] T& operator[](std::size_t row) { return held_[row]; }
  [[nodiscard]] Iterator begin() const { return {this, 0}; }
  [[nodiscard]] Iterator end() const { return {this, size()}; }
  void push_back(T value) { held_.push_back(std::move(value)); }
  template <class... Values>
  void emplace_back(Values&&... values) {
    held_.emplace_back(std::forward<Values>(values)...);
  }
  [[nodiscard]] friend bool operator==(const Column& a, const Column& b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
  }

 private:
  std::vector<T> held_;
  std::size_t count_ = 0;
  std::function<T(std::size_t)> make_;  // replaces held_ if set
};

template <class T>
class Column<T>::Iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using difference_type = std::ptrdiff_t;
  using value_type = T;
  using reference = T;
  using pointer = void;

  Iterator(const Column* of, std::size_t row) : of_(of), row_(row) {}
  [[nodiscard]] T operator*() const { return (*of_)[row_]; }
  Iterator& operator++() {
    ++row_;
    return *this;
  }
  [[nodiscard]] bool operator==(const Iterator& other) const { return row_ == other.row_; }

 private:
  const Column* of_;
  std::size_t row_;
};

}  // namespace nfold::io
