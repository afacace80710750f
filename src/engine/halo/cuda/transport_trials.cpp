// Timed halo exchanges of artificial borders.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/halo/cuda/transport_trials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

#include "comm/first_reason.hpp"
#include "comm/peer_islands.hpp"

namespace nfold::halo {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int neighbours_on_a_side = 3;
/// Exchanges per timed round; even, because record sets are double-buffered.
constexpr int exchanges_a_round = 32;
/// The fastest round counts: occasional disturbances of the machine are no property of a transport.
constexpr int rounds = 3;
/// Longer than kernels wait for flags.
constexpr std::chrono::seconds patience{30};

std::vector<int> neighbours_of(int rank, int ranks) {
  std::set<int> found;
  for (int distance = 1; distance <= neighbours_on_a_side; ++distance) {
    found.insert((rank + distance) % ranks);
    found.insert((rank + ranks - distance % ranks) % ranks);
  }
  found.erase(rank);
  return {found.begin(), found.end()};
}

/// Writes coordinates like the integrator. One work item per row.
template <class Precision>
struct WriteRows {
  kernels::Columns<const typename Precision::Coordinate> x;
  kernels::PairRecords<Precision> records;
  KOKKOS_FUNCTION void operator()(int row) const { records.put(row, x.x[row], x.y[row], x.z[row]); }
};

/// Advances the exchange counter. One work item.
struct CountExchanges {
  std::uint64_t* exchanges;
  std::uint64_t more;
  KOKKOS_FUNCTION void operator()(int) const { *exchanges += more; }
};

/// Waits with a time limit: a broken transport must not stop a run that requests another.
void wait_for_stream() {
  const auto limit = Clock::now() + patience;
  for (;;) {
    const auto code = cudaStreamQuery(device::device_stream());
    if (code == cudaSuccess) return;
    if (code != cudaErrorNotReady) device::check_cuda(code, "an exchange");
    (void)cudaGetLastError();  // "not ready" is kept as the last error
    if (Clock::now() > limit) {
      throw std::runtime_error(
          fmt::format("an exchange did not end within {} s", patience.count()));
    }
    std::this_thread::yield();
  }
}

}  // namespace

template <class Precision>
TransportTrials<Precision>::TransportTrials(const comm::Communicator& communicator,
                                            bool captures_exchanges, std::vector<int> island)
    : communicator_(communicator),
      captures_exchanges_(captures_exchanges),
      island_(std::move(island)),
      neighbours_(neighbours_of(communicator.rank(), communicator.size())) {}

/// Runs an action unless one failed before; keeps a failure, so that ranks continue together until
/// has_failed() reports it to all.
template <class Precision>
template <class Action>
void TransportTrials<Precision>::attempt(const Action& action) {
  if (!failure_.empty()) return;
  try {
    action();
  } catch (const std::exception& error) {
    failure_ = error.what();
  }
}

/// Collective. Returns true if the trial failed on any rank, and stores the reason as its obstacle.
template <class Precision>
bool TransportTrials<Precision>::has_failed(comm::TransportTrial& trial) {
  const auto reason = comm::first_reason(communicator_, failure_);
  failure_.clear();
  if (!reason) return false;
  trial.microseconds.clear();
  trial.obstacle = fmt::format("its trial failed on rank {}: {}", reason->rank, reason->text);
  return true;
}

/// Collective. Returns the time of one exchange on the slowest rank [us]. run() performs a round
/// and waits for it.
template <class Precision>
template <class Run>
double TransportTrials<Precision>::measure_microseconds(const Run& run) {
  auto least = std::numeric_limits<std::int64_t>::max();
  for (int round = 0; round <= rounds; ++round) {
    communicator_.barrier();
    const auto start = Clock::now();
    attempt(run);
    const std::chrono::nanoseconds taken = Clock::now() - start;
    const std::int64_t slowest = communicator_.max(taken.count());
    if (round > 0) least = std::min(least, slowest);  // the first round is a warm-up
  }
  return 1e-3 * static_cast<double>(least) / exchanges_a_round;
}

template <class Precision>
void TransportTrials<Precision>::prepare(int residues) {
  std::vector<int> slots(static_cast<std::size_t>(row_count(residues)));
  std::iota(slots.begin(), slots.end(), 0);
  coordinate_.reserve(row_count(residues));
  slot_.upload(slots);
  tag_.reserve(static_cast<std::int64_t>(slots.size()));
  charged_slot_.upload(std::vector<int>(slots.size(), -1));
  device::fence();
}

