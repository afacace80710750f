// NCCL communicator: start, grouped sends and receives, end.
// SPDX-License-Identifier: BSD-3-Clause

#include "comm/nccl_transport.hpp"

#include <cuda_runtime.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <string_view>
#include <thread>
#include <vector>

#include "comm/first_reason.hpp"
#include "comm/gpu_identity.hpp"
#include "comm/nccl_library.hpp"
#include "comm/route_check.hpp"
#include "comm/waiting.hpp"

namespace nfold::comm {
namespace {

constexpr auto connection_time_limit = std::chrono::seconds(60);

/// Properties of one rank that must match or differ within the group.
struct RankProperties {
  int version = 0;  // NCCL's
  GpuIdentity gpu;
  std::uint64_t host_name = 0;  // hash of NCCL_HOSTID, the host's name for NCCL; 0: not set
};

/// Fills in the properties of this rank, or returns the reason why NCCL cannot be used.
std::string find_own_properties(RankProperties& mine) {
  const auto& nccl = nccl_library();
  if (!nccl.failure.empty()) return nccl.failure;
  mine.version = nccl.version;
  const char* const host = std::getenv("NCCL_HOSTID");
  if (host != nullptr) mine.host_name = std::hash<std::string_view>{}(host);
  return find_own_gpu(mine.gpu);
}

/// Returns the lowest rank's reason with its rank; none if all are empty. Collective.
std::optional<std::string> first_failure(const Communicator& communicator,
                                         const std::string& reason) {
  const auto first = first_reason(communicator, reason);
  if (!first) return std::nullopt;
  return "rank " + std::to_string(first->rank) + ": " + first->text;
}

/// Returns why these ranks cannot form a group although each of them could use NCCL. Checks in rank
/// order, so that all ranks return the same. NCCL lets ranks share a GPU if it takes them for ranks
/// of several hosts.
std::optional<std::string> conflict(const std::vector<RankProperties>& by_rank) {
  std::map<std::uint64_t, std::vector<GpuIdentity>> gpus;
  for (std::size_t rank = 0; rank < by_rank.size(); ++rank) {
    const auto& properties = by_rank[rank];
    gpus[properties.host_name].push_back(properties.gpu);
    if (properties.version != by_rank[0].version) {
      return "rank 0 has NCCL " + nccl_version_text(by_rank[0].version) + " and rank " +
             std::to_string(rank) + " has " + nccl_version_text(properties.version) +
             "; all ranks need the same";
    }
  }
  for (const auto& [host, of_host] : gpus) {
    auto shared = describe_shared_gpu(of_host);
    if (!shared.empty()) return shared;
  }
  return std::nullopt;
}

}  // namespace

struct NcclTransport::State {
  explicit State(const Communicator& communicator)
      : rank(communicator.rank()),
        size(communicator.size()),
        is_connected(static_cast<std::size_t>(size), false) {}
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  [[nodiscard]] std::string start(const Communicator& communicator);
  [[nodiscard]] std::string reason_of(ncclResult_t code, const std::string& call) const;
  [[nodiscard]] bool is_capturing(CUstream_st* stream);
  [[nodiscard]] ncclResult_t wait_until_done(ncclResult_t code) const;
  void check(ncclResult_t code, const std::string& call);
  void check_cuda(cudaError_t code, const char* call);
  void exchange(const std::byte* send, std::byte* receive, std::span<const Route> routes,
                cudaStream_t stream);
  void wait(cudaStream_t stream);
  std::optional<std::string> asynchronous_error();

