// Replicas of a sample, sorted by the tables that they add to.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "replicas/replica_observer.hpp"

namespace nfold::replicas {

/// Replicas per task of the phase sums: enough to amortise adding to the sums, few enough for a GPU
/// to have many tasks.
inline constexpr int replicas_a_task = 32;
/// Kernel input for each replica at a sample, in one upload.
struct SampleLabels {
  std::vector<std::int32_t> words;  // (3, replicas) cells, large tables, slots; then tasks
  int replicas, tasks = 0, slots = 0;
};

[[nodiscard]] inline SampleLabels labels_for(const std::vector<ReplicaLabel>& labels,
                                             const ObserverPlan& plan) {
  const auto n = labels.size();
  SampleLabels found;
  found.replicas = static_cast<int>(n);
  auto& words = found.words;
  words.resize(3 * n);
  std::vector<std::vector<std::size_t>> of(static_cast<std::size_t>(plan.large_tables()));
  for (std::size_t r = 0; r < n; ++r) {
    const int table = plan.large_table_index(labels[r].state);
    words[r] = labels[r].state * ObserverPlan::q_bins + labels[r].q_bin;
    words[n + r] = table;
    words[2 * n + r] = -1;
    if (table >= 0) of[static_cast<std::size_t>(table)].push_back(r);
  }
  words.reserve(3 * n + 3 * (n / replicas_a_task + of.size()));
  for (std::size_t table = 0; table < of.size(); ++table) {
    const auto& own = of[table];
    for (std::size_t k = 0; k < own.size(); ++k) {
      words[2 * n + own[k]] = found.slots;
      if (k % replicas_a_task == 0) {
        words.insert(words.end(), {static_cast<std::int32_t>(table), found.slots, 0});
        ++found.tasks;
      }
      ++words.back();
      ++found.slots;
    }
  }
  return found;
}

}  // namespace nfold::replicas
