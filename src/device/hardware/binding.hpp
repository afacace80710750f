// Binding of a node's processes to processors, and notes on it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "device/hardware/processors.hpp"

namespace nfold::hardware {

/// Origin of a process's present binding.
enum class Bound {
  by_unknown,   ///< by a scheduler, taskset or nothing: kept
  by_launcher,  ///< default of mpirun: corrected
  by_user,      ///< by an option or a variable of the user: kept, undivided
};

/// Processors and binding of one process, exchanged within its node.
struct ProcessAffinity {
  ProcessorSet bound;      ///< present binding; none: the system does not report it
  ProcessorSet reachable;  ///< none: the system allows no change
  ProcessorSet near;       ///< near its GPU; none: no GPU, or unknown
  Bound how = Bound::by_unknown;
  bool may_narrow = true;  ///< false: threads may move over all processors of the process
};

struct Binding {
  ProcessorSet processors;  ///< new binding; none: no change
  int threads = 1;          ///< fair share, with or without binding
};

/// Returns the binding of process `own` among those of a node. cores: processors of each core, in
/// an order in which neighbours share the most; may be empty. Ranks with GPUs on one side share
/// that side, others share all processors, without overlap; with fewer processors than ranks, none
/// is bound.
[[nodiscard]] Binding choose_binding(std::span<const ProcessAffinity> seats, std::size_t own,
                                     std::span<const ProcessorSet> cores);

/// Returns the affinity of this process, without `near`. keep: the user keeps the present binding.
/// environment: returns a variable's value, null if it is not set (std::getenv except in tests).
[[nodiscard]] ProcessAffinity find_own_affinity(bool keep, const char* (*environment)(const char*));

/// Returns a note on the processes of a node: corrected bindings, or idle processors and why
/// nothing is changed. May be empty.
[[nodiscard]] std::string binding_note(std::span<const ProcessAffinity> seats, std::size_t own,
                                       const Binding& binding);

}  // namespace nfold::hardware
