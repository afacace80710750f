// Velocity kicks of the owned rows, on the device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <map>
#include <vector>

#include "device/device_array.hpp"
#include "device/refill.hpp"
#include "kernels/loops/row_kicks.hpp"

namespace nfold::engine {

class RowKickTable {
 public:
  /// Host copy, for upload.
  struct Host {
    std::vector<double> half, noise;  // (rows) on a CPU
    std::vector<int> class_of_row;    // on a GPU
    std::vector<kernels::Kick> of_class;
  };
  /// mass_amu: (rows), 0 for padding. kick_of(mass) returns a kernels::Kick.
  template <class KickOf>
  [[nodiscard]] static Host host_kicks(const std::vector<double>& mass_amu, const KickOf& kick_of) {
    Host host;
    const auto kick_or_none = [&](double mass) {
      return mass > 0 ? kick_of(mass) : kernels::Kick{0, 0};
    };
    if constexpr (device::on_host) {
      host.half.reserve(mass_amu.size());
      host.noise.reserve(mass_amu.size());
      for (const double mass : mass_amu) {
        const auto kick = kick_or_none(mass);
        host.half.push_back(kick.half);
        host.noise.push_back(kick.noise);
      }
      return host;
    }
    std::map<double, int> known;
    host.class_of_row.reserve(mass_amu.size());
    for (const double mass : mass_amu) {
      const auto [at, is_new] = known.try_emplace(mass, static_cast<int>(host.of_class.size()));
      if (is_new) host.of_class.push_back(kick_or_none(mass));
      host.class_of_row.push_back(at->second);
    }
    return host;
  }
  void take(const Host& host) {
    if constexpr (device::on_host) {
      reserve(std::ssize(host.half), 0);
      half_.upload(host.half);
      noise_.upload(host.noise);
    } else {
      reserve(std::ssize(host.class_of_row), std::ssize(host.of_class));
      class_.upload(host.class_of_row);
      of_class_.upload(host.of_class);
    }
  }
  /// masses: number of distinct masses, including 0 of padding rows; not needed on a CPU.
  void reserve(std::int64_t rows, std::int64_t masses) {
    if (device::reserves_on_gpu()) {
      device::reserve_for_refill(class_, rows);
      device::reserve_for_refill(of_class_, masses);
    } else {
      device::reserve_for_refill(half_, rows);
      device::reserve_for_refill(noise_, rows);
    }
  }
  [[nodiscard]] kernels::RowKicks view() const {
#ifdef KOKKOS_ENABLE_CUDA
    return {class_.data(), of_class_.data()};
#else
    return {half_.data(), noise_.data()};
#endif
  }

 private:
  device::DeviceArray<double> half_{"half_kick"}, noise_{"noise"};  // on a CPU
  device::DeviceArray<int> class_{"mass_class"};                    // on a GPU
  device::DeviceArray<kernels::Kick> of_class_{"kick_of_mass"};
};

}  // namespace nfold::engine
