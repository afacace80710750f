// NCCL transport for builds without NCCL: reports the reason.
// SPDX-License-Identifier: BSD-3-Clause

#include "comm/nccl_transport.hpp"

namespace nfold::comm {

struct NcclTransport::State {};

std::optional<std::string> NcclTransport::unavailable(const Communicator& /*communicator*/) {
  return NFOLD_WHY_NO_NCCL;
}

NcclTransport::NcclTransport(const Communicator& communicator) {
  throw CommunicationError("NCCL cannot be used: " + *unavailable(communicator));
}
NcclTransport::~NcclTransport() = default;

// Never called: the constructor throws.
void NcclTransport::connect(std::span<const Route> /*routes*/, CUstream_st* /*stream*/) {}
void NcclTransport::enqueue(const std::byte* /*send*/, std::byte* /*receive*/,
                            std::span<const Route> /*routes*/, CUstream_st* /*stream*/) {}
std::optional<std::string> NcclTransport::asynchronous_error() { return NFOLD_WHY_NO_NCCL; }
void NcclTransport::abandon() {}

}  // namespace nfold::comm
