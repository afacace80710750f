// The forces of the execution space that this build is for.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/arithmetic/portable.hpp"  // says which build this is

#ifdef KOKKOS_ENABLE_CUDA
#include "forces/cuda/forces.hpp"
#else
#include "forces/host_forces.hpp"
#endif
