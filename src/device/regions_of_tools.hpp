// Names of what a program is about, for tools that profile Kokkos programs (KOKKOS_TOOLS_LIBS).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace nfold::device {

/// Regions lie within each other. Without a tool they cost a look at a pointer; Kokkos' own
/// connectors turn them into ranges of NVTX and others.
void begin_region(const char* name);
void end_region();

}  // namespace nfold::device
