// The one door to MPI: ranks, collectives whose result does not depend on the rank count.
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

namespace nfold::comm {

/// A failed MPI call: call site, rank and MPI's reason.
class CommunicationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class WaitWatch;

/// Whether a launcher (mpirun, srun, a PMI of another kind) started this process.
[[nodiscard]] bool is_launched();

/// Starts MPI on construction, ends it on destruction. One per process, in main. Where there are
/// several ranks, what waits for them is limited from here on: waiting.hpp.
class Environment {
 public:
  Environment(int& argc, char**& argv);
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  std::unique_ptr<WaitWatch> watch_;
};

/// A group of ranks. Cheap to copy. Default-constructed: one process without MPI.
/// Every member except rank(), size() and abort() is collective. Sums are of integers only:
/// floating-point reductions would depend on the rank count.
class Communicator {
 public:
  Communicator();
  /// All ranks. Throws CommunicationError unless MPI has been started. Longer messages than
  /// largest_message_bytes are cut (MPI counts in int); tests make it small.
  [[nodiscard]] static Communicator world(std::size_t largest_message_bytes = std::size_t{1}
                                                                              << 30U);

  [[nodiscard]] int rank() const;
  [[nodiscard]] int size() const;
  [[nodiscard]] bool is_root() const { return rank() == 0; }

  void barrier() const;
  /// Whether all ranks have come to this call within the time. For who tidies up after a failure
  /// that may be its own: the others may never come. After false this communicator is used no more.
  [[nodiscard]] bool barrier_within(std::chrono::milliseconds limit) const;
  [[nodiscard]] std::int64_t sum(std::int64_t value) const;
  [[nodiscard]] std::int64_t max(std::int64_t value) const;
  [[nodiscard]] std::int64_t min(std::int64_t value) const;
  [[nodiscard]] bool any(bool value) const { return max(value ? 1 : 0) != 0; }
  /// Element-wise sum, in place, modulo 2^64.
  void sum(std::span<std::int64_t> values) const;
  [[nodiscard]] std::string broadcast(std::string_view text, int root = 0) const;

  /// All ranks' values in rank order, on every rank.
  template <class T>
  [[nodiscard]] std::vector<T> all_gather(std::span<const T> mine) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all;
    all_gather_bytes(as_bytes(mine), room_in(all));
    return all;
  }
  /// All ranks' values in rank order on root; empty elsewhere.
  template <class T>
  [[nodiscard]] std::vector<T> gather(std::span<const T> mine, int root = 0) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all;
    gather_bytes(as_bytes(mine), root, room_in(all));
    return all;
  }
  /// Calls take(rank, values) on root for each rank in order, of which one's values are there at a
  /// time: for what all of together would be too large. take() calls nothing of this group.
  template <class T, class Take>
  void gather_each(std::span<const T> mine, const Take& take, int root = 0) const {
    static_assert(std::is_trivially_copyable_v<T>);
    gather_each_bytes(
        as_bytes(mine),
        [&](int from, const std::vector<std::byte>& raw) { take(from, from_bytes<T>(raw)); }, root);
  }
  /// Values rank by rank, and how many of each rank.
  template <class T>
  struct ByRank {
    std::vector<T> values;
    std::vector<std::int64_t> counts;
  };
  /// The same of values that stand one behind the other, counts[p] of them for rank p; what came
  /// from the ranks stands likewise. Nothing is copied beside them, where they are many.
  template <class T>
  [[nodiscard]] ByRank<T> exchange(std::span<const T> values,
                                   std::span<const std::int64_t> counts) const {
    static_assert(std::is_trivially_copyable_v<T>);
    ByRank<T> came;
    came.counts = exchange_bytes(as_bytes(values), counts, sizeof(T), room_in(came.values));
    return came;
  }
  /// The same, into memory that is there for just as many. Throws std::invalid_argument where the
  /// ranks send another number.
  template <class T>
  void exchange(std::span<const T> values, std::span<const std::int64_t> counts,
                std::span<T> came) const {
    static_assert(std::is_trivially_copyable_v<T>);
    (void)exchange_bytes(as_bytes(values), counts, sizeof(T),
                         room_of(std::as_writable_bytes(came)));
  }

  /// send[p] goes to rank p; the result's [p] came from rank p. What is large goes by exchange().
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

  /// Ranks that share this one's node: (index among them, how many, the lowest one's rank here).
  struct NodePlace {
    int rank = 0, size = 1, first = 0;
  };
  [[nodiscard]] NodePlace node_place() const;

  /// Some of these ranks, in this order, as a group of their own; each of them calls, with the same
  /// tag (below 32,768), and no other rank. One rank alone needs no MPI.
  [[nodiscard]] Communicator group(std::span<const int> members, int tag) const;

  /// Ends all ranks at once; for failures that the others cannot know of.
  [[noreturn]] void abort(int exit_code) const;

  /// What Messages take; the MPI_Comm is in mpi_handle.hpp.
  struct Handle;
  [[nodiscard]] const Handle* handle() const { return handle_.get(); }

 private:
  template <class T>
  static std::span<const std::byte> as_bytes(std::span<const T> values) {
    return std::as_bytes(values);
  }
  template <class T>
  static std::vector<T> from_bytes(const std::vector<std::byte>& raw);
  /// Makes room for so many bytes and says where.
  using Room = std::function<std::byte*(std::size_t)>;
  template <class T>
  static Room room_in(std::vector<T>& values) {
    return [&values](std::size_t bytes) {
      values.resize(bytes / sizeof(T));
      return reinterpret_cast<std::byte*>(values.data());
    };
  }
  static Room room_of(std::span<std::byte> there);
  void all_gather_bytes(std::span<const std::byte> mine, const Room& room) const;
  void gather_bytes(std::span<const std::byte> mine, int root, const Room& room) const;
  void gather_each_bytes(std::span<const std::byte> mine,
                         const std::function<void(int, const std::vector<std::byte>&)>& take,
                         int root) const;
  /// How many came from each rank.
  [[nodiscard]] std::vector<std::int64_t> exchange_bytes(std::span<const std::byte> values,
                                                         std::span<const std::int64_t> counts,
                                                         std::size_t bytes_of_value,
                                                         const Room& room) const;

  std::shared_ptr<const Handle> handle_;  // null: one process without MPI
};

template <class T>
std::vector<T> Communicator::from_bytes(const std::vector<std::byte>& raw) {
  std::vector<T> values(raw.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), raw.data(), values.size() * sizeof(T));
  return values;
}

/// One neighbour of a halo: the bytes to send to and to receive from rank `peer`.
struct Route {
  int peer = 0;
  std::size_t send_offset = 0, send_bytes = 0;  ///< in the packed send buffer
  std::size_t receive_offset = 0, receive_bytes = 0;
};

/// Moves packed borders between ranks; knows neither residues nor forces. start() returns at once,
/// finish() when everything of this rank has arrived and left. Buffers are host memory and must
/// stay in place between the two.
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
