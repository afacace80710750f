// Which systems of the suite are measured: by name, or what the machine can do in sensible time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/systems.hpp"

namespace nfold::bench {

/// All systems, in the order of the table.
[[nodiscard]] const std::vector<BenchSystem>& bench_suite();

/// The named ones, in the order of the suite. InputError names the nearest for one that is none.
[[nodiscard]] std::vector<BenchSystem> chosen_systems(const std::vector<std::string>& names);

/// What each rank may use: the least of all ranks.
struct Capacity {
  bool on_gpu = false;
  int ranks = 1;
  std::int64_t device_bytes = 0, host_bytes = 0;  ///< free; the same memory without a GPU
};

/// Why a system is no part of the default choice; empty if it is.
[[nodiscard]] std::string why_left_out(const BenchSystem& system, const Capacity& capacity);

/// Why it cannot fit whatever one hopes; empty if it may. Asked before anything is allocated, for a
/// host that runs out of memory kills a process rather than refuse.
[[nodiscard]] std::string why_impossible(const BenchSystem& system, const Capacity& capacity);

}  // namespace nfold::bench
