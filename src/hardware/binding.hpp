// Which processors each process of a node keeps to: arithmetic on sets, and what to say of it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "hardware/processors.hpp"

namespace nfold::hardware {

/// How a process came by the processors that it is bound to.
enum class Bound {
  by_nobody_known,  ///< a scheduler, taskset, or nobody: that stands
  by_launcher,      ///< mpirun by itself, without being asked: that is mended
  on_purpose,       ///< by an option or a variable of the user: that stands, undivided
};

/// What one process of a node tells the others.
struct Seat {
  ProcessorSet bound;      ///< none: the system does not tell
  ProcessorSet reachable;  ///< none: the system lets nothing be changed
  ProcessorSet near;       ///< beside its GPU; none: no GPU, or unknown
  Bound how = Bound::by_nobody_known;
  bool may_narrow = true;  ///< false: threads may move over all that the process may use
};

struct Binding {
  ProcessorSet processors;  ///< to keep to; none: nothing is to be changed
  int threads = 1;          ///< a fair share, whether it is bound or not
};

/// Of process `own` among those of a node. cores: processors of each core, in an order in which
/// neighbours share the most; it may be empty. Ranks of one GPU's side share that side, others
/// share all, each with processors of its own; where there are fewer processors than ranks, none is
/// bound.
[[nodiscard]] Binding binding_of(std::span<const Seat> seats, std::size_t own,
                                 std::span<const ProcessorSet> cores);

/// What this process finds: its seat without `near`. keep: the user said so.
/// environment: a variable's value, null where there is none (std::getenv but in tests).
[[nodiscard]] Seat own_seat(bool keep, const char* (*environment)(const char*));

/// What to say of the processes of a node: mended, or idle processors and why nothing is done.
[[nodiscard]] std::string binding_note(std::span<const Seat> seats, std::size_t own,
                                       const Binding& binding);

}  // namespace nfold::hardware
