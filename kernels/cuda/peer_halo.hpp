// Border residues written straight into the memory of other GPUs, and flags that say so.
// SPDX-License-Identifier: BSD-3-Clause
//
// What integrates a residue also writes its coordinates to each peer that has it as a ghost. The
// next kernel, which starts when all of that is written, raises a flag on each peer; whoever reads
// ghosts waits for the flags of all peers. Exchanges are numbered, and two sets of records take
// turns: a peer may be one exchange ahead, never two, since it needs what comes from here.
#pragma once

#include <cstdint>

#include "kernels/arithmetic/portable.hpp"
#include "kernels/arithmetic/views.hpp"
#include "kernels/loops/pair_rows.hpp"

namespace nfold::kernels {

/// How long ghosts are waited for.
inline constexpr std::uint64_t halo_patience_s = 20;

/// Each flag is there several times, in a line of the cache each: the blocks that look at one after
/// it was raised find it in their multiprocessor's L1 cache, where one that was looked at too early
/// stays as it was.
inline constexpr int halo_flag_copies = 16;
inline constexpr int halo_flag_line = 16;  // numbers, of all that share memory
static_assert(halo_flag_line > halo_peers_at_most);
inline constexpr std::size_t halo_flag_bytes =
    sizeof(unsigned long long) * halo_flag_copies * halo_flag_line;

/// Flags between this GPU and its peers.
struct HaloFlags {
  int peers;
  int place[halo_peers_at_most];                   // of each peer among those that share memory
  const unsigned long long* arrived;               // (copies, line) here: last exchange, by place
  unsigned long long* theirs[halo_peers_at_most];  // where each peer keeps this GPU's number
  const std::uint64_t* base;                       // exchanges before the block
  std::uint64_t offset;                            // number of this exchange within the block
  int* lost;                                       // set when a peer did not answer
  int blocks_a_copy_log2;                          // that look at one copy of the flags
};

#ifdef __CUDACC__

/// Threads of one block tell the peers that everything written before this kernel is there.
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

/// Waits for one peer's flag in memory; the L1 cache may hold it as it was before.
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
    if (now - start > halo_patience_s * 1'000'000'000) {
      *static_cast<volatile int*>(flags.lost) = 1;
      break;
    }
  }
}

// The ghosts of this exchange are there: both ways to wait for that give up after some seconds, and
// at once when another block did.
//
// No look at a flag acquires, which would empty the multiprocessor's L1 cache, for the blocks
// beside this one too. None needs to: a flag is raised when what was written before it is in this
// GPU's memory, and no ghost's record can stand in L1 from before, since none is read in this
// kernel until its warp has seen the flags, and wait_for_previous_kernel() leaves nothing from
// earlier kernels there. Ghosts' records begin a sector of their own.

/// All threads of a block, in a kernel of which every block waits at once: one look a block, for
/// those of every warp would queue up.
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

/// All threads of a warp, in a kernel most of whose blocks come when the flags are up: a barrier
/// for each block would cost the pair forces a tenth, a look at memory about as much.
__device__ __forceinline__ void wait_for_flags(const HaloFlags& flags) {
  const int copy =
      min(static_cast<int>(blockIdx.x) >> flags.blocks_a_copy_log2, halo_flag_copies - 1);
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

/// One block: tells the peers that everything written before is there, and waits until they say so
/// of theirs. What follows in this stream reads what they wrote.
inline __global__ void __launch_bounds__(256) meet_peers(const __grid_constant__ HaloFlags flags) {
  wait_for_previous_kernel();
  raise_flags(flags);
  wait_for_flags_together(flags);
  asm volatile("fence.acq_rel.sys;" ::: "memory");
}

/// Copies the coordinates of ghosts from their records, (rows), into the columns, after they have
/// come: rows from `first` on, before `last` and *present.
template <class Precision>
__global__ void __launch_bounds__(256)
    take_ghosts(const __grid_constant__ HaloFlags flags, const PackedRow<Precision>* record,
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

/// Puts the copies on one peer before those that the rows had so far; each row has one at most.
/// Work item: one copy on that peer.
struct ChainCopies {
  struct Place {
    int slot, charged_slot;
  };
  const int* send_row;
  const Place* place;  // on the peer
  int peer, first;     // number of the first of its copies among all
  int* first_copy;     // (owned rows) -1: none so far
  HaloCopy* copy;
  NFOLD_FUNCTION void operator()(int item) const {
    int& before = first_copy[send_row[item]];
    copy[first + item] = {before, peer, place[item].slot, place[item].charged_slot};
    before = first + item;
  }
};

/// Where this rank keeps what comes. Work item: one row received.
struct TellPlaces {
  const int* receive_row;
  const int *slot, *charged_slot;  // (rows)
  ChainCopies::Place* place;
  NFOLD_FUNCTION void operator()(int item) const {
    const int row = receive_row[item];
    place[item] = {slot[row], charged_slot[row]};
  }
};

}  // namespace nfold::kernels
