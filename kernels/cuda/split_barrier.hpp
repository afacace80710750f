// A barrier of a block in two parts, between which threads do what needs nobody else.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace nfold::kernels {

/// All that the block's threads do before arrive() is seen after wait(). Eight bytes of shared
/// memory, aligned to them. Each thread arrives for itself: one of a warp, after __syncwarp, would
/// order the same, but compute-sanitizer does not see that and reports each access as a race.
class SplitBarrier {
 public:
  __device__ explicit SplitBarrier(void* shared)
      : address_(static_cast<unsigned>(__cvta_generic_to_shared(shared))) {}

  /// By one thread, before a barrier of all of them.
  __device__ void init() const {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address_), "r"(blockDim.x)
                 : "memory");
  }
  __device__ void arrive() const {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address_) : "memory");
  }
  /// For the end of the phase with this parity, which the first has as 0.
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
