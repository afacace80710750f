// How many threads of the host a process takes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace nfold::dynamics {

/// What OMP_NUM_THREADS says, or a share of the processors where so many processes take one each.
[[nodiscard]] int host_threads(int processes);

/// What a process may take for what it does alone while others of its node wait for it: the threads
/// that its ComputeEnvironment was given, or its share of the processors, times so many.
[[nodiscard]] int host_threads_alone();
/// Of this node, with this process; from now on.
void set_processes_that_wait(int processes);

/// What to say where so many processes of a node, bound to as many processors each as this one,
/// leave half of those idle that they might use; else empty. mpirun binds each of two ranks to one
/// core unless it is told not to, whatever the number of cores.
[[nodiscard]] std::string binding_note(int processes);

}  // namespace nfold::dynamics
