// Every possible transport timed between the ranks and GPUs of this run, at its start.
// SPDX-License-Identifier: BSD-3-Clause
//
// What is timed is the journey of the border's residues alone, by the code that a step uses: on
// peer memory the kernel that writes records here and on the peers, and the one that raises flags,
// waits and copies ghosts; by NCCL and MPI packing, the messages, unpacking; the former within
// islands and the latter between them where both are used. Peer memory and NCCL are recorded where
// steps are. In a step peer memory costs less than its time here says, since
// what integrates does the writing and interior work goes on meanwhile, and MPI costs more, since
// its steps are not recorded: whoever is among the fastest here and stands first in the order is
// the better one there (transport_choice.hpp).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/nccl_transport.hpp"
#include "comm/transport_choice.hpp"
#include "device/cuda/recording.hpp"
#include "device/device_array.hpp"
#include "halo/cuda/peer_memory.hpp"
#include "halo/halo.hpp"
#include "kernels/cuda/peer_halo.hpp"

namespace nfold::halo {

/// Each rank exchanges with those next to it in rank order, three at most on either side, as in a
/// partition of space. What is left behind when it goes: nothing, but for NCCL if that is taken.
template <class Precision>
class TransportTrials {
 public:
  /// island: (ranks) as PeerGroups has it; empty where no rank is asked for its memory.
  TransportTrials(const comm::Communicator& communicator, bool records_steps,
                  std::vector<int> island);

  /// Collective: adds the times, or an obstacle where the transport fails on a rank. All ranks have
  /// the same numbers then. What was measured before is kept elsewhere (transport_table.hpp).
  void measure(comm::TransportTrial& trial);
  /// NCCL with its connections, if it was measured here, alone or between islands; null where it
  /// was not or failed.
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
  [[nodiscard]] double microseconds_of(const Run& run);
  /// Of a neighbourhood, the own residues first, then each neighbour's.
  [[nodiscard]] int row_count(int residues) const {
    return residues * (1 + static_cast<int>(neighbours_.size()));
  }

  comm::Communicator communicator_;
  bool records_steps_;
  std::vector<int> island_;
  std::vector<int> neighbours_;  // ascending
  std::string failure_;          // of this rank
  device::RecordingStream recording_;
  std::shared_ptr<comm::NcclTransport> nccl_;
  device::DeviceColumns<typename Precision::Coordinate> coordinate_{"transport_trial.coordinate"};
  device::DeviceArray<typename Precision::Coordinate> tag_{"transport_trial.tag"};
  device::DeviceArray<Record> record_{"transport_trial.record"};  // those of messages
  device::DeviceArray<int> send_row_{"transport_trial.send_row"},
      receive_row_{"transport_trial.receive_row"}, slot_{"transport_trial.slot"},
      charged_slot_{"transport_trial.charged_slot"}, first_copy_{"transport_trial.first_copy"},
      present_{"transport_trial.present"}, lost_{"transport_trial.lost"};
  device::DeviceArray<kernels::HaloCopy> copy_{"transport_trial.copy"};
  device::DeviceArray<std::uint64_t> exchanges_{"transport_trial.exchanges"};
};

}  // namespace nfold::halo
