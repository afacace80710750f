// Halo exchange by non-blocking MPI messages.
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>

#include "comm/communicator.hpp"
#include "comm/messages.hpp"
#include "comm/mpi_handle.hpp"
#include "comm/route_check.hpp"
#include "comm/waiting.hpp"

namespace nfold::comm {

struct HaloTransport::State {
  Communicator communicator;
  std::vector<Route> routes;
  std::unique_ptr<Messages> messages;  // null in a communicator of one rank without MPI
};

HaloTransport::HaloTransport(const Communicator& communicator, std::vector<Route> routes)
    : state_(std::make_unique<State>()) {
  check_routes(routes, communicator.rank(), communicator.size());
  state_->communicator = communicator;
  state_->routes = std::move(routes);
  if (communicator.handle() != nullptr) {
    state_->messages = std::make_unique<Messages>(*communicator.handle(), MessageTag::halo);
  }
}

HaloTransport::~HaloTransport() = default;
HaloTransport::HaloTransport(HaloTransport&&) noexcept = default;
HaloTransport& HaloTransport::operator=(HaloTransport&&) noexcept = default;

void HaloTransport::start(const std::byte* send, std::byte* receive) {
  const int self = state_->communicator.rank();
  for (const auto& route : state_->routes) {
    if (route.peer != self) {
      state_->messages->receive(receive + route.receive_offset, route.receive_bytes, route.peer);
    }
  }
  for (const auto& route : state_->routes) {
    if (route.peer == self) {
      std::copy_n(send + route.send_offset, route.send_bytes, receive + route.receive_offset);
    } else {
      state_->messages->send(send + route.send_offset, route.send_bytes, route.peer);
    }
  }
}

void HaloTransport::finish() {
  if (state_->messages == nullptr) return;
  const Waiting waiting("an exchange of border residues");
  state_->messages->wait();
}

}  // namespace nfold::comm
