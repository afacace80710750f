// Device array with a pinned copy on the host, for data that passes through MPI.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>

#include "device/device_array.hpp"
#include "device/launch.hpp"
#include "device/refill.hpp"

namespace nfold::device {

/// Host memory that kernels can access: pinned if the device is a GPU.
using PinnedMemory = Kokkos::SharedHostPinnedSpace;

/// Device array with a host copy. A single array without copies if the device is the host. On a GPU
/// its memory comes from the driver, which MPI libraries need.
template <class T>
class StagedArray {
 public:
  explicit StagedArray(const std::string& label)
      : label_(label + ".host"), device_(label, MemoryOrigin::driver) {}

  [[nodiscard]] T* device() const { return device_.data(); }
  [[nodiscard]] T* host() const {
    if constexpr (on_host) {
      return device_.data();
    } else {
      return host_.data();
    }
  }
  [[nodiscard]] std::int64_t size() const { return device_.size(); }
  [[nodiscard]] std::int64_t bytes() const { return device_.bytes(); }

  /// Ensures at least n elements. Reallocates with a quarter of headroom and loses all elements.
  void reserve(std::int64_t n) {
    const std::int64_t before = bytes();
    if (!grow_by_quarter(device_, n)) return;
    if (auto* const estimate = counting_estimate()) {
      if (estimate->is_for_gpu()) estimate->host(device_.label(), bytes() - before);
      return;
    }
    if constexpr (!on_host) host_ = Host(label_, static_cast<std::size_t>(device_.size()));
  }
  /// Copies n elements to the host, after earlier kernels, and waits for them.
  void to_host(std::int64_t n) const {
    if constexpr (!on_host) {
      if (n > 0) {
        Kokkos::deep_copy(execution_space(), part<HostMemory>(host_.data(), n),
                          part<Space::memory_space>(device_.data(), n));
      }
      fence();
    }
  }
  /// Copies n elements to the device, before later kernels. The host must not write before the next
  /// fence.
  void to_device(std::int64_t n) const {
    if constexpr (!on_host) {
      if (n <= 0) return;
      Kokkos::deep_copy(execution_space(), part<Space::memory_space>(device_.data(), n),
                        part<HostMemory>(host_.data(), n));
    }
  }

 private:
  using HostMemory = PinnedMemory;
  using Host = Kokkos::View<T*, HostMemory>;
  template <class Memory>
  static auto part(T* data, std::int64_t n) {
    return Kokkos::View<T*, Memory, Kokkos::MemoryUnmanaged>(data, static_cast<std::size_t>(n));
  }

  std::string label_;
  DeviceArray<T> device_;
  Host host_;
};

}  // namespace nfold::device
