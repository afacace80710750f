// Energies of resident replicas: exact sums over parts of each one's residues.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "device/device_array.hpp"
#include "device/launch.hpp"
#include "engine/forces/exact_totals.hpp"
#include "engine/temperature.hpp"
#include "kernels/resident/resident_energy.hpp"
#include "replicas/replica_set.hpp"

namespace nfold::replicas {

/// Number of parts of a replica's residues that are summed in parallel: if replicas are few, more
/// parts keep a GPU busy. Sums are exact, so the number changes no bit.
[[nodiscard]] inline int energy_parts(std::int64_t lanes) {
  constexpr int fewest = 16, most = 128;
  constexpr std::int64_t busy_threads = 65'536;
  int parts = fewest;
  while (!device::on_host && parts < most && lanes * parts < busy_threads) parts *= 2;
  return parts;
}

/// Sums one part of one replica per work item; replicas of a group are adjacent.
template <class Loop, class Sums>
struct PartialSums {
  Loop loop;
  int parts;
  Sums* sums;  // (groups, parts, width)
  KOKKOS_FUNCTION void operator()(int item) const {
    const int lane = item % loop.width;
    const int part = item / loop.width % parts;
    const int group = item / (loop.width * parts);
    Sums mine;
    loop(group * loop.width + lane, part, parts, mine);
    sums[item] = mine;
  }
};
/// Adds `terms` parts at a distance of `left`, so that `left` parts remain. One work item per
/// remaining part.
template <class Sums>
struct AddParts {
  Sums* sums;  // (groups, parts, width)
  int parts, width, terms, left;
  Sums* totals;  // (groups * width), for the last pass
  KOKKOS_FUNCTION void operator()(int item) const {
    const int lane = item % width, part = item / width % left, group = item / (width * left);
    const std::int64_t first = (static_cast<std::int64_t>(group) * parts + part) * width + lane;
    Sums total = sums[first];
    for (int term = 1; term < terms; ++term) {
      total += sums[first + static_cast<std::int64_t>(term) * left * width];
    }
    (left == 1 ? totals[group * width + lane] : sums[first]) = total;
  }
};

/// Sums of a loop over each replica.
template <class Sums>
class ReplicaSums {
 public:
  /// Launches the sums. loop(replica, part, parts, sums) adds one part; loop.width replicas are a
  /// group.
  template <class Loop>
  void begin(const Loop& loop, int groups) {
    constexpr int most_terms = 16;  // per work item
    const int lanes = groups * loop.width, parts = energy_parts(lanes);
    reserve(lanes);
    device::launch("replicas' energies", lanes * parts,
                   PartialSums<Loop, Sums>{loop, parts, parts_.data()});
    for (int left = parts; left > 1;) {
      const int terms = std::min(left, most_terms);
      left /= terms;
      device::launch("replicas' totals", lanes * left,
                     AddParts<Sums>{parts_.data(), parts, loop.width, terms, left, sums_.data()});
    }
  }
  void reserve(std::int64_t lanes) {
    parts_.reserve(lanes * energy_parts(lanes));
    sums_.reserve(lanes);
  }
  [[nodiscard]] std::vector<Sums> download(int replicas) const { return sums_.download(replicas); }

 private:
  device::DeviceArray<Sums> parts_{"replicas.partial_energies"}, sums_{"replicas.energies"};
};

/// Converts one replica's sums; moved: true after its first step.
[[nodiscard]] inline ReplicaEnergies to_replica_energies(const kernels::ResidentSums& sums,
                                                         double contact_strength,
                                                         std::int64_t degrees_of_freedom,
                                                         bool moved) {
  using Sum = kernels::ResidentSum;
  const auto of = [&](int place) { return forces::to_energy_kj_mol(sums.sum[place]); };
  ReplicaEnergies r;
  auto& e = r.energies;
  e.bond = of(Sum::bond);
  e.angle = of(Sum::angle);
  e.dihedral = of(Sum::dihedral);
  e.restraint = of(Sum::restraint);
  e.contact_at_full_strength = of(Sum::contact);
  e.contact = contact_strength * e.contact_at_full_strength;
  e.short_range = of(Sum::short_range);
  e.electrostatic = of(Sum::electrostatic);
  e.kinetic = of(Sum::on_step);
  e.saturated = sums.saturated > 0;
  const double kinetic = of(moved ? Sum::half_step : Sum::on_step);
  e.temperature_kelvin = engine::to_temperature_kelvin(kinetic, degrees_of_freedom);
  r.formed_contacts = static_cast<std::int64_t>(sums.sum[Sum::formed].low);
  return r;
}

}  // namespace nfold::replicas
