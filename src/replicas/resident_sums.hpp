// Energies of resident replicas: exact sums over parts of each one's residues, and their names.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "device/device_array.hpp"
#include "device/launch.hpp"
#include "device/memory_plan.hpp"
#include "dynamics/temperature.hpp"
#include "forces/exact_totals.hpp"
#include "kernels/resident/resident_energy.hpp"
#include "replicas/replica_set.hpp"

namespace nfold::replicas {

/// Parts of a replica's residues that are summed side by side.
inline constexpr int energy_parts = 16;

/// Work item: one part of one replica; replicas of a group are neighbours.
template <class Loop, class Sums>
struct PartialSums {
  Loop loop;
  Sums* sums;  // (groups, energy_parts, width)
  KOKKOS_FUNCTION void operator()(int item) const {
    const int lane = item % loop.width;
    const int part = item / loop.width % energy_parts;
    const int group = item / (loop.width * energy_parts);
    Sums mine;
    loop(group * loop.width + lane, part, energy_parts, mine);
    sums[item] = mine;
  }
};
/// Work item: one replica.
template <class Sums>
struct AddParts {
  const Sums* parts;
  Sums* sums;
  int width;
  KOKKOS_FUNCTION void operator()(int replica) const {
    Sums total;
    const int group = replica / width;
    for (int part = 0; part < energy_parts; ++part) {
      total += parts[(group * energy_parts + part) * width + replica % width];
    }
    sums[replica] = total;
  }
};

/// What a loop makes of each replica.
template <class Sums>
class ReplicaSums {
 public:
  /// loop(replica, part, parts, sums) adds one part; loop.width replicas are a group.
  template <class Loop>
  void begin(const Loop& loop, int groups) {
    const int lanes = groups * loop.width;
    parts_.reserve(static_cast<std::int64_t>(lanes) * energy_parts);
    sums_.reserve(lanes);
    device::launch("replicas' energies", lanes * energy_parts,
                   PartialSums<Loop, Sums>{loop, parts_.data()});
    device::launch("replicas' totals", lanes,
                   AddParts<Sums>{parts_.data(), sums_.data(), loop.width});
  }
  static void plan(device::MemoryPlan& plan, std::int64_t lanes) {
    plan.array<Sums>("replicas.partial_energies", lanes * energy_parts);
    plan.array<Sums>("replicas.energies", lanes);
  }
  [[nodiscard]] std::vector<Sums> download(int replicas) const { return sums_.download(replicas); }
  [[nodiscard]] std::int64_t bytes() const { return parts_.bytes() + sums_.bytes(); }

 private:
  device::DeviceArray<Sums> parts_{"replicas.partial_energies"}, sums_{"replicas.energies"};
};

/// Of one replica's sums; moved: whether it has made a step.
[[nodiscard]] inline ReplicaEnergies named(const kernels::ResidentSums& sums,
                                           double contact_strength, std::int64_t degrees_of_freedom,
                                           bool moved) {
  using Sum = kernels::ResidentSum;
  const auto of = [&](int place) { return forces::energy_of(sums.sum[place]); };
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
  e.temperature_kelvin = dynamics::temperature_of(kinetic, degrees_of_freedom);
  r.formed_contacts = static_cast<std::int64_t>(sums.sum[Sum::formed].low);
  return r;
}

}  // namespace nfold::replicas
