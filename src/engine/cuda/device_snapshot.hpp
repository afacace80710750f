// Copy of the owned rows of a GPU, which the host fetches while steps go on.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "device/job_devices.hpp"
#include "device/launch.hpp"
#include "engine/residue_state.hpp"
#include "system/state.hpp"

namespace nfold::engine {

/// Copy of the owned rows. Must not outlive Kokkos.
class DeviceSnapshot {
 public:
  DeviceSnapshot() {
    device::check_cuda(cudaGetDevice(&device_), "asking for the device");
    device::check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking),
                       "making a stream");
  }
  ~DeviceSnapshot() { (void)cudaStreamDestroy(stream_); }
  DeviceSnapshot(const DeviceSnapshot&) = delete;
  DeviceSnapshot& operator=(const DeviceSnapshot&) = delete;

  /// Copies the rows; complete on return. Returns false if the GPU lacks memory for the copy in
  /// addition to what lists still need.
  [[nodiscard]] bool take(const device::DeviceColumns<std::int64_t>& position,
                          const device::DeviceColumns<double>& velocity, int rows,
                          const std::shared_ptr<device::JobDevices>& devices) {
    if (!has_capacity(rows, devices)) return false;
    try {
      held_.reserve(rows);
    } catch (const device::DeviceMemoryError&) {
      return false;
    }
    held_.position.copy_from(position, rows);
    held_.velocity.copy_from(velocity, rows);
    device::fence();
    return true;
  }

  /// Reads rows `first` onwards, like system::StateSource::Read, on a stream of its own.
  void read(std::size_t first, std::span<system::FixedPosition> position,
            std::span<system::Velocity> velocity) const {
    device::check_cuda(cudaSetDevice(device_), "choosing the device");
    read_rows(held_.position.read(), first, position);
    read_rows(held_.velocity.read(), first, velocity);
  }

 private:
  [[nodiscard]] bool has_capacity(int rows,
                                  const std::shared_ptr<device::JobDevices>& devices) const {
    if (rows <= held_.position.size() && held_.position.size() > 0) return true;
    if (device::is_in_host_memory(HeldRows::use)) return true;
    constexpr std::int64_t row_bytes = 3 * (sizeof(std::int64_t) + sizeof(double));
    return device::fits_with_list_growth(
        rows * row_bytes - held_.position.bytes() - held_.velocity.bytes(), devices.get());
  }

  template <class T>
  void read_rows(const kernels::Columns<const T>& columns, std::size_t first,
                 std::span<std::array<T, 3>> rows) const {
    if (rows.empty()) return;
    std::vector<T> column(rows.size());
    const std::array<const T*, 3> axes{columns.x, columns.y, columns.z};
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      device::check_cuda(cudaMemcpyAsync(column.data(), axes[axis] + first, rows.size() * sizeof(T),
                                         cudaMemcpyDefault, stream_),
                         "fetching rows");
      device::check_cuda(cudaStreamSynchronize(stream_), "fetching rows");
      for (std::size_t row = 0; row < rows.size(); ++row) rows[row][axis] = column[row];
    }
  }

  int device_ = 0;
  cudaStream_t stream_ = nullptr;
  HeldRows held_;
};

}  // namespace nfold::engine
