// Halo exchange of one rank by messages: rows to send and receive, and staging buffers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/nccl_transport.hpp"
#include "core/telemetry/profiler.hpp"
#include "device/launch.hpp"
#include "device/staged_array.hpp"
#include "kernels/halo/halo_rows.hpp"

namespace nfold::halo {

/// Rows to send and receive, in the order of the buffers.
struct HaloRows {
  const int *send_row, *receive_row;  // (sent), (received)
  int sent, received;
  std::vector<comm::Route> routes;  // byte ranges of the packed coordinates
};

template <class Precision>
class Halo {
 public:
  using Coordinate = typename Precision::Coordinate;

  Halo() : send_("halo.send"), receive_("halo.receive") {}

  /// Reserves both buffers. Both get the larger size: a repartition may swap them.
  void reserve(std::int64_t sent, std::int64_t received) {
    send_.reserve(3 * std::max(sent, received));
    receive_.reserve(3 * std::max(sent, received));
  }

  /// Call before the first plan: exchanges use NCCL, in the order of the device's stream.
  void use_nccl(std::shared_ptr<comm::NcclTransport> nccl) { nccl_ = std::move(nccl); }
  /// Passes device memory to MPI.
  void use_device_memory() { is_staged_ = false; }
  /// True if start() and finish() can be captured.
  [[nodiscard]] bool is_stream_ordered() const { return nccl_ != nullptr; }
  [[nodiscard]] bool has_peers() const { return !routes_.empty(); }

  /// Replaces the plan and frees the previous transport. The rows must stay unchanged until the
  /// next plan.
  void set_plan(const comm::Communicator& communicator, const HaloRows& rows) {
    sent_ = rows.sent;
    received_ = rows.received;
    send_row_ = rows.send_row;
    receive_row_ = rows.receive_row;
    reserve(sent_, received_);
    routes_ = rows.routes;
    if (!nccl_) {
      transport_.emplace(communicator, routes_);
      return;
    }
#ifdef KOKKOS_ENABLE_CUDA
    nccl_->connect(routes_, device::device_stream());
#endif
  }

  /// Packs owned rows and sends them; the rows must stay unchanged until finish().
  void start(kernels::Columns<const Coordinate> x) {
    if (!transport_ && !nccl_) return;
    pack(x);
    const telemetry::PartSpan span(telemetry::Phase::exchange);
    if (nccl_) {
#ifdef KOKKOS_ENABLE_CUDA
      nccl_->enqueue(reinterpret_cast<const std::byte*>(send_.device()),
                     reinterpret_cast<std::byte*>(receive_.device()), routes_,
                     device::device_stream());
#endif
      return;
    }
    if (is_staged_) {
      transport_->start(reinterpret_cast<const std::byte*>(send_.host()),
                        reinterpret_cast<std::byte*>(receive_.host()));
    } else {
      device::fence();
      transport_->start(reinterpret_cast<const std::byte*>(send_.device()),
                        reinterpret_cast<std::byte*>(receive_.device()));
    }
  }

  /// Waits for the ghosts and unpacks them into their rows.
  void finish(kernels::Columns<Coordinate> x, kernels::PairRecords<Precision> records) {
    if (!transport_ && !nccl_) return;
    if (transport_) {
      const telemetry::PartSpan span(telemetry::Phase::exchange);
      transport_->finish();
    }
    const telemetry::PartSpan span(telemetry::Phase::pack);
    if (transport_ && is_staged_) receive_.to_device(3 * static_cast<std::int64_t>(received_));
    device::launch("unpack halo", received_,
                   kernels::UnpackRows<Precision>{receive_row_, receive_.device(), x, records});
  }

 private:
  void pack(kernels::Columns<const Coordinate> x) {
    const telemetry::PartSpan span(telemetry::Phase::pack);
    device::launch("pack halo", sent_, kernels::PackRows<Coordinate>{send_row_, x, send_.device()});
    if (transport_ && is_staged_) send_.to_host(3 * static_cast<std::int64_t>(sent_));
  }

  device::StagedArray<Coordinate> send_, receive_;
  const int *send_row_ = nullptr, *receive_row_ = nullptr;
  std::vector<comm::Route> routes_;
  std::optional<comm::HaloTransport> transport_;
  std::shared_ptr<comm::NcclTransport> nccl_;
  bool is_staged_ = true;
  int sent_ = 0, received_ = 0;
};

}  // namespace nfold::halo
