// Stream for all launches, copies and waits of one task or thread.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime.h>

#include <optional>
#include <utility>

#include "device/cuda/scoped_stream.hpp"
#include "device/device_array.hpp"

namespace nfold::device {

/// Uses the device of Kokkos, in any thread. Must not outlive Kokkos.
class WorkStream {
 public:
  WorkStream() {
    check_cuda(cudaSetDevice(Space().cuda_device()), "choosing the device");
    check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream");
    space_.emplace(stream_);
  }
  ~WorkStream() {
    space_.reset();
    (void)cudaStreamDestroy(stream_);
  }
  WorkStream(const WorkStream&) = delete;
  WorkStream& operator=(const WorkStream&) = delete;

  [[nodiscard]] bool is_idle() const {
    const auto answer = cudaStreamQuery(stream_);
    if (answer == cudaErrorNotReady) return false;
    check_cuda(answer, "work of a stream");
    return true;
  }
  void wait() const { check_cuda(cudaStreamSynchronize(stream_), "work of a stream"); }

  template <class Turn>
  void run(const Turn& turn) const {
    const ScopedStream here(stream_, &*space_);
    const ScopedCopySpace copies(&*space_);
    turn();
  }

 private:
  class ScopedCopySpace {
   public:
    explicit ScopedCopySpace(const Space* space) : before_(std::exchange(copying_space(), space)) {}
    ~ScopedCopySpace() { copying_space() = before_; }
    ScopedCopySpace(const ScopedCopySpace&) = delete;
    ScopedCopySpace& operator=(const ScopedCopySpace&) = delete;

   private:
    const Space* before_;
  };

  cudaStream_t stream_ = nullptr;
  std::optional<Space> space_;
};

}  // namespace nfold::device
