// Whole numbers that lie on rank 0 and that any rank reads and changes from afar (MPI one-sided).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "comm/communicator.hpp"

namespace nfold::comm {

/// Nobody's work is disturbed by who reads or changes a word, and each change is one whole: of two
/// ranks that change a word at once, one comes first. One rank alone needs no MPI.
class SharedWords {
 public:
  /// Collective. All are 0.
  SharedWords(const Communicator& communicator, std::int64_t words);
  /// Collective, but for who leaves by an exception.
  ~SharedWords();
  SharedWords(const SharedWords&) = delete;
  SharedWords& operator=(const SharedWords&) = delete;

  // None of these is collective. There is no exchange under a condition: MPI_Compare_and_swap of
  // Open MPI 4.1 dies where rank 0 calls it on a word of its own and ranks copy from each other
  // (CMA).
  [[nodiscard]] std::int64_t read(std::int64_t word) const;
  /// Each word whole, but others may change some while others are read.
  [[nodiscard]] std::vector<std::int64_t> read(std::int64_t first, std::int64_t count) const;
  /// Returns what stood there before.
  std::int64_t add(std::int64_t word, std::int64_t value);
  void put(std::int64_t word, std::int64_t value);
  /// Of `word` and the next one, both 0 before anyone calls: the first to call decides for all.
  /// Returns what it has decided; no value is 0.
  std::int64_t decide(std::int64_t word, std::int64_t value);

 private:
  struct Window;
  std::unique_ptr<Window> window_;  // null: one rank
  std::vector<std::int64_t> words_of_alone_;
};

}  // namespace nfold::comm
