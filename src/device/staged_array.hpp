// A device array with a twin on the host, pinned, for what goes through MPI.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>

#include "device/array_room.hpp"
#include "device/device_array.hpp"
#include "device/launch.hpp"

namespace nfold::device {

/// Of the host, and kernels reach it: pinned where the device is a GPU.
using PinnedMemory = Kokkos::SharedHostPinnedSpace;

/// Where the device is the host there is one array, and nothing is copied. Its memory on a GPU is
/// the driver's own, as MPI libraries ask for it.
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

  /// At least n elements; where that needs a new array, a quarter more, and no element is kept.
  void reserve(std::int64_t n) {
    if (n <= size() && size() > 0) return;
    device_.reserve(and_a_quarter(n));
    if constexpr (!on_host) host_ = Host(label_, static_cast<std::size_t>(device_.size()));
  }
  /// Ordered after earlier kernels; the host may read n elements when it returns.
  void to_host(std::int64_t n) const {
    if constexpr (!on_host) {
      if (n > 0) {
        Kokkos::deep_copy(execution_space(), part<HostMemory>(host_.data(), n),
                          part<Space::memory_space>(device_.data(), n));
      }
      fence();
    }
  }
  /// Ordered before later kernels; the host must not write before the next fence.
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
