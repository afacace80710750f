// Named regions for Kokkos profiling tools (KOKKOS_TOOLS_LIBS).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace nfold::device {

/// Regions are nested. Without a tool they cost one pointer test; Kokkos' own connectors turn them
/// into ranges of NVTX and others.
void begin_region(const char* name);
void end_region();

}  // namespace nfold::device
