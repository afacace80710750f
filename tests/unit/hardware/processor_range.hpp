// Range of processors for tests of sets.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "device/hardware/processors.hpp"

namespace nfold::hardware {

inline ProcessorSet processor_range(std::size_t first, std::size_t end) {
  ProcessorSet set;
  for (std::size_t k = first; k < end; ++k) set.set(k);
  return set;
}

}  // namespace nfold::hardware
