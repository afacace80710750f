// Halo exchange between GPUs by NCCL's sends and receives, in a stream or in a recorded graph.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "comm/communicator.hpp"

struct CUstream_st;  // what a cudaStream_t points to

namespace nfold::comm {

/// Moves packed borders between device buffers; knows neither residues nor forces. Each rank works
/// with the CUDA device that is current when it makes its transport, and that is no other rank's.
/// libnccl is opened at run time: a machine without it runs the same program on other transports.
///
/// Whoever records an exchange into a CUDA graph destroys that graph and its instances before the
/// transport: NCCL's end waits for them. An exchange is recorded by both of its ranks or by
/// neither. NCCL_GRAPH_MIXING_SUPPORT=0 in the environment makes recorded exchanges cheaper; NCCL
/// then asks that none is put into a stream directly while a launched graph with one is not done.
///
/// NCCL has no time-out: where a rank ends without the others, an exchange under way never
/// completes. Wait for a stream with a limit, and ask asynchronous_error() while waiting.
class NcclTransport {
 public:
  /// Why these ranks cannot exchange by NCCL ("built without CUDA", no libnccl.so.2, one that is
  /// too old, two ranks on one GPU ...), empty if they can. Collective; the same answer on every
  /// rank.
  [[nodiscard]] static std::optional<std::string> unavailable(const Communicator& communicator);

  /// Collective. Throws CommunicationError, on every rank, where unavailable() has a reason or
  /// where one rank cannot start NCCL.
  explicit NcclTransport(const Communicator& communicator);
  ~NcclTransport();
  NcclTransport(const NcclTransport&) = delete;
  NcclTransport& operator=(const NcclTransport&) = delete;

  /// Opens the connections to the peers of these routes that have none yet, so that an exchange
  /// with them can be recorded. By all ranks whose routes name each other, outside of any
  /// recording; waits until they stand, at most a minute. Throws CommunicationError.
  void connect(std::span<const Route> routes, CUstream_st* stream);

  /// Puts the exchange of all routes into the stream and returns; `receive` is whole when the
  /// stream has come so far. Buffers are device memory (null where no route has bytes for them),
  /// must not overlap, and stay in place until then, or for the life of the graph where the stream
  /// is being recorded. A route's bytes are what its peer's route to this rank expects. Throws
  /// CommunicationError that names the call, the rank and NCCL's reason, and std::invalid_argument
  /// for a route that cannot be.
  void enqueue(const std::byte* send, std::byte* receive, std::span<const Route> routes,
               CUstream_st* stream);

  /// What went wrong since (a peer that vanished, a network that failed), empty if nothing did.
  /// Returns at once. After an error the transport can only be destroyed.
  [[nodiscard]] std::optional<std::string> asynchronous_error();

  /// What is under way will not end: the destructor then gives up instead of waiting for it.
  void abandon();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace nfold::comm
