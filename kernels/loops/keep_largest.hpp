// Maximum over GPU threads by atomics, without a reduction of its own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/arithmetic/portable.hpp"

namespace nfold::kernels {

/// Updates `found`, the bits of the largest value so far (values >= 0), by at most one atomic per
/// warp. Does nothing on a CPU.
NFOLD_FUNCTION void keep_largest([[maybe_unused]] float value,
                                 [[maybe_unused]] std::uint32_t* found) {
#ifdef __CUDA_ARCH__
  const unsigned mask = __activemask();
  const unsigned largest = __reduce_max_sync(mask, static_cast<unsigned>(to_bits(value)));
  if (static_cast<int>(threadIdx.x % 32) == __ffs(static_cast<int>(mask)) - 1 &&
      largest > *static_cast<volatile std::uint32_t*>(found)) {
    atomicMax(found, largest);
  }
#endif
}

}  // namespace nfold::kernels
