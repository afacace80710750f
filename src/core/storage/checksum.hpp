// Order-independent 64-bit checksum of all data that nfold writes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace nfold::storage {

static_assert(std::endian::native == std::endian::little, "nfold's files are little-endian");

/// Bijection of 64 bits: the finalizer of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
constexpr std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// Returns a hash that is bijective in `word`, so that one changed word always changes a sum of
/// hashes.
constexpr std::uint64_t word_hash(std::uint64_t word, std::uint64_t place) {
  return mix(word ^ mix(place + 0x9e3779b97f4a7c15ULL));
}

/// Returns the sum modulo 2^64 of word_hash() over the 8-byte words of `bytes` (the last one padded
/// with zeros). Pieces may be summed in any order, on any rank, if each knows the place of its
/// first word: a row of w words and global id g starts at place g * w.
inline std::uint64_t checksum(std::span<const std::byte> bytes, std::uint64_t first_place = 0) {
  std::uint64_t sum = 0;
  const std::size_t whole = bytes.size() / 8;
  for (std::size_t i = 0; i < whole; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + 8 * i, 8);
    sum += word_hash(word, first_place + i);
  }
  if (const std::size_t rest = bytes.size() % 8; rest != 0) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + 8 * whole, rest);
    sum += word_hash(word, first_place + whole);
  }
  return sum;
}

}  // namespace nfold::storage
