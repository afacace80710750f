// Halo through peer memory: destinations of each row, flags, and double-buffered records.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "engine/forces/cuda/forces.hpp"
#include "engine/halo/cuda/peer_memory.hpp"
#include "engine/halo/halo_planner.hpp"
#include "engine/peer_halo_layout.hpp"
#include "kernels/cuda/peer_halo.hpp"
#include "kernels/halo/halo_rows.hpp"

namespace nfold::engine {

template <class Precision>
class PeerHalo {
 public:
  using Record = kernels::PackedRow<Precision>;

  /// Collective. members: the ranks, including this one, that write into each other's memory.
  PeerHalo(const comm::Communicator& communicator, const std::vector<int>& members)
      : communicator_(communicator), memory_(communicator, members) {}

  /// Collective. Reserves records for `rows` local rows, of which `charged` are charged, and
  /// entries for `copies` remote copies. No kernel of any rank may be running.
  forces::SharedRecords<Precision> reserve(int rows, int charged, int copies) {
    if (communicator_.any(rows > capacity_.all || charged > capacity_.charged ||
                          copies > capacity_.copies)) {
      capacity_.grow(rows, charged, copies);
      if (memory_.reserve(capacity_.template bytes<Precision>())) ++memory_taken_;
      capacities_ = communicator_.all_gather(std::span<const Capacity>(&capacity_, 1));
      needs_restart_ = true;
      ++version_;
    }
    return shared();
  }
  /// Records that reserve() returned last.
  [[nodiscard]] forces::SharedRecords<Precision> shared() const {
    const int self = communicator_.rank();
    return {{records(self, false), capacity_.all, memory_taken_},
            {records(self, true), capacity_.charged, memory_taken_}};
  }
  /// True if a plan with `copies` remote copies and as many local rows as before fits into the
  /// present memory.
  [[nodiscard]] bool has_capacity_for(int owned, int copies) const {
    return !needs_restart_ && owned <= arrays_.first_copy.size() && copies <= capacity_.copies &&
           copies <= arrays_.copy.size();
  }
  /// Changes whenever captured graphs become invalid.
  [[nodiscard]] int version() const { return version_; }
  /// True if the exchange counters were lost with the memory.
  [[nodiscard]] bool needs_restart() const { return needs_restart_; }

  /// Collective, after reserve(). Sends the ghosts' record slots to the ranks that own them. (rows)
  /// slots as in kernels::PairRecords. lost null: the host waits for the other ranks. Otherwise,
  /// after has_capacity_for(), the GPUs wait for each other in stream order, and *lost is set if a
  /// peer does not answer.
  void set_plan(const halo::HaloPlanner& planner, int owned, const int* slot,
                const int* charged_slot, int* lost) {
    const auto sent = planner.send_first(), received = planner.receive_first();
    std::vector<int> peers;
    for (std::size_t rank = 0; rank + 1 < sent.size(); ++rank) {
      if (memory_.island_index(static_cast<int>(rank)) < 0) continue;
      if (sent[rank + 1] > sent[rank] || received[rank + 1] > received[rank]) {
        peers.push_back(static_cast<int>(rank));
      }
    }
    for (const int peer : peers) {
      const auto p = static_cast<std::size_t>(peer);
      device::launch("places of ghosts", received[p + 1] - received[p],
                     kernels::PackSlots{planner.receive_row() + received[p], slot, charged_slot,
                                        places(peer) + planner.sent_before(peer)});
    }
    if (peers != peers_) ++version_;
    peers_ = peers;
    if (lost == nullptr) {
      device::fence();
      communicator_.barrier();
    } else {
      ++plan_barriers_;  // counted by all ranks, also by one without peers in this plan
      if (has_peers()) synchronise_peers(lost);
    }
    if (arrays_.reserve(owned, sent.back())) ++version_;
    device::launch("no copies", owned, kernels::ClearCopies{arrays_.first_copy.data()});
    for (std::size_t k = peers.size(); k-- > 0;) {
      const auto p = static_cast<std::size_t>(peers[k]);
      device::launch(
          "chain copies", sent[p + 1] - sent[p],
          kernels::LinkCopies{planner.send_row() + sent[p], places(communicator_.rank()) + sent[p],
                              static_cast<int>(k), sent[p], arrays_.first_copy.data(),
                              arrays_.copy.data()});
    }
  }

