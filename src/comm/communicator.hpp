// Interface to MPI: ranks, and collectives whose result does not depend on the rank count.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/failure.hpp"

namespace nfold::comm {

/// Failed MPI call. The message holds call site, rank and MPI's reason.
class CommunicationError : public core::Failure {
 public:
  using core::Failure::Failure;
};

class WaitWatch;

/// True if a launcher (mpirun, srun or another PMI) started this process.
[[nodiscard]] bool is_launched();

/// True if MPI has been started and not ended, by anyone in this process.
[[nodiscard]] bool mpi_is_running();

/// Starts MPI on construction and ends it on destruction, unless MPI is running already, as under
/// mpi4py. One per process, in main. With several ranks it also starts the WaitWatch, which limits
/// waits for other ranks (waiting.hpp).
class Environment {
 public:
  Environment(int& argc, char**& argv);
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  bool started_mpi_;
  std::unique_ptr<WaitWatch> watch_;
};

/// Group of ranks. Cheap to copy. Default-constructed: one process without MPI. Members are
/// collective, except rank(), size(), is_root(), handle() and abort(); group() is so over its
/// members. Sums are of integers only: floating-point reductions would depend on the rank count.
class Communicator {
 public:
  Communicator();
  /// All ranks. Throws CommunicationError unless MPI has been started. Messages longer than
  /// largest_message_bytes are cut (MPI counts in int); tests set it to a small value.
  [[nodiscard]] static Communicator world(std::size_t largest_message_bytes = std::size_t{1}
                                                                              << 30U);
  /// Ranks of an MPI_Comm of another library, by its address. It must outlive the result.
  [[nodiscard]] static Communicator from_mpi(const void* mpi_comm);

  [[nodiscard]] int rank() const;
  [[nodiscard]] int size() const;
  [[nodiscard]] bool is_root() const { return rank() == 0; }

  void barrier() const;
  /// True if all ranks reach this call within the limit. For cleaning up after a failure that only
  /// this rank may have: the others may never come. After false this communicator must not be used.
  [[nodiscard]] bool barrier_within(std::chrono::milliseconds limit) const;
  [[nodiscard]] std::int64_t sum(std::int64_t value) const;
  [[nodiscard]] std::int64_t max(std::int64_t value) const;
  [[nodiscard]] std::int64_t min(std::int64_t value) const;
  [[nodiscard]] bool any(bool value) const { return max(value ? 1 : 0) != 0; }
  /// Element-wise sum in place, modulo 2^64.
  void sum(std::span<std::int64_t> values) const;
  [[nodiscard]] std::string broadcast(std::string_view text, int root = 0) const;

