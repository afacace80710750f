// Halo exchange between GPUs by NCCL sends and receives, in a stream or in a captured graph.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "comm/communicator.hpp"

struct CUstream_st;  // the type behind cudaStream_t

namespace nfold::comm {

/// Exchanges packed halo rows between device buffers; knows neither residues nor forces. Each rank
/// uses the CUDA device that is current at construction and that no other rank uses. libnccl is
/// opened at run time: without it the same program uses other transports.
///
/// A graph that captured an exchange, and its instances, must be destroyed before the transport:
/// NCCL waits for them at its end. Both ranks of an exchange capture it, or neither.
/// NCCL_GRAPH_MIXING_SUPPORT=0 in the environment makes captured exchanges cheaper; NCCL then
/// requires that no exchange is enqueued directly while a launched graph with an exchange is not
/// complete.
///
/// NCCL has no time-out: if one rank ends alone, an exchange in flight never completes. Wait for a
/// stream with a limit, and poll asynchronous_error() while waiting.
class NcclTransport {
 public:
  /// Returns why these ranks cannot exchange by NCCL ("built without CUDA", no libnccl.so.2, a
  /// version too old, two ranks on one GPU ...), none if they can. Collective; the same on every
  /// rank.
  [[nodiscard]] static std::optional<std::string> unavailable(const Communicator& communicator);

  /// Collective. Throws CommunicationError on every rank if unavailable() has a reason or one rank
  /// cannot start NCCL.
  explicit NcclTransport(const Communicator& communicator);
  ~NcclTransport();
  NcclTransport(const NcclTransport&) = delete;
  NcclTransport& operator=(const NcclTransport&) = delete;

  /// Opens connections to the peers of these routes that have none yet, so that an exchange with
  /// them can be captured. Called by all ranks whose routes name each other, outside of any
  /// capture. Waits for the connections, at most a minute. Throws CommunicationError.
  void connect(std::span<const Route> routes, CUstream_st* stream);

  /// Enqueues the exchange of all routes on the stream and returns; `receive` is complete when the
  /// stream has reached it. Buffers are device memory (null if no route has bytes for them), must
  /// not overlap, and stay in place until then, or for the life of the graph if the stream is being
  /// captured. The bytes of a route are those that the peer's route to this rank expects. Throws
  /// CommunicationError with call, rank and NCCL's reason, and std::invalid_argument for an invalid
  /// route.
  void enqueue(const std::byte* send, std::byte* receive, std::span<const Route> routes,
               CUstream_st* stream);

  /// Returns an error that occurred since (a lost peer, a failed network), none if there is none.
  /// Returns at once. After an error the transport can only be destroyed.
  [[nodiscard]] std::optional<std::string> asynchronous_error();

  /// Marks operations in flight as lost: the destructor then aborts instead of waiting for them.
  void abandon();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace nfold::comm
