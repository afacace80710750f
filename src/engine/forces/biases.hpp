// Biases of a system: collective variables from exact sums over all ranks, and bias forces.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "comm/communicator.hpp"
#include "device/device_array.hpp"
#include "device/launch.hpp"
#include "engine/forces/exact_totals.hpp"
#include "kernels/loops/moments.hpp"
#include "model/topology/topology.hpp"
#include "system/bias/biases.hpp"
#include "system/state.hpp"

namespace nfold::forces {

/// Biases on collective variables. Each bias costs one sum over all ranks a step, and on a GPU the
/// host waits for it.
template <class Precision>
class Biases {
 public:
  explicit Biases(const topology::Topology& topology) : topology_(topology) {
    for (const auto& bias : topology.biases) {
      auto& one = groups_.emplace_back();
      std::vector<double> mass_amu;
      mass_amu.reserve(bias.variable.residues.size());
      for (const int id : bias.variable.residues) {
        mass_amu.push_back(topology.residues[static_cast<std::size_t>(id)].mass_amu);
      }
      one.weights = bias::with_variable(bias.variable.kind,
                                        [&](auto variable) { return variable.weights(mass_amu); });
    }
  }
  static void estimate(device::MemoryEstimate& estimate,
                       const std::vector<std::int64_t>& in_biases) {
    estimate.in("biases").count([&] {
      for (const auto members : in_biases) Group().members.reserve(members);
    });
  }
  [[nodiscard]] bool any() const { return !groups_.empty(); }

  /// Sets origins near the residues from a state with all rows. Origins affect no bit of the
  /// result.
  void set_origins(const system::State& all) {
    for (std::size_t b = 0; b < groups_.size(); ++b) {
      const int first = topology_.biases[b].variable.residues.front();
      groups_[b].origin = all.position[static_cast<std::size_t>(first)];
    }
  }
  /// Sets the owned rows, whose ids ascend.
  void set_owned(const std::vector<int>& ids, int owned) {
    for (std::size_t b = 0; b < groups_.size(); ++b) {
      const auto& residues = topology_.biases[b].variable.residues;
      std::vector<kernels::GroupMember> members;
      for (std::size_t k = 0; k < residues.size(); ++k) {
        const auto last = ids.begin() + owned;
        const auto found = std::lower_bound(ids.begin(), last, residues[k]);
        if (found == last || *found != residues[k]) continue;
        members.push_back({static_cast<int>(found - ids.begin()), groups_[b].weights[k]});
      }
      groups_[b].count = static_cast<int>(members.size());
      groups_[b].members.upload(members);
    }
  }

  /// Collective. Adds the bias forces at these positions to the owned rows' totals [quanta].
  void add_forces(const comm::Communicator& communicator,
                  kernels::Columns<const std::int64_t> position,
                  kernels::Columns<std::int64_t> total, int* exploded) {
    for (std::size_t b = 0; b < groups_.size(); ++b) {
      auto& group = groups_[b];
      const auto found = evaluate(communicator, b, position);
      const auto [energy, slope] = bias::value_at(topology_.biases[b], found.value);
      group.energy = energy;
      for (std::size_t two = 0; two < group.virial.size(); ++two) {
        group.virial[two] = -slope * found.strain[two];
      }
      const auto& [centre, rest, stretch, direction] = found.gradient;
      std::array<std::int64_t, 3> middle{};
      for (std::size_t axis = 0; axis < 3; ++axis) middle[axis] = group.origin[axis] + centre[axis];
      const auto& box = topology_.box;
      device::launch("bias forces", group.count,
                     kernels::BiasForceLoop<Precision>{
                         group.members.data(),
                         position,
                         total,
                         -slope,
                         {middle[0], middle[1], middle[2]},
                         {rest[0], rest[1], rest[2]},
                         {box.nm_per_count(0), box.nm_per_count(1), box.nm_per_count(2)},
                         stretch,
                         {direction[0], direction[1], direction[2]},
                         exploded});
      group.origin = middle;  // same on all ranks
    }
  }

  /// Energy of all biases at the last add_forces() [kJ/mol].
  [[nodiscard]] double energy() const {
    double sum = 0;
    for (const auto& group : groups_) sum += group.energy;
    return sum;
  }
  /// Virial of all biases at the last add_forces(), the sum of force times position: xx, yy, zz,
  /// xy, xz, yz [kJ/mol].
  [[nodiscard]] std::array<double, 6> virial() const {
    std::array<double, 6> sum{};
    for (const auto& group : groups_) {
      for (std::size_t two = 0; two < sum.size(); ++two) sum[two] += group.virial[two];
    }
    return sum;
  }

 private:
  struct Group {
    std::vector<std::int64_t> weights;  // (residues of the variable)
    device::DeviceArray<kernels::GroupMember> members{"bias.members"};
    int count = 0;                         // members owned by this rank
    std::array<std::int64_t, 3> origin{};  // follows the residues; keeps differences small
    double energy = 0;
    std::array<double, 6> virial{};
  };

  [[nodiscard]] bias::Evaluation evaluate(const comm::Communicator& communicator, std::size_t b,
                                          kernels::Columns<const std::int64_t> position) const {
    const auto& group = groups_[b];
    auto sums = device::sum_over(
        "moments", group.count,
        kernels::MomentLoop{
            group.members.data(), position, {group.origin[0], group.origin[1], group.origin[2]}});
    sum_ranks(communicator, sums);
    bias::Moments moments;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      moments.first[axis] = wide(sums.sum[axis]);
    }
    for (std::size_t two = 0; two < moments.second.size(); ++two) {
      moments.second[two] = wide(sums.sum[3 + two]);
    }
    return bias::with_variable(topology_.biases[b].variable.kind, [&](auto variable) {
      return variable.evaluate(moments, group.weights, topology_.box);
    });
  }
  static bias::Wide wide(const kernels::ExactSum& sum) {
    return static_cast<bias::Wide>(sum.high) * (bias::Wide{1} << 64) + sum.low;
  }

  const topology::Topology& topology_;
  std::vector<Group> groups_;
};

}  // namespace nfold::forces
