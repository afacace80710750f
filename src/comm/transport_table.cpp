// Agreement of a group on the times that its ranks have measured before.
// SPDX-License-Identifier: BSD-3-Clause
#include "comm/transport_table.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

namespace nfold::comm {

namespace {

/// Returns a hash that is never 0, which stands for a rank without a measurement.
std::int64_t fingerprint(const TransportTrial& trial) {
  const std::string_view times(reinterpret_cast<const char*>(trial.microseconds.data()),
                               trial.microseconds.size() * sizeof(double));
  const std::hash<std::string_view> hash;
  return static_cast<std::int64_t>((hash(times) * 31 + hash(trial.obstacle)) | 1U);
}

}  // namespace

bool TransportTable::fill(const comm::Communicator& group, const TrialKind& kind,
                          std::vector<TransportTrial>& trials, const Measure& measure) {
  const auto is_possible = [](const TransportTrial& trial) { return trial.obstacle.empty(); };
  if (std::count_if(trials.begin(), trials.end(), is_possible) < 2) return false;
  const auto members = group.all_gather(std::span<const int>(&rank_in_job_, 1));
  bool has_measured = false;
  for (auto& trial : trials) {
    if (!is_possible(trial)) continue;
    const Key key{members, kind.coordinate_bytes, kind.captures_exchanges, trial.transport};
    const auto found = known_.find(key);
    const std::int64_t mine = found == known_.end() ? 0 : fingerprint(found->second);
    const std::int64_t least = group.min(mine), largest = group.max(mine);
    if (least == largest && least != 0) {
      trial = found->second;
    } else {
      measure(trial);
      known_[key] = trial;
      has_measured = true;
    }
  }
  return has_measured;
}

}  // namespace nfold::comm
