// How many threads of the host a process takes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bitset>
#include <cstddef>
#include <span>
#include <string>

#include "comm/communicator.hpp"

namespace nfold::device {

/// Processors that a process may use, by number; none: the system does not tell.
using ProcessorSet = std::bitset<1024>;
[[nodiscard]] ProcessorSet own_processors();

/// How many of its processors a process can have for itself, at least 1, where the processes of a
/// node may use these: each processor is shared evenly among those that may use it. So ranks that
/// are bound to processors of their own do not divide them again.
[[nodiscard]] int share_of_processors(std::span<const ProcessorSet> by_process, std::size_t own);

/// What OMP_NUM_THREADS says; else the share_of_processors() of this process among the ranks of its
/// node. Collective.
[[nodiscard]] int host_threads(const comm::Communicator& ranks);

/// What a process may take for what it does alone while others of its node wait for it: the threads
/// that its ComputeEnvironment was given, or its share of the processors, times so many.
[[nodiscard]] int host_threads_alone();
/// Of this node, with this process; from now on.
void set_processes_that_wait(int processes);

/// What to say where so many processes of a node, bound to as many processors each as this one,
/// leave half of those idle that they might use; else empty. mpirun binds each of two ranks to one
/// core unless it is told not to, whatever the number of cores.
[[nodiscard]] std::string binding_note(int processes);

}  // namespace nfold::device
