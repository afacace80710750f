// MPI collectives; a communicator of one rank makes no MPI call.
// SPDX-License-Identifier: BSD-3-Clause

#include "comm/communicator.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <numeric>
#include <thread>

#include "comm/messages.hpp"
#include "comm/mpi_check.hpp"
#include "comm/mpi_handle.hpp"
#include "comm/waiting.hpp"

namespace nfold::comm {
namespace {

using Bytes = std::vector<std::byte>;

bool is_alone(const Communicator& communicator) { return communicator.size() == 1; }

void put_into(const std::function<std::byte*(std::size_t)>& allocate,
              std::span<const std::byte> mine) {
  std::byte* const there = allocate(mine.size());
  if (!mine.empty()) std::memcpy(there, mine.data(), mine.size());
}

std::int64_t reduce(const Communicator::Handle& handle, std::int64_t value, MPI_Op operation) {
  const Waiting waiting("an agreement");
  std::int64_t result = 0;
  check_mpi(MPI_Allreduce(&value, &result, 1, MPI_INT64_T, operation, handle.comm));
  return result;
}

std::int64_t sum_of(std::span<const std::int64_t> values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

std::vector<std::int64_t> all_sizes(const Communicator::Handle& handle, std::size_t mine) {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(handle.size));
  const auto size = static_cast<std::int64_t>(mine);
  check_mpi(MPI_Allgather(&size, 1, MPI_INT64_T, sizes.data(), 1, MPI_INT64_T, handle.comm));
  return sizes;
}

/// Counts and displacements of the v-collectives, for totals that fit an int.
struct IntLayout {
  explicit IntLayout(const std::vector<std::int64_t>& sizes)
      : count(sizes.begin(), sizes.end()), first(sizes.size(), 0) {
    std::exclusive_scan(count.begin(), count.end(), first.begin(), 0);
  }
  std::vector<int> count, first;
};

void broadcast_bytes(const Communicator::Handle& handle, std::byte* data, std::size_t size,
                     int root) {
  for_each_piece(size, handle.largest_message_bytes, [&](std::size_t first, int count) {
    check_mpi(MPI_Bcast(data + first, count, MPI_BYTE, root, handle.comm));
  });
}

/// Handle of ranks that another owner of the MPI_Comm keeps.
std::shared_ptr<const Communicator::Handle> borrow(MPI_Comm comm,
                                                   std::size_t largest_message_bytes) {
  check_mpi(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
  auto handle = std::make_shared<Communicator::Handle>();
  handle->comm = comm;
  handle->largest_message_bytes =
      std::clamp<std::size_t>(largest_message_bytes, 1, std::numeric_limits<int>::max());
  check_mpi(MPI_Comm_rank(comm, &handle->rank));
  check_mpi(MPI_Comm_size(comm, &handle->size));
  return handle;
}

}  // namespace

Communicator::Communicator() = default;

Communicator Communicator::world(std::size_t largest_message_bytes) {
  int started = 0;
  MPI_Initialized(&started);
  if (started == 0) throw CommunicationError("Communicator::world() before MPI was started");
  check_mpi(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  Communicator communicator;
  communicator.handle_ = borrow(MPI_COMM_WORLD, largest_message_bytes);
  return communicator;
}

Communicator Communicator::from_mpi(const void* mpi_comm) {
  constexpr std::size_t largest_message_bytes = std::size_t{1} << 30U;
  Communicator communicator;
  communicator.handle_ = borrow(*static_cast<const MPI_Comm*>(mpi_comm), largest_message_bytes);
  return communicator;
}

int Communicator::rank() const { return handle_ ? handle_->rank : 0; }
int Communicator::size() const { return handle_ ? handle_->size : 1; }

void Communicator::barrier() const {
  if (is_alone(*this)) return;
  const Waiting waiting("a barrier");
  check_mpi(MPI_Barrier(handle_->comm));
}

bool Communicator::barrier_within(std::chrono::milliseconds limit) const {
  if (is_alone(*this)) return true;
  constexpr std::chrono::milliseconds barrier_poll_interval{1};
  const auto end = std::chrono::steady_clock::now() + limit;
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibarrier(handle_->comm, &request));
  for (int done = 0;;) {
    check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    if (done != 0) return true;
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(barrier_poll_interval);
  }
}

std::int64_t Communicator::sum(std::int64_t value) const {
  sum(std::span<std::int64_t>(&value, 1));
  return value;
}
std::int64_t Communicator::max(std::int64_t value) const {
  return is_alone(*this) ? value : reduce(*handle_, value, MPI_MAX);
}
std::int64_t Communicator::min(std::int64_t value) const {
  return is_alone(*this) ? value : reduce(*handle_, value, MPI_MIN);
}

void Communicator::sum(std::span<std::int64_t> values) const {
  if (is_alone(*this)) return;
  const Waiting waiting("a sum");
  // Summed as unsigned integers, whose overflow is defined.
  const std::size_t most = std::max<std::size_t>(1, handle_->largest_message_bytes / 8);
  for_each_piece(values.size(), most, [&](std::size_t first, int count) {
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, values.data() + first, count, MPI_UINT64_T, MPI_SUM,
                            handle_->comm));
  });
}

