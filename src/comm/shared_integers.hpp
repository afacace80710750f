// Shared integers on rank 0 that any rank reads and changes by one-sided MPI.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "comm/communicator.hpp"

namespace nfold::comm {

/// Array of 64-bit integers with atomic access that does not interrupt the other ranks. A single
/// rank needs no MPI.
class SharedIntegers {
 public:
  /// Collective. All integers start at 0.
  SharedIntegers(const Communicator& communicator, std::int64_t words);
  /// Collective, except during stack unwinding.
  ~SharedIntegers();
  SharedIntegers(const SharedIntegers&) = delete;
  SharedIntegers& operator=(const SharedIntegers&) = delete;

  // None of these is collective. There is no compare-and-swap: MPI_Compare_and_swap of Open MPI 4.1
  // crashes if rank 0 calls it on its own memory while ranks copy from each other (CMA).
  [[nodiscard]] std::int64_t read(std::int64_t index) const;
  /// Reads each integer atomically, but not all of them at one moment.
  [[nodiscard]] std::vector<std::int64_t> read(std::int64_t first, std::int64_t count) const;
  /// Returns the value before.
  std::int64_t add(std::int64_t index, std::int64_t value);
  void put(std::int64_t index, std::int64_t value);
  /// Decides once for all ranks: the first caller's value is kept and returned to every caller.
  /// Uses `word` and the next one, both 0 before the first call. value: not 0.
  std::int64_t decide(std::int64_t index, std::int64_t value);

 private:
  struct Window;
  std::unique_ptr<Window> window_;  // null: one rank
  std::vector<std::int64_t> local_values_;
};

}  // namespace nfold::comm