  [[nodiscard]] bool has_peers() const { return !peers_.empty(); }
  /// (owned rows) index of the row's first remote copy, or -1
  [[nodiscard]] const int* first_copy() const { return arrays_.first_copy.data(); }

  /// Returns the kernel argument that writes into record set `set` of each peer.
  [[nodiscard]] kernels::HaloPush<Precision> push(int set) const {
    kernels::HaloPush<Precision> push{};
    if (!has_peers()) return push;
    push.first_copy = arrays_.first_copy.data();
    push.copy = arrays_.copy.data();
    for (std::size_t k = 0; k < peers_.size(); ++k) {
      const Capacity& capacity = capacities_[static_cast<std::size_t>(peers_[k])];
      push.all[k] = records(peers_[k], false) + set * capacity.all;
      push.charged[k] = records(peers_[k], true) + set * capacity.charged;
    }
    return push;
  }
  /// Flags of exchange `offset` (from 1) of a block. base: number of earlier exchanges, on the
  /// device.
  [[nodiscard]] kernels::HaloFlags flags(const std::uint64_t* base, std::uint64_t offset,
                                         int* lost) const {
    return flags_at(0, base, offset, lost);
  }
  /// Collective. Numbers exchanges and plan barriers from 1 again.
  void restart() {
    needs_restart_ = false;
    device::fence();
    communicator_.barrier();
    device::check_cuda(cudaMemset(memory_.of(communicator_.rank()), 0,
                                  Capacity::kinds_of_flags * kernels::halo_flag_bytes),
                       "clearing flags");
    plan_barriers_ = 0;
    device::fence();
    communicator_.barrier();
  }

 private:
  using Capacity = PeerHaloLayout;
  /// (copies) Record slots of a rank's remote copies; written by the ranks that hold these.
  [[nodiscard]] kernels::LinkCopies::Place* places(int rank) const {
    const Capacity& capacity = capacities_[static_cast<std::size_t>(rank)];
    return reinterpret_cast<kernels::LinkCopies::Place*>(records(rank, true) +
                                                         2 * capacity.charged);
  }
  [[nodiscard]] Record* records(int rank, bool charged) const {
    const Capacity& capacity = capacities_[static_cast<std::size_t>(rank)];
    auto* const first = reinterpret_cast<Record*>(memory_.of(rank) + Capacity::kinds_of_flags *
                                                                         kernels::halo_flag_bytes);
    return charged ? first + 2 * capacity.all : first;
  }
  void synchronise_peers(int* lost) {
    device::start_kernel(
        "meet peers", kernels::synchronise_peers, 1, 256,
        flags_at(kernels::halo_flag_bytes, arrays_.plans_before.data(), plan_barriers_, lost));
  }
  /// Flags at byte offset `from` of the peer memory.
  [[nodiscard]] kernels::HaloFlags flags_at(std::size_t from, const std::uint64_t* base,
                                            std::uint64_t offset, int* lost) const {
    const auto flags_of = [&](int rank) {
      return reinterpret_cast<unsigned long long*>(memory_.of(rank) + from);
    };
    kernels::HaloFlags flags{};
    flags.peers = static_cast<int>(peers_.size());
    flags.arrived = flags_of(communicator_.rank());
    for (std::size_t k = 0; k < peers_.size(); ++k) {
      flags.theirs[k] = flags_of(peers_[k]) + memory_.island_index(communicator_.rank());
      flags.place[k] = memory_.island_index(peers_[k]);
    }
    flags.base = base;
    flags.offset = offset;
    flags.lost = lost;
    return flags;
  }

  comm::Communicator communicator_;
  halo::PeerMemory memory_;
  Capacity capacity_;
  std::vector<Capacity> capacities_;  // (ranks)
  int version_ = 0, memory_taken_ = 0;
  bool needs_restart_ = true;
  std::vector<int> peers_;  // members that exchange ghosts with this rank in either direction
  PeerHaloArrays arrays_;
  std::uint64_t plan_barriers_ = 0;  // since the flags were cleared
};

}  // namespace nfold::engine
