// The halo of one rank: which rows travel, and their journey through host buffers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "comm/communicator.hpp"
#include "domain/halo_plan.hpp"
#include "dynamics/launch.hpp"
#include "kernels/halo_rows.hpp"

namespace nfold::dynamics {

template <class Precision>
class Halo {
 public:
  using Coordinate = typename Precision::Coordinate;

  Halo()
      : send_row_("halo.send_row"),
        receive_row_("halo.receive_row"),
        send_("halo.send"),
        receive_("halo.receive") {}

  /// row_of(id): local row of a ghost. Frees the transport before.
  template <class RowOf>
  void set_plan(const comm::Communicator& communicator, const domain::HaloPlan& plan,
                const RowOf& row_of) {
    std::vector<int> send_rows, receive_rows;
    for (const auto& out : plan.send_rows)
      send_rows.insert(send_rows.end(), out.begin(), out.end());
    for (const auto& in : plan.receive_ids) {
      for (const int id : in) receive_rows.push_back(row_of(id));
    }
    sent_ = static_cast<int>(send_rows.size());
    received_ = static_cast<int>(receive_rows.size());
    send_row_.upload(send_rows);
    receive_row_.upload(receive_rows);
    send_.reserve(3 * static_cast<std::int64_t>(sent_));
    receive_.reserve(3 * static_cast<std::int64_t>(received_));
    if constexpr (!on_host) {
      host_send_ = Staging("halo.host_send", send_.size());
      host_receive_ = Staging("halo.host_receive", receive_.size());
    }
    transport_.emplace(communicator, domain::routes_of(plan, 3 * sizeof(Coordinate)));
  }

  /// Packs owned rows and sends them off; the rows must stay as they are until finish().
  void start(kernels::Columns<const Coordinate> x) {
    if (!transport_) return;
    launch("pack halo", sent_, kernels::PackRows<Coordinate>{send_row_.data(), x, send_.data()});
    const Coordinate* send = send_.data();
    Coordinate* receive = receive_.data();
    if constexpr (!on_host) {
      copy(send_.data(), host_send_.data(), send_.size());
      send = host_send_.data();
      receive = host_receive_.data();
    }
    transport_->start(reinterpret_cast<const std::byte*>(send),
                      reinterpret_cast<std::byte*>(receive));
  }

  /// Waits for the ghosts and puts them into their rows.
  void finish(kernels::Columns<Coordinate> x, kernels::PairRecords<Precision> records) {
    if (!transport_) return;
    transport_->finish();
    if constexpr (!on_host) copy(host_receive_.data(), receive_.data(), receive_.size());
    launch("unpack halo", received_,
           kernels::UnpackRows<Precision>{receive_row_.data(), receive_.data(), x, records});
  }

 private:
#ifdef KOKKOS_ENABLE_CUDA
  using Staging = Kokkos::View<Coordinate*, Kokkos::CudaHostPinnedSpace>;
  static void copy(const Coordinate* from, Coordinate* to, std::int64_t n) {
    // The stream orders the copy after the packing; MPI must not see the buffer before it is done.
    cudaMemcpyAsync(to, from, static_cast<std::size_t>(n) * sizeof(Coordinate), cudaMemcpyDefault,
                    Space().cuda_stream());
    Space().fence();
  }
#else
  using Staging = Kokkos::View<Coordinate*, Kokkos::HostSpace>;
  static void copy(const Coordinate* /*from*/, Coordinate* /*to*/, std::int64_t /*n*/) {}
#endif

  DeviceArray<int> send_row_, receive_row_;
  DeviceArray<Coordinate> send_, receive_;
  Staging host_send_, host_receive_;
  std::optional<comm::HaloTransport> transport_;
  int sent_ = 0, received_ = 0;
};

}  // namespace nfold::dynamics
