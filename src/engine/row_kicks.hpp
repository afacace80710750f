// Velocity kicks of the owned rows, on the device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <map>
#include <vector>

#include "device/device_array.hpp"
#include "device/memory_plan.hpp"
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
      device::refill(half_, host.half);
      device::refill(noise_, host.noise);
    } else {
      device::refill(class_, host.class_of_row);
      device::refill(of_class_, host.of_class);
    }
  }
  /// masses: number of distinct masses, including 0 of padding rows.
  static void plan(device::MemoryPlan& plan, std::int64_t rows, std::int64_t masses) {
    if (!plan.is_for_gpu()) {
      plan.array<double>("half_kick", rows);
      plan.array<double>("noise", rows);
    } else {
      plan.array<int>("mass_class", rows);
      plan.array<kernels::Kick>("kick_of_mass", masses);
    }
  }
  [[nodiscard]] kernels::RowKicks view() const {
#ifdef KOKKOS_ENABLE_CUDA
    return {class_.data(), of_class_.data()};
#else
    return {half_.data(), noise_.data()};
#endif
  }
  [[nodiscard]] std::int64_t bytes() const {
    return half_.bytes() + noise_.bytes() + class_.bytes() + of_class_.bytes();
  }

 private:
  device::DeviceArray<double> half_{"half_kick"}, noise_{"noise"};  // on a CPU
  device::DeviceArray<int> class_{"mass_class"};                    // on a GPU
  device::DeviceArray<kernels::Kick> of_class_{"kick_of_mass"};
};

}  // namespace nfold::engine