  /// Returns the values of all ranks in rank order, on every rank.
  template <class T>
  [[nodiscard]] std::vector<T> all_gather(std::span<const T> mine) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all;
    all_gather_bytes(std::as_bytes(mine), allocate_in(all));
    return all;
  }
  /// Returns the values of all ranks in rank order on root, nothing elsewhere.
  template <class T>
  [[nodiscard]] std::vector<T> gather(std::span<const T> mine, int root = 0) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all;
    gather_bytes(std::as_bytes(mine), root, allocate_in(all));
    return all;
  }
  /// Calls take(rank, values) on root for each rank in order. Holds the values of one rank at a
  /// time, for data too large to gather at once. take() must not call this communicator.
  template <class T, class Take>
  void gather_each(std::span<const T> mine, const Take& take, int root = 0) const {
    static_assert(std::is_trivially_copyable_v<T>);
    gather_each_bytes(
        std::as_bytes(mine),
        [&](int from, const std::vector<std::byte>& raw) {
          std::vector<T> values(raw.size() / sizeof(T));
          if (!values.empty()) std::memcpy(values.data(), raw.data(), raw.size());
          take(from, values);
        },
        root);
  }
  /// Values in rank order and their number for each rank.
  template <class T>
  struct ByRank {
    std::vector<T> values;
    std::vector<std::int64_t> counts;
  };
  /// Sends counts[p] consecutive values to each rank p and returns the received ones in rank order.
  /// Makes no further copy of the values, which may be many.
  template <class T>
  [[nodiscard]] ByRank<T> exchange(std::span<const T> values,
                                   std::span<const std::int64_t> counts) const {
    static_assert(std::is_trivially_copyable_v<T>);
    ByRank<T> came;
    came.counts =
        exchange_bytes(std::as_bytes(values), counts, sizeof(T), allocate_in(came.values));
    return came;
  }
  /// Receives into memory of exactly the size received. Throws std::invalid_argument if the ranks
  /// send another number of values.
  template <class T>
  void exchange(std::span<const T> values, std::span<const std::int64_t> counts,
                std::span<T> came) const {
    static_assert(std::is_trivially_copyable_v<T>);
    (void)exchange_bytes(std::as_bytes(values), counts, sizeof(T),
                         fixed_buffer(std::as_writable_bytes(came)));
  }

  /// Sends send[p] to rank p; element [p] of the result came from rank p. Use exchange() for large
  /// data.
  template <class T>
  [[nodiscard]] std::vector<std::vector<T>> all_to_all(
      const std::vector<std::vector<T>>& send) const {
    ByRank<T> leaving;
    for (const auto& part : send) {
      leaving.values.insert(leaving.values.end(), part.begin(), part.end());
      leaving.counts.push_back(static_cast<std::int64_t>(part.size()));
    }
    const auto came = exchange(std::span<const T>(leaving.values), leaving.counts);
    std::vector<std::vector<T>> received;
    auto part = came.values.begin();
    for (const auto count : came.counts) {
      received.emplace_back(part, part + count);
      part += count;
    }
    return received;
  }

  /// Ranks on the node of this rank: index among them, their number, the lowest one's rank here.
  struct NodePosition {
    int rank = 0, size = 1, first = 0;
  };
  [[nodiscard]] NodePosition node_position() const;

  /// Makes a communicator of some of these ranks, in this order. Called by each of the members with
  /// the same tag (below 32,768), and by no other rank. A single rank needs no MPI.
  [[nodiscard]] Communicator group(std::span<const int> members, int tag) const;

  /// Ends all ranks at once. For failures that the other ranks cannot detect.
  [[noreturn]] void abort(int exit_code) const;

  /// MPI state for Messages; the MPI_Comm is in mpi_handle.hpp.
  struct Handle;
  [[nodiscard]] const Handle* handle() const { return handle_.get(); }

 private:
  /// Allocates the given number of bytes and returns the address.
  using Allocate = std::function<std::byte*(std::size_t)>;
  template <class T>
  static Allocate allocate_in(std::vector<T>& values) {
    return [&values](std::size_t bytes) {
      values.resize(bytes / sizeof(T));
      return reinterpret_cast<std::byte*>(values.data());
    };
  }
  static Allocate fixed_buffer(std::span<std::byte> there);
  void all_gather_bytes(std::span<const std::byte> mine, const Allocate& allocate) const;
  void gather_bytes(std::span<const std::byte> mine, int root, const Allocate& allocate) const;
  void gather_each_bytes(std::span<const std::byte> mine,
                         const std::function<void(int, const std::vector<std::byte>&)>& take,
                         int root) const;
  /// Returns the number of values received from each rank.
  [[nodiscard]] std::vector<std::int64_t> exchange_bytes(std::span<const std::byte> values,
                                                         std::span<const std::int64_t> counts,
                                                         std::size_t bytes_of_value,
                                                         const Allocate& allocate) const;

  std::shared_ptr<const Handle> handle_;  // null: one process without MPI
};

/// One neighbour of a halo: the bytes sent to and received from rank `peer`.
struct Route {
  int peer = 0;
  std::size_t send_offset = 0, send_bytes = 0;  ///< in the packed send buffer
  std::size_t receive_offset = 0, receive_bytes = 0;
};

/// Exchanges packed halo rows between ranks; knows neither residues nor forces. start() returns at
/// once, finish() when all messages of this rank have arrived and left. Buffers are host memory and
/// must stay in place between the two.
class HaloTransport {
 public:
  HaloTransport(const Communicator& communicator, std::vector<Route> routes);
  ~HaloTransport();
  HaloTransport(HaloTransport&&) noexcept;
  HaloTransport& operator=(HaloTransport&&) noexcept;
  void start(const std::byte* send, std::byte* receive);
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace nfold::comm