std::string Communicator::broadcast(std::string_view text, int root) const {
  std::string result(text);
  if (is_alone(*this)) return result;
  const Waiting waiting("a broadcast");
  auto size = static_cast<std::int64_t>(text.size());
  check_mpi(MPI_Bcast(&size, 1, MPI_INT64_T, root, handle_->comm));
  result.resize(static_cast<std::size_t>(size));
  broadcast_bytes(*handle_, reinterpret_cast<std::byte*>(result.data()), result.size(), root);
  return result;
}

void Communicator::all_gather_bytes(std::span<const std::byte> mine,
                                    const Allocate& allocate) const {
  if (is_alone(*this)) return put_into(allocate, mine);
  const Waiting waiting("a gathering on all ranks");
  const auto sizes = all_sizes(*handle_, mine.size());
  const auto total = static_cast<std::size_t>(sum_of(sizes));
  std::byte* part = allocate(total);
  if (total <= handle_->largest_message_bytes) {
    const IntLayout layout(sizes);
    check_mpi(MPI_Allgatherv(mine.data(), layout.count[static_cast<std::size_t>(rank())], MPI_BYTE,
                             part, layout.count.data(), layout.first.data(), MPI_BYTE,
                             handle_->comm));
    return;
  }
  for (int root = 0; root < size(); ++root) {
    const auto part_size = static_cast<std::size_t>(sizes[static_cast<std::size_t>(root)]);
    if (root == rank()) std::copy(mine.begin(), mine.end(), part);
    broadcast_bytes(*handle_, part, part_size, root);
    part += part_size;
  }
}

void Communicator::gather_bytes(std::span<const std::byte> mine, int root,
                                const Allocate& allocate) const {
  if (is_alone(*this)) return put_into(allocate, mine);
  const Waiting waiting("a gathering on one rank");
  const auto sizes = all_sizes(*handle_, mine.size());
  const auto total = static_cast<std::size_t>(sum_of(sizes));
  std::byte* part = allocate(rank() == root ? total : 0);
  if (total <= handle_->largest_message_bytes) {
    const IntLayout layout(sizes);
    check_mpi(MPI_Gatherv(mine.data(), layout.count[static_cast<std::size_t>(rank())], MPI_BYTE,
                          part, layout.count.data(), layout.first.data(), MPI_BYTE, root,
                          handle_->comm));
    return;
  }
  Messages messages(*handle_, MessageTag::collective);
  if (rank() == root) {
    for (int from = 0; from < size(); ++from) {
      const auto part_size = static_cast<std::size_t>(sizes[static_cast<std::size_t>(from)]);
      if (from == root) {
        std::copy(mine.begin(), mine.end(), part);
      } else {
        messages.receive(part, part_size, from);
      }
      part += part_size;
    }
  } else {
    messages.send(mine.data(), mine.size(), root);
  }
  messages.wait();
}

void Communicator::gather_each_bytes(std::span<const std::byte> mine,
                                     const std::function<void(int, const Bytes&)>& take,
                                     int root) const {
  if (is_alone(*this)) return take(0, {mine.begin(), mine.end()});
  const Waiting waiting("a gathering on one rank, by turns");
  const auto sizes = all_sizes(*handle_, mine.size());
  if (rank() != root) {
    Messages messages(*handle_, MessageTag::collective);
    messages.send(mine.data(), mine.size(), root);
    return messages.wait();
  }
  for (int from = 0; from < size(); ++from) {
    Bytes part(static_cast<std::size_t>(sizes[static_cast<std::size_t>(from)]));
    if (from == root) {
      std::copy(mine.begin(), mine.end(), part.begin());
    } else {
      Messages messages(*handle_, MessageTag::collective);
      messages.receive(part.data(), part.size(), from);
      messages.wait();
    }
    take(from, part);
  }
}

