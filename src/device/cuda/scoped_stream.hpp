// Temporary replacement of the stream that kernels are launched on.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "device/launch.hpp"

namespace nfold::device {

/// Directs kernels to `stream`, and Kokkos' work to `space` unless it is null, for its lifetime.
/// Restores both however the scope is left.
class ScopedStream {
 public:
  explicit ScopedStream(cudaStream_t stream, const Space* space = nullptr)
      : stream_(device_stream()), space_(execution_space_override()) {
    device_stream() = stream;
    if (space != nullptr) execution_space_override() = space;
  }
  ~ScopedStream() {
    device_stream() = stream_;
    execution_space_override() = space_;
  }
  ScopedStream(const ScopedStream&) = delete;
  ScopedStream& operator=(const ScopedStream&) = delete;

 private:
  cudaStream_t stream_;
  const Space* space_;
};

}  // namespace nfold::device
