// Temporary replacement of the stream that kernels are launched on.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "device/launch.hpp"

namespace nfold::device {

/// Directs kernels to `stream`, and Kokkos' work to `space` unless it is null, for its lifetime.
/// Restores both however the scope is left.
class StreamTurn {
 public:
  explicit StreamTurn(cudaStream_t stream, const Space* space = nullptr)
      : stream_(device_stream()), space_(other_space()) {
    device_stream() = stream;
    if (space != nullptr) other_space() = space;
  }
  ~StreamTurn() {
    device_stream() = stream_;
    other_space() = space_;
  }
  StreamTurn(const StreamTurn&) = delete;
  StreamTurn& operator=(const StreamTurn&) = delete;

 private:
  cudaStream_t stream_;
  const Space* space_;
};

}  // namespace nfold::device
