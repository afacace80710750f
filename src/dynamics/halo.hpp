// The halo of one rank: which rows travel, and their journey through host buffers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "comm/communicator.hpp"
#include "dynamics/halo_planner.hpp"
#include "dynamics/launch.hpp"
#include "dynamics/staged_array.hpp"
#include "kernels/halo_rows.hpp"

namespace nfold::dynamics {

template <class Precision>
class Halo {
 public:
  using Coordinate = typename Precision::Coordinate;

  Halo() : send_("halo.send"), receive_("halo.receive") {}

  /// Frees the transport before. The planner's rows must stay as they are until the next plan.
  void set_plan(const comm::Communicator& communicator, const HaloPlanner& planner) {
    sent_ = planner.send_first().back();
    received_ = planner.receive_first().back();
    send_row_ = planner.send_row();
    receive_row_ = planner.receive_row();
    send_.reserve(3 * static_cast<std::int64_t>(sent_));
    receive_.reserve(3 * static_cast<std::int64_t>(received_));
    transport_.emplace(communicator, planner.routes(3 * sizeof(Coordinate)));
  }

  /// Packs owned rows and sends them off; the rows must stay as they are until finish().
  void start(kernels::Columns<const Coordinate> x) {
    if (!transport_) return;
    launch("pack halo", sent_, kernels::PackRows<Coordinate>{send_row_, x, send_.device()});
    send_.to_host(3 * static_cast<std::int64_t>(sent_));
    transport_->start(reinterpret_cast<const std::byte*>(send_.host()),
                      reinterpret_cast<std::byte*>(receive_.host()));
  }

  /// Waits for the ghosts and puts them into their rows.
  void finish(kernels::Columns<Coordinate> x, kernels::PairRecords<Precision> records) {
    if (!transport_) return;
    transport_->finish();
    receive_.to_device(3 * static_cast<std::int64_t>(received_));
    launch("unpack halo", received_,
           kernels::UnpackRows<Precision>{receive_row_, receive_.device(), x, records});
  }

 private:
  StagedArray<Coordinate> send_, receive_;
  const int *send_row_ = nullptr, *receive_row_ = nullptr;
  std::optional<comm::HaloTransport> transport_;
  int sent_ = 0, received_ = 0;
};

}  // namespace nfold::dynamics
