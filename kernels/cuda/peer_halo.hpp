// Halo exchange by direct writes into the memory of other GPUs, with flags.
// SPDX-License-Identifier: BSD-3-Clause
//
// The integrator also writes a residue's coordinates to each peer that has it as a ghost. The next
// kernel, which starts when all of them are written, raises a flag on each peer; readers of ghosts
// wait for the flags of all peers. Exchanges are numbered, and two sets of records alternate: a
// peer may be one exchange ahead, never two, since it needs the coordinates of this GPU.
#pragma once

#include <cstdint>

#include "kernels/arithmetic/portable.hpp"
#include "kernels/arithmetic/views.hpp"
#include "kernels/loops/pair_rows.hpp"

namespace nfold::kernels {

/// Timeout of the wait for ghosts [s].
inline constexpr std::uint64_t halo_timeout_s = 20;

/// Copies of each flag, one per cache line: blocks that read a flag after it was raised find it in
/// the L1 cache of their multiprocessor, where a flag read too early stays stale.
inline constexpr int halo_flag_copies = 16;
inline constexpr int halo_flag_line = 16;  // flags in a line, one per rank that shares memory
static_assert(halo_flag_line > halo_peers_at_most);
inline constexpr std::size_t halo_flag_bytes =
    sizeof(unsigned long long) * halo_flag_copies * halo_flag_line;

/// Flags between this GPU and its peers.
struct HaloFlags {
  int peers;
  int place[halo_peers_at_most];      // index of each peer among the ranks that share memory
  const unsigned long long* arrived;  // (copies, line) on this GPU: latest exchange, by index
  unsigned long long* theirs[halo_peers_at_most];  // flags of this GPU on each peer
  const std::uint64_t* base;                       // exchanges before the block
  std::uint64_t offset;                            // number of this exchange within the block
  int* lost;                                       // set to 1 if a peer timed out
  int blocks_per_copy_log2;  // log2 of the blocks that read one copy of the flags
};

#ifdef __CUDACC__

/// Raises this GPU's flags on all peers: all writes before this kernel are complete. Called by all
/// threads of one block.
__device__ __forceinline__ void raise_flags(const HaloFlags& flags) {
  const unsigned long long number = *flags.base + flags.offset;
  for (int flag = static_cast<int>(threadIdx.x); flag < flags.peers * halo_flag_copies;
       flag += static_cast<int>(blockDim.x)) {
    const int peer = flag / halo_flag_copies, copy = flag % halo_flag_copies;
    asm volatile("fence.acq_rel.sys;" ::: "memory");
    asm volatile(
        "st.release.sys.global.u64 [%0], %1;" ::"l"(flags.theirs[peer] + copy * halo_flag_line),
        "l"(number)
        : "memory");
  }
}

/// Waits for one peer's flag in memory; the L1 cache may be stale.
__device__ __forceinline__ void poll_flag(const HaloFlags& flags, int peer,
                                          const unsigned long long* arrived,
                                          unsigned long long number, unsigned pause_ns) {
  std::uint64_t start = 0;
  for (int tries = 0;; ++tries) {
    unsigned long long there = 0;
    asm volatile("ld.relaxed.sys.global.u64 %0, [%1];"
                 : "=l"(there)
                 : "l"(arrived + flags.place[peer])
                 : "memory");
    if (there >= number) break;
    if (pause_ns > 0) __nanosleep(pause_ns);
    if (tries % 1024 != 1023) continue;
    std::uint64_t now = 0;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    if (start == 0) start = now;
    if (*static_cast<volatile int*>(flags.lost) != 0) break;
    if (now - start > halo_timeout_s * 1'000'000'000) {
      *static_cast<volatile int*>(flags.lost) = 1;
      break;
    }
  }
}

// Two ways to wait for the ghosts of this exchange. Both give up after halo_timeout_s, or at once
// if another block did.
//
// No read of a flag is an acquire, which would empty the L1 cache of the multiprocessor, also for
// its other blocks. None is needed: a flag is raised when all writes before it are in this GPU's
// memory, and L1 holds no stale ghost record, since this kernel reads none before its warp has seen
// the flags, and wait_for_previous_kernel() leaves nothing of earlier kernels there. Ghost records
// begin in a sector of their own.

/// Waits with all threads of a block, for kernels in which every block waits at once: one read per
/// block, since reads of every warp would queue.
__device__ __forceinline__ void wait_for_flags_together(const HaloFlags& flags) {
  const int peer = static_cast<int>(threadIdx.x);
  if (peer < flags.peers) {
    poll_flag(flags, peer, flags.arrived, *flags.base + flags.offset, 0);
  }
  __syncthreads();
}

inline __device__ __noinline__ void poll_flags(const HaloFlags& flags,
                                               const unsigned long long* arrived,
                                               unsigned long long number) {
  for (int peer = 0; peer < flags.peers; ++peer) poll_flag(flags, peer, arrived, number, 40);
}

/// Waits with all threads of a warp, for kernels whose blocks mostly start after the flags are up:
/// a barrier per block would cost the pair forces a tenth, a read from memory about as much.
__device__ __forceinline__ void wait_for_flags(const HaloFlags& flags) {
  const int copy =
      min(static_cast<int>(blockIdx.x) >> flags.blocks_per_copy_log2, halo_flag_copies - 1);
  const unsigned long long* const arrived = flags.arrived + copy * halo_flag_line;
  const unsigned long long number = *flags.base + flags.offset;
  bool all_are_there = true;
  for (int peer = 0; peer < flags.peers; ++peer) {
    unsigned long long there = 0;
    asm volatile("ld.global.ca.u64 %0, [%1];"
                 : "=l"(there)
                 : "l"(arrived + flags.place[peer])
                 : "memory");
    all_are_there = all_are_there & (there >= number);
  }
  if (!all_are_there) poll_flags(flags, arrived, number);
}

/// Raises the flags and waits for those of all peers; later kernels of the stream may read the
/// ghosts. One block.
inline __global__ void __launch_bounds__(256)
    synchronise_peers(const __grid_constant__ HaloFlags flags) {
  wait_for_previous_kernel();
  raise_flags(flags);
  wait_for_flags_together(flags);
  asm volatile("fence.acq_rel.sys;" ::: "memory");
}

/// Waits for ghosts and copies their coordinates from the records (rows) to the columns: rows from
/// `first` up to `last` and *present, exclusive.
template <class Precision>
__global__ void __launch_bounds__(256)
    copy_ghosts(const __grid_constant__ HaloFlags flags, const PackedRow<Precision>* record,
                int first, int last, const int* present,
                Columns<typename Precision::Coordinate> x) {
  wait_for_previous_kernel();
  if (blockIdx.x == 0) raise_flags(flags);
  wait_for_flags_together(flags);
  const int row = first + static_cast<int>(blockIdx.x) * 256 + static_cast<int>(threadIdx.x);
  if (row >= last || row >= *present) return;
  const PackedRow<Precision> ghost = record[row];
  x.x[row] = ghost.x;
  x.y[row] = ghost.y;
  x.z[row] = ghost.z;
}

#endif

/// Prepends the copies on one peer to the lists of copies of the rows; each row has at most one per
/// peer. Work item: one copy on that peer.
struct LinkCopies {
  struct Place {
    int slot, charged_slot;
  };
  const int* send_row;
  const Place* place;  // slots on the peer
  int peer, first;     // index of the first of its copies among all
  int* first_copy;     // (owned rows) -1: none so far
  HaloCopy* copy;
  NFOLD_FUNCTION void operator()(int item) const {
    int& before = first_copy[send_row[item]];
    copy[first + item] = {before, peer, place[item].slot, place[item].charged_slot};
    before = first + item;
  }
};

/// Reports the slots in which this rank stores the received rows. Work item: one row received.
struct PackSlots {
  const int* receive_row;
  const int *slot, *charged_slot;  // (rows)
  LinkCopies::Place* place;
  NFOLD_FUNCTION void operator()(int item) const {
    const int row = receive_row[item];
    place[item] = {slot[row], charged_slot[row]};
  }
};

}  // namespace nfold::kernels