Communicator::Allocate Communicator::fixed_buffer(std::span<std::byte> there) {
  return [there](std::size_t bytes) {
    if (bytes != there.size()) {
      throw std::invalid_argument(
          fmt::format("exchange: {} bytes received into {}", bytes, there.size()));
    }
    return there.data();
  };
}

std::vector<std::int64_t> Communicator::exchange_bytes(std::span<const std::byte> values,
                                                       std::span<const std::int64_t> counts,
                                                       std::size_t bytes_of_value,
                                                       const Allocate& allocate) const {
  const auto ranks = static_cast<std::size_t>(size());
  const auto bytes_of = [bytes_of_value](std::int64_t count) {
    return static_cast<std::size_t>(count) * bytes_of_value;
  };
  if (counts.size() != ranks || bytes_of(sum_of(counts)) != values.size()) {
    throw std::invalid_argument(
        fmt::format("exchange: {} counts of {} bytes for a group of {} ranks", counts.size(),
                    values.size(), size()));
  }
  std::vector<std::int64_t> came(counts.begin(), counts.end());
  if (is_alone(*this)) {
    put_into(allocate, values);
    return came;
  }
  const Waiting waiting("an exchange between all ranks");
  check_mpi(
      MPI_Alltoall(counts.data(), 1, MPI_INT64_T, came.data(), 1, MPI_INT64_T, handle_->comm));
  std::byte* const received = allocate(bytes_of(sum_of(came)));
  std::vector<std::size_t> from_offset(ranks, 0), to_offset(ranks, 0);
  for (std::size_t r = 1; r < ranks; ++r) {
    from_offset[r] = from_offset[r - 1] + bytes_of(came[r - 1]);
    to_offset[r] = to_offset[r - 1] + bytes_of(counts[r - 1]);
  }
  const auto self = static_cast<std::size_t>(rank());
  if (counts[self] > 0) {
    std::memcpy(received + from_offset[self], values.data() + to_offset[self],
                bytes_of(counts[self]));
  }
  Messages messages(*handle_, MessageTag::collective);
  for (std::size_t step = 1; step < ranks; ++step) {
    const std::size_t from = (self + step) % ranks;
    messages.receive(received + from_offset[from], bytes_of(came[from]), static_cast<int>(from));
  }
  for (std::size_t step = 1; step < ranks; ++step) {
    // Each rank starts with a different peer, so that not all of them send to rank 0 first.
    const std::size_t to = (self + step) % ranks;
    messages.send(values.data() + to_offset[to], bytes_of(counts[to]), static_cast<int>(to));
  }
  messages.wait();
  return came;
}

Communicator Communicator::group(std::span<const int> members, int tag) const {
  if (members.size() <= 1 || is_alone(*this)) return {};
  const Waiting waiting("the forming of a group");
  MPI_Group all = MPI_GROUP_NULL, some = MPI_GROUP_NULL;
  check_mpi(MPI_Comm_group(handle_->comm, &all));
  check_mpi(MPI_Group_incl(all, static_cast<int>(members.size()), members.data(), &some));
  MPI_Comm comm = MPI_COMM_NULL;
  check_mpi(MPI_Comm_create_group(handle_->comm, some, tag, &comm));
  check_mpi(MPI_Group_free(&some));
  check_mpi(MPI_Group_free(&all));
  check_mpi(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
  const std::shared_ptr<Handle> handle(new Handle, [](Handle* last) {
    int ended = 0;
    MPI_Finalized(&ended);
    if (ended == 0) MPI_Comm_free(&last->comm);
    delete last;
  });
  handle->comm = comm;
  handle->largest_message_bytes = handle_->largest_message_bytes;
  check_mpi(MPI_Comm_rank(comm, &handle->rank));
  check_mpi(MPI_Comm_size(comm, &handle->size));
  Communicator communicator;
  communicator.handle_ = handle;
  return communicator;
}

Communicator::NodePosition Communicator::node_position() const {
  if (is_alone(*this)) return {};
  const Waiting waiting("a count of the ranks of each node");
  NodePosition position;
  MPI_Comm node = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(handle_->comm, MPI_COMM_TYPE_SHARED, rank(), MPI_INFO_NULL, &node));
  check_mpi(MPI_Comm_rank(node, &position.rank));
  check_mpi(MPI_Comm_size(node, &position.size));
  position.first = rank();
  check_mpi(MPI_Bcast(&position.first, 1, MPI_INT, 0, node));
  check_mpi(MPI_Comm_free(&node));
  return position;
}

}  // namespace nfold::comm
