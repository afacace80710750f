// Second stream, for work that runs concurrently with the steps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime.h>

#include <optional>

#include "device/cuda/scoped_stream.hpp"

namespace nfold::device {

/// High-priority stream whose kernels run concurrently with those of the main stream. Must not
/// outlive Kokkos.
class SideStream {
 public:
  SideStream() {
    int lowest = 0, highest = 0;
    check_cuda(cudaDeviceGetStreamPriorityRange(&lowest, &highest), "asking for priorities");
    check_cuda(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, highest),
               "making a stream");
    check_cuda(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "making an event");
    space_.emplace(stream_);
  }
  ~SideStream() {
    space_.reset();
    (void)cudaEventDestroy(event_);
    (void)cudaStreamDestroy(stream_);
  }
  SideStream(const SideStream&) = delete;
  SideStream& operator=(const SideStream&) = delete;

  /// Orders later work of run() after the work submitted to the main stream so far.
  void follow_first() const {
    check_cuda(cudaEventRecord(event_, device_stream()), "recording an event");
    check_cuda(cudaStreamWaitEvent(stream_, event_, 0), "waiting for an event");
  }
  /// Directs the launches, copies and waits of work() to this stream.
  template <class Work>
  void run(const Work& work) const {
    const ScopedStream turn(stream_, &*space_);
    work();
  }

 private:
  cudaStream_t stream_ = nullptr;
  cudaEvent_t event_ = nullptr;
  std::optional<Space> space_;
};

}  // namespace nfold::device
