// Hash of bytes, equal on every machine.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace nfold::core {

/// FNV-1a of 64 bits (draft-eastlake-fnv).
class ByteHash {
 public:
  void add(unsigned char byte) { value_ = (value_ ^ byte) * 0x100000001b3U; }
  /// Adds all letters of a range.
  template <class Letters>
  void add_letters(const Letters& letters) {
    for (const auto letter : letters) add(static_cast<unsigned char>(letter));
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

}  // namespace nfold::core
