// Packing of numbers, texts and arrays into one string for a broadcast.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace nfold::storage {

class BytePacker {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void put_text(std::string_view text) {
    put<std::uint64_t>(text.size());
    bytes_.append(text);
  }
  template <class T>
  void put_array(const std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    put_text({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Unpacks the data of a BytePacker in the same order. Throws std::out_of_range beyond the end.
class ByteUnpacker {
 public:
  explicit ByteUnpacker(std::string_view bytes) : rest_(bytes) {}
  template <class T>
  [[nodiscard]] T get() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  [[nodiscard]] std::string get_text() { return std::string(take(get<std::uint64_t>())); }
  template <class T>
  [[nodiscard]] std::vector<T> get_array() {
    const auto bytes = take(get<std::uint64_t>());
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
  }

 private:
  std::string_view take(std::size_t count) {
    if (count > rest_.size()) throw std::out_of_range("broadcast bytes end too early");
    const auto part = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return part;
  }
  std::string_view rest_;
};

}  // namespace nfold::storage
