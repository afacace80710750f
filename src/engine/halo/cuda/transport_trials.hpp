// Trials of every available transport between the ranks and GPUs of a run, at its start.
// SPDX-License-Identifier: BSD-3-Clause
//
// Times the exchange of border residues alone, with the code of a step: for peer memory the kernel
// that writes records here and on the peers, and the kernel that sets flags, waits and copies
// ghosts; for NCCL and MPI packing, messages and unpacking; for islands the former within them and
// the latter between them. Peer memory and NCCL are captured if steps are. In a step peer memory
// costs less than its time here, because the integrator does the writing and interior work
// overlaps; MPI costs more, because its steps are not captured. So the first in order among the
// fastest here is the best choice in a step (transport_choice.hpp).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/nccl_transport.hpp"
#include "comm/transport_choice.hpp"
#include "device/cuda/graph_capture.hpp"
#include "device/device_array.hpp"
#include "engine/halo/cuda/peer_memory.hpp"
#include "engine/halo/halo.hpp"
#include "kernels/cuda/peer_halo.hpp"

namespace nfold::halo {

/// Each rank exchanges with up to three neighbours in rank order on either side, like in a
/// partition of space. Leaves nothing behind, except NCCL if the caller keeps it.
template <class Precision>
class TransportTrials {
 public:
  /// island: (ranks) from PeerGroups; empty if peer memory is not tried.
  TransportTrials(const comm::Communicator& communicator, bool captures_exchanges,
                  std::vector<int> island);

  /// Collective. Adds the times to the trial, or an obstacle if the transport fails on a rank; same
  /// on all ranks. Earlier results are cached elsewhere (transport_table.hpp).
  void measure(comm::TransportTrial& trial);
  /// NCCL with its connections, if it was measured here, alone or between islands; otherwise, or if
  /// it failed, null.
  [[nodiscard]] std::shared_ptr<comm::NcclTransport> nccl() const { return nccl_; }

 private:
  using Record = kernels::PackedRow<Precision>;

  void measure_peer_memory(comm::TransportTrial& trial);
  void measure_messages(comm::TransportTrial& trial);
  [[nodiscard]] bool start_nccl(comm::TransportTrial& trial);
  [[nodiscard]] bool is_peer(int neighbour) const;
  void prepare(int residues);
  [[nodiscard]] HaloRows rows(int residues, const std::vector<int>& neighbours);
  void chain_copies(int residues);
  [[nodiscard]] kernels::PairRecords<Precision> records(Record* first) const {
    return {first, nullptr, slot_.data(), charged_slot_.data(), tag_.data(), {}};
  }
  void push_and_take(const PeerMemory& memory, int residues, int exchange,
                     Halo<Precision>* between);
  template <class Action>
  void attempt(const Action& action);
  [[nodiscard]] bool has_failed(comm::TransportTrial& trial);
  template <class Run>
  [[nodiscard]] double measure_microseconds(const Run& run);
  /// Own residues first, then each neighbour's.
  [[nodiscard]] int row_count(int residues) const {
    return residues * (1 + static_cast<int>(neighbours_.size()));
  }

  comm::Communicator communicator_;
  bool captures_exchanges_;
  std::vector<int> island_;
  std::vector<int> neighbours_;  // ascending
  std::string failure_;          // failure on this rank
  device::CaptureStream capture_stream_;
  std::shared_ptr<comm::NcclTransport> nccl_;
  device::DeviceColumns<typename Precision::Coordinate> coordinate_{"transport_trial.coordinate"};
  device::DeviceArray<typename Precision::Coordinate> tag_{"transport_trial.tag"};
  device::DeviceArray<Record> record_{"transport_trial.record"};  // for trials of messages
  device::DeviceArray<int> send_row_{"transport_trial.send_row"},
      receive_row_{"transport_trial.receive_row"}, slot_{"transport_trial.slot"},
      charged_slot_{"transport_trial.charged_slot"}, first_copy_{"transport_trial.first_copy"},
      present_{"transport_trial.present"}, lost_{"transport_trial.lost"};
  device::DeviceArray<kernels::HaloCopy> copy_{"transport_trial.copy"};
  device::DeviceArray<std::uint64_t> exchanges_{"transport_trial.exchanges"};
};

}  // namespace nfold::halo
