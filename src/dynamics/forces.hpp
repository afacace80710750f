// The forces of the execution space that this build is for.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/portable.hpp"  // says which build this is

#ifdef KOKKOS_ENABLE_CUDA
#include "dynamics/cuda/forces.hpp"
#else
#include "dynamics/host_forces.hpp"
#endif
