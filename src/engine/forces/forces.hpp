// Forces of this build's backend.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/arithmetic/portable.hpp"  // defines the backend of this build

#ifdef KOKKOS_ENABLE_CUDA
#include "engine/forces/cuda/forces.hpp"
#else
#include "engine/forces/host_forces.hpp"
#endif
