// Arrays of a set of resident replicas.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "device/device_array.hpp"
#include "kernels/resident/resident_system.hpp"

namespace nfold::replicas {

/// Arrays by lane, and copies of one replica. Lanes: replicas with those that fill groups.
struct ResidentArrays {
  /// masses: number of distinct masses, each with its own noise amplitude.
  void reserve(std::int64_t replicas, std::int64_t lanes, std::int64_t residues,
               std::int64_t masses, bool has_umbrella) {
    const std::int64_t of_one = 3 * residues;
    for (auto* const array : {&position_, &saved_position_}) array->reserve(lanes * of_one);
    for (auto* const array : {&velocity_, &saved_velocity_}) array->reserve(lanes * of_one);
    force_.reserve(lanes * of_one);
    number_.reserve(lanes);
    noise_.reserve(masses * lanes);
    velocity_scale_.reserve(lanes);
    contact_strength_.reserve(lanes);
    unsure_.reserve(lanes);
    if (has_umbrella) umbrella_of_.reserve(lanes);
    distance_.reserve(replicas);
    one_position_.reserve(of_one);
    one_velocity_.reserve(of_one);
    one_force_.reserve(of_one);
  }

  device::DeviceArray<std::int64_t> position_{"replicas.position"},
      saved_position_{"replicas.saved_position", device::ArrayUse::spare_buffers};
  device::DeviceArray<double> velocity_{"replicas.velocity"},
      saved_velocity_{"replicas.saved_velocity", device::ArrayUse::spare_buffers};
  device::DeviceArray<std::int32_t> force_{"replicas.force"};
  device::DeviceArray<std::uint32_t> number_{"replicas.number"};
  device::DeviceArray<double> noise_{"replicas.noise"}, velocity_scale_{"replicas.velocity_scale"};
  device::DeviceArray<float> contact_strength_{"replicas.contact_strength"};
  device::DeviceArray<kernels::ResidentUmbrella> umbrella_of_{"replicas.umbrella"};
  device::DeviceArray<double> distance_{"replicas.umbrella_distance"};
  device::DeviceArray<int> unsure_{"replicas.unsure"};
  device::DeviceArray<std::int64_t> one_position_{"replica.position"};
  device::DeviceArray<double> one_velocity_{"replica.velocity"};
  device::DeviceArray<std::int32_t> one_force_{"replica.force"};
};

}  // namespace nfold::replicas
