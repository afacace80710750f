// Regions of Kokkos Tools.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/profiling_regions.hpp"

#include <Kokkos_Core.hpp>

namespace nfold::device {

void begin_region(const char* name) { Kokkos::Profiling::pushRegion(name); }
void end_region() { Kokkos::Profiling::popRegion(); }

}  // namespace nfold::device