  const NcclLibrary& nccl = nccl_library();
  int rank, size;
  ncclComm_t group = nullptr;
  std::byte* first_bytes = nullptr;  // device memory: one byte to send, one from each rank
  std::vector<bool> is_connected;    // by peer
  bool has_failed = false;
};

NcclTransport::State::~State() {
  if (group != nullptr) {
    // ncclCommDestroy waits for operations in flight, which never complete once a peer is gone.
    const bool must_abort =
        has_failed || std::uncaught_exceptions() > 0 || asynchronous_error().has_value();
    if (must_abort) {
      (void)nccl.comm_abort(group);
    } else {
      (void)nccl.comm_destroy(group);
    }
  }
  (void)cudaFree(first_bytes);
}

/// Collective. Returns the failure of this rank; empty if none.
std::string NcclTransport::State::start(const Communicator& communicator) {
  std::string failure;
  ncclUniqueId id{};
  if (communicator.is_root()) {
    failure = reason_of(nccl.get_unique_id(&id), "ncclGetUniqueId");
  }
  // The root broadcasts nothing if it has no id; the other ranks then return no failure.
  const auto bytes = communicator.broadcast(
      failure.empty() ? std::string_view(id.internal, sizeof(id.internal)) : std::string_view());
  if (bytes.size() != sizeof(id.internal)) return failure;
  std::memcpy(id.internal, bytes.data(), bytes.size());
  // ncclCommInitRank waits for all ranks, one of which may have failed in it.
  const Waiting waiting("the start of NCCL");
  failure =
      reason_of(wait_until_done(nccl.comm_init_rank(&group, size, id, rank)), "ncclCommInitRank");
  if (!failure.empty()) return failure;
  void* memory = nullptr;
  const auto code = cudaMalloc(&memory, static_cast<std::size_t>(size) + 1);
  if (code != cudaSuccess) return std::string("cudaMalloc failed: ") + cudaGetErrorString(code);
  first_bytes = static_cast<std::byte*>(memory);
  return {};
}

std::string NcclTransport::State::reason_of(ncclResult_t code, const std::string& call) const {
  if (code == ncclSuccess) return {};
  std::string text = call + " failed: " + nccl.get_error_string(code);
  const char* const last = nccl.get_last_error(group);
  if (last != nullptr && *last != '\0') text += std::string(": ") + last;
  return text;
}

/// Waits until a call has completed. With NCCL_COMM_BLOCKING=0 in the environment calls return
/// early.
ncclResult_t NcclTransport::State::wait_until_done(ncclResult_t code) const {
  while (code == ncclInProgress && group != nullptr) {
    std::this_thread::yield();
    const auto query_result = nccl.comm_get_async_error(group, &code);
    if (query_result != ncclSuccess) return query_result;
  }
  return code;
}

void NcclTransport::State::check(ncclResult_t code, const std::string& call) {
  if (code == ncclSuccess) return;
  has_failed = true;
  throw CommunicationError("rank " + std::to_string(rank) + ": " + reason_of(code, call));
}

void NcclTransport::State::check_cuda(cudaError_t code, const char* call) {
  if (code == cudaSuccess) return;
  has_failed = true;
  throw CommunicationError("rank " + std::to_string(rank) + ": " + call +
                           " failed: " + cudaGetErrorString(code));
}

bool NcclTransport::State::is_capturing(CUstream_st* stream) {
  auto status = cudaStreamCaptureStatusNone;
  check_cuda(cudaStreamIsCapturing(stream, &status), "cudaStreamIsCapturing");
  return status != cudaStreamCaptureStatusNone;
}

void NcclTransport::State::exchange(const std::byte* send, std::byte* receive,
                                    std::span<const Route> routes, cudaStream_t stream) {
  auto failed = ncclSuccess;
  std::string failed_call;
  const auto note = [&](ncclResult_t code, const char* call, int peer) {
    if (code == ncclSuccess || code == ncclInProgress || failed != ncclSuccess) return;
    failed = code;
    failed_call = call + std::to_string(peer);
  };
  check(nccl.group_start(), "ncclGroupStart");
  for (const auto& route : routes) {
    if (route.send_bytes > 0) {
      note(nccl.send(send + route.send_offset, route.send_bytes, ncclUint8, route.peer, group,
                     stream),
           "ncclSend to rank ", route.peer);
    }
    if (route.receive_bytes > 0) {
      note(nccl.receive(receive + route.receive_offset, route.receive_bytes, ncclUint8, route.peer,
                        group, stream),
           "ncclRecv from rank ", route.peer);
    }
  }
  // The group is ended even after a failed call, or the next exchange would become part of it.
  const auto ended = wait_until_done(nccl.group_end());
  check(failed, failed_call);
  check(ended, "ncclGroupEnd");
}

/// Waits until the stream is empty. Used only for the first bytes of new connections.
void NcclTransport::State::wait(cudaStream_t stream) {
  const auto end = std::chrono::steady_clock::now() + connection_time_limit;
  for (;;) {
    const auto code = cudaStreamQuery(stream);
    if (code == cudaSuccess) return;
    if (code != cudaErrorNotReady) check_cuda(code, "the first exchange of NCCL");
    (void)cudaGetLastError();  // cudaErrorNotReady stays set as the last error
    const auto error = asynchronous_error();
    if (error) throw CommunicationError(*error);
    if (std::chrono::steady_clock::now() > end) {
      has_failed = true;
      throw CommunicationError("rank " + std::to_string(rank) +
                               " waited a minute for its peers' first bytes by NCCL; did a rank "
                               "end, or does a network not carry them? NCCL_DEBUG=INFO logs more");
    }
    std::this_thread::yield();
  }
}

std::optional<std::string> NcclTransport::State::asynchronous_error() {
  auto error = ncclSuccess;
  const auto query_result = nccl.comm_get_async_error(group, &error);
  if (query_result != ncclSuccess) error = query_result;
  if (error == ncclSuccess || error == ncclInProgress) return std::nullopt;
  has_failed = true;
  return "rank " + std::to_string(rank) + ": " + reason_of(error, "an exchange by NCCL");
}

std::optional<std::string> NcclTransport::unavailable(const Communicator& communicator) {
  RankProperties mine;
  if (auto reason = first_failure(communicator, find_own_properties(mine))) return reason;
  return conflict(communicator.all_gather(std::span<const RankProperties>(&mine, 1)));
}

NcclTransport::NcclTransport(const Communicator& communicator) {
  auto reason = unavailable(communicator);
  if (!reason) {
    state_ = std::make_unique<State>(communicator);
    reason = first_failure(communicator, state_->start(communicator));
    if (reason) state_->has_failed = true;
  }
  if (reason) throw CommunicationError("NCCL cannot be used: " + *reason);
}

NcclTransport::~NcclTransport() = default;

void NcclTransport::connect(std::span<const Route> routes, CUstream_st* stream) {
  auto& state = *state_;
  check_routes(routes, state.rank, state.size);
  std::vector<Route> new_routes;
  for (const auto& route : routes) {
    const auto peer = static_cast<std::size_t>(route.peer);
    if (route.peer == state.rank || state.is_connected[peer]) continue;
    state.is_connected[peer] = true;
    new_routes.push_back({route.peer, 0, 1, 1 + peer, 1});
  }
  if (new_routes.empty()) return;
  state.exchange(state.first_bytes, state.first_bytes, new_routes, stream);
  state.wait(stream);
}

void NcclTransport::enqueue(const std::byte* send, std::byte* receive,
                            std::span<const Route> routes, CUstream_st* stream) {
  auto& state = *state_;
  check_routes(routes, state.rank, state.size);
  if (state.is_capturing(stream)) {
    for (const auto& route : routes) {
      if (route.peer != state.rank && !state.is_connected[static_cast<std::size_t>(route.peer)]) {
        throw CommunicationError("rank " + std::to_string(state.rank) + ": an exchange with rank " +
                                 std::to_string(route.peer) +
                                 " cannot be recorded before connect() has been called for it");
      }
    }
  }
  state.exchange(send, receive, routes, stream);
}

std::optional<std::string> NcclTransport::asynchronous_error() {
  return state_->asynchronous_error();
}

void NcclTransport::abandon() { state_->has_failed = true; }

}  // namespace nfold::comm