/// Sends all own rows to each of `neighbours`. Ghosts of the k-th neighbour follow the own rows and
/// those of the neighbours before.
template <class Precision>
HaloRows TransportTrials<Precision>::rows(int residues, const std::vector<int>& neighbours) {
  const std::size_t part =
      3 * sizeof(typename Precision::Coordinate) * static_cast<std::size_t>(residues);
  std::vector<int> sent, received;
  std::vector<comm::Route> routes;
  for (std::size_t k = 0; k < neighbours_.size(); ++k) {
    if (std::find(neighbours.begin(), neighbours.end(), neighbours_[k]) == neighbours.end()) {
      continue;
    }
    const std::size_t offset = routes.size() * part;
    routes.push_back({neighbours_[k], offset, part, offset, part});
    for (int i = 0; i < residues; ++i) {
      sent.push_back(i);
      received.push_back((1 + static_cast<int>(k)) * residues + i);
    }
  }
  send_row_.upload(sent);
  receive_row_.upload(received);
  device::fence();
  const int all = static_cast<int>(sent.size());
  return {send_row_.data(), receive_row_.data(), all, all, std::move(routes)};
}

template <class Precision>
void TransportTrials<Precision>::measure(comm::TransportTrial& trial) {
  if (trial.transport == comm::Transport::peer_memory ||
      trial.transport == comm::Transport::peer_memory_and_nccl) {
    measure_peer_memory(trial);
  } else {
    measure_messages(trial);
  }
}

/// True if that rank writes its rows into this rank's memory.
template <class Precision>
bool TransportTrials<Precision>::is_peer(int neighbour) const {
  return island_[static_cast<std::size_t>(neighbour)] ==
         island_[static_cast<std::size_t>(communicator_.rank())];
}

/// Collective. Returns false if NCCL failed to start.
template <class Precision>
bool TransportTrials<Precision>::start_nccl(comm::TransportTrial& trial) {
  if (nccl_) return true;
  // Throws on all ranks or on none.
  attempt([&] { nccl_ = std::make_shared<comm::NcclTransport>(communicator_); });
  return !has_failed(trial);
}

template <class Precision>
void TransportTrials<Precision>::measure_messages(comm::TransportTrial& trial) {
  Halo<Precision> halo;
  const bool by_nccl = trial.transport == comm::Transport::nccl;
  if (by_nccl) {
    if (!start_nccl(trial)) return;
    halo.use_nccl(nccl_);
  }
  if (trial.transport == comm::Transport::mpi_device) halo.use_device_memory();
  for (const int residues : comm::trial_residues) {
    prepare(residues);
    record_.reserve(row_count(residues));
    const auto exchange = [&] {
      for (int i = 0; i < exchanges_a_round; ++i) {
        halo.start(coordinate_.read());
        halo.finish(coordinate_.view(), records(record_.data()));
      }
    };
    device::CapturedGraph graph;  // destroyed before NCCL
    attempt([&] {
      halo.set_plan(communicator_, rows(residues, neighbours_));
      if (by_nccl && captures_exchanges_) graph = capture_stream_.captured(exchange);
    });
    if (has_failed(trial)) break;
    const double microseconds = measure_microseconds([&] {
      if (graph) {
        device::check_cuda(cudaGraphLaunch(graph.get(), device::device_stream()),
                           "starting exchanges");
      } else {
        exchange();
      }
      wait_for_stream();
    });
    if (has_failed(trial)) break;
    trial.microseconds.push_back(microseconds);
  }
  if (!by_nccl || trial.obstacle.empty()) return;
  nccl_->abandon();
  nccl_.reset();
}

/// Launches exchange number `exchange` (from 0) of a round. between: exchange with ranks of other
/// islands, null if there are none.
template <class Precision>
void TransportTrials<Precision>::push_and_take(const PeerMemory& memory, int residues, int exchange,
                                               Halo<Precision>* between) {
  const int self = communicator_.rank(), all = row_count(residues);
  const auto records_of = [&](int rank) {
    return reinterpret_cast<Record*>(memory.of(rank) + kernels::halo_flag_bytes) +
           (exchange % 2) * all;
  };
  const auto flags_of = [&](int rank) {
    return reinterpret_cast<unsigned long long*>(memory.of(rank));
  };
  auto written = records(records_of(self));
  kernels::HaloFlags flags{};
  flags.arrived = flags_of(self);
  for (const int neighbour : neighbours_) {
    if (!is_peer(neighbour)) continue;
    const auto k = static_cast<std::size_t>(flags.peers++);
    written.push.all[k] = records_of(neighbour);
    flags.theirs[k] = flags_of(neighbour) + memory.island_index(self);
    flags.place[k] = memory.island_index(neighbour);
  }
  if (flags.peers > 0) {
    written.push.first_copy = first_copy_.data();
    written.push.copy = copy_.data();
  }
  flags.base = exchanges_.data();
  flags.offset = static_cast<std::uint64_t>(exchange) + 1;
  flags.lost = lost_.data();
  device::launch("write border", residues, WriteRows<Precision>{coordinate_.read(), written});
  if (between != nullptr) {
    between->start(coordinate_.read());
    between->finish(coordinate_.view(), records(records_of(self)));
  }
  constexpr int threads = 256;
  device::start_kernel("take ghosts", kernels::copy_ghosts<Precision>,
                       (all - residues + threads - 1) / threads, threads, flags,
                       static_cast<const Record*>(records_of(self)), residues, all,
                       static_cast<const int*>(present_.data()), coordinate_.view());
}

