// Another stream in place of the one that kernels go to, for a while.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "device/launch.hpp"

namespace nfold::device {

/// In its life kernels go to `stream`, and Kokkos' work to `space` where there is one. What was
/// before comes back on any way out.
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
