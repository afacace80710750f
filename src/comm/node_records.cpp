// Memory shared by the ranks of a node.
// SPDX-License-Identifier: BSD-3-Clause
#include "comm/node_records.hpp"

#include <fcntl.h>
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>

#include "comm/mpi_check.hpp"
#include "comm/rank_record.hpp"

namespace nfold::comm {
namespace {

/// Header before the records.
struct Head {
  std::atomic<bool> is_reported;
};
constexpr std::size_t head_bytes = 64;
static_assert(sizeof(Head) <= head_bytes && alignof(RankRecord) <= head_bytes);

std::atomic<Head*>& head() {
  static Head alone{};
  static std::atomic<Head*> shared{&alone};
  return shared;
}

using Name = std::array<char, 64>;

/// Returns null on failure. The name is removed after all ranks have opened the file.
void* map_shared(MPI_Comm node, int node_rank, std::size_t bytes) {
  Name name{};
  int file = -1;
  if (node_rank == 0) {
    std::snprintf(name.data(), name.size(), "/nfold-records-%d", static_cast<int>(getpid()));
    file = shm_open(name.data(), O_CREAT | O_EXCL | O_RDWR, S_IRUSR | S_IWUSR);
    // Without reserved memory a process that touches it would be killed.
    if (file >= 0 && posix_fallocate(file, 0, static_cast<off_t>(bytes)) != 0) {
      close(file);
      file = -1;
    }
  }
  check_mpi(MPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, 0, node));
  if (node_rank != 0) file = shm_open(name.data(), O_RDWR, 0);
  void* memory = MAP_FAILED;
  if (file >= 0) {
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
  }
  int is_mapped = memory != MAP_FAILED ? 1 : 0;
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &is_mapped, 1, MPI_INT, MPI_MIN, node));
  if (node_rank == 0) shm_unlink(name.data());
  if (is_mapped == 1) return memory;
  if (memory != MAP_FAILED) munmap(memory, bytes);
  return nullptr;
}

}  // namespace

void share_records_on_node(int rank) {
  MPI_Comm node = MPI_COMM_NULL;
  int node_rank = 0, node_size = 1;
  check_mpi(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node));
  check_mpi(MPI_Comm_rank(node, &node_rank));
  check_mpi(MPI_Comm_size(node, &node_size));
  const auto count = static_cast<std::size_t>(node_size);
  auto* const memory =
      static_cast<std::byte*>(map_shared(node, node_rank, head_bytes + count * sizeof(RankRecord)));
  check_mpi(MPI_Comm_free(&node));
  if (memory == nullptr) return initialize_own_record(rank);
  // The system provides zeroed memory: records that no rank has written.
  head() = reinterpret_cast<Head*>(memory);
  share_records(reinterpret_cast<RankRecord*>(memory + head_bytes), count,
                static_cast<std::size_t>(node_rank));
  initialize_own_record(rank);
}

bool is_first_to_report() { return !head().load()->is_reported.exchange(true); }

}  // namespace nfold::comm
