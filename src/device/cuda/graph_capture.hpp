// Capture of kernels into a CUDA graph that is launched repeatedly.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime.h>

#include <memory>
#include <type_traits>

#include "device/cuda/scoped_stream.hpp"

namespace nfold::device {

struct DestroyGraph {
  void operator()(cudaGraphExec_t graph) const { (void)cudaGraphExecDestroy(graph); }
};
using CapturedGraph = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, DestroyGraph>;

/// Stream used for capture only.
class CaptureStream {
 public:
  CaptureStream() {
    check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream");
  }
  ~CaptureStream() { (void)cudaStreamDestroy(stream_); }
  CaptureStream(const CaptureStream&) = delete;
  CaptureStream& operator=(const CaptureStream&) = delete;

  /// Captures the launches of record() into a graph.
  template <class Record>
  [[nodiscard]] CapturedGraph captured(const Record& record) const {
    ActiveCapture capture(stream_);
    record();
    const cudaGraph_t graph = capture.end();
    cudaGraphExec_t ready = nullptr;
    const auto code = cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphDestroy(graph);
    check_cuda(code, "making a graph of steps");
    return CapturedGraph(ready);
  }

 private:
  /// Directs launches to the capture for its lifetime, and ends the capture however the scope is
  /// left.
  class ActiveCapture {
   public:
    explicit ActiveCapture(cudaStream_t stream) : stream_(stream), turn_(stream) {
      check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
                 "recording steps");
    }
    ~ActiveCapture() {
      if (is_open_) {
        cudaGraph_t graph = nullptr;
        cudaStreamEndCapture(stream_, &graph);
        if (graph != nullptr) cudaGraphDestroy(graph);
      }
    }
    ActiveCapture(const ActiveCapture&) = delete;
    ActiveCapture& operator=(const ActiveCapture&) = delete;
    cudaGraph_t end() {
      is_open_ = false;
      cudaGraph_t graph = nullptr;
      check_cuda(cudaStreamEndCapture(stream_, &graph), "recording steps");
      return graph;
    }

   private:
    cudaStream_t stream_;
    ScopedStream turn_;
    bool is_open_ = true;
  };

  cudaStream_t stream_ = nullptr;
};

}  // namespace nfold::device