/// Chains each row's copies over the neighbours that are peers; each peer stores them after its own
/// rows.
template <class Precision>
void TransportTrials<Precision>::chain_copies(int residues) {
  std::vector<int> peers;
  for (const int neighbour : neighbours_) {
    if (is_peer(neighbour)) peers.push_back(neighbour);
  }
  std::vector<kernels::HaloCopy> copies;
  for (std::size_t k = 0; k < peers.size(); ++k) {
    const auto theirs = neighbours_of(peers[k], communicator_.size());
    const auto part = static_cast<int>(
        std::find(theirs.begin(), theirs.end(), communicator_.rank()) - theirs.begin());
    for (int i = 0; i < residues; ++i) {
      const int next = k + 1 < peers.size() ? (static_cast<int>(k) + 1) * residues + i : -1;
      copies.push_back({next, static_cast<int>(k), (1 + part) * residues + i, -1});
    }
  }
  std::vector<int> first(static_cast<std::size_t>(residues));
  std::iota(first.begin(), first.end(), 0);
  copy_.upload(copies);
  first_copy_.upload(first);
}

template <class Precision>
void TransportTrials<Precision>::measure_peer_memory(comm::TransportTrial& trial) {
  const int largest = *std::max_element(comm::trial_residues.begin(), comm::trial_residues.end());
  const bool has_islands = trial.transport == comm::Transport::peer_memory_and_nccl;
  std::vector<int> beyond;
  for (const int neighbour : neighbours_) {
    if (!is_peer(neighbour)) beyond.push_back(neighbour);
  }
  if (has_islands && !start_nccl(trial)) return;
  std::optional<PeerMemory> memory;
  // Throws on all ranks of an island or on none.
  attempt([&] {
    memory.emplace(communicator_, comm::members_of_island(island_, communicator_.rank()));
    memory->reserve(kernels::halo_flag_bytes +
                    2 * sizeof(Record) * static_cast<std::size_t>(row_count(largest)));
  });
  if (has_failed(trial)) return;
  Halo<Precision> between;
  if (has_islands) between.use_nccl(nccl_);
  exchanges_.upload({0});
  lost_.upload({0});
  present_.upload({std::numeric_limits<int>::max()});
  for (const int residues : comm::trial_residues) {
    prepare(residues);
    chain_copies(residues);
    device::check_cuda(cudaDeviceSynchronize(), "filling arrays");
    device::CapturedGraph graph;  // destroyed before NCCL
    attempt([&] {
      if (!beyond.empty()) between.set_plan(communicator_, rows(residues, beyond));
      graph = capture_stream_.captured([&] {
        for (int i = 0; i < exchanges_a_round; ++i) {
          push_and_take(*memory, residues, i, beyond.empty() ? nullptr : &between);
        }
        device::launch("count exchanges", 1, CountExchanges{exchanges_.data(), exchanges_a_round});
      });
    });
    if (has_failed(trial)) break;
    const double microseconds = measure_microseconds([&] {
      device::check_cuda(cudaGraphLaunch(graph.get(), device::device_stream()),
                         "starting exchanges");
      wait_for_stream();
    });
    attempt([&] {
      if (lost_.element(0) == 0) return;
      throw std::runtime_error(
          fmt::format("nothing came within {} s from another rank's GPU", kernels::halo_timeout_s));
    });
    if (has_failed(trial)) break;
    trial.microseconds.push_back(microseconds);
  }
  if (!has_islands || trial.obstacle.empty()) return;
  nccl_->abandon();
  nccl_.reset();
}

template class TransportTrials<kernels::Mixed>;
template class TransportTrials<kernels::Full>;

}  // namespace nfold::halo
