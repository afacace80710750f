// Block barrier split into arrive and wait, with independent work in between.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace nfold::kernels {

/// Writes before arrive() are visible after wait(). Takes eight bytes of shared memory, aligned to
/// eight. Each thread arrives itself: one per warp, after __syncwarp, would suffice, but
/// compute-sanitizer does not see that and reports each access as a race.
class SplitBarrier {
 public:
  __device__ explicit SplitBarrier(void* shared)
      : address_(static_cast<unsigned>(__cvta_generic_to_shared(shared))) {}

  /// Initialises the barrier. Called by one thread, before a barrier of all.
  __device__ void init() const {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address_), "r"(blockDim.x)
                 : "memory");
  }
  __device__ void arrive() const {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address_) : "memory");
  }
  /// Waits for the end of the phase with this parity; the first has parity 0.
  __device__ void wait(unsigned parity) const {
    asm volatile(
        "{\n .reg .pred done;\n again%=:\n"
        " mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        " @!done bra again%=;\n}" ::"r"(address_),
        "r"(parity)
        : "memory");
  }

 private:
  unsigned address_;  // in shared memory
};

}  // namespace nfold::kernels
