// The processors that a process may run on: asked of the system, set, and counted.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bitset>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace nfold::hardware {

/// Hardware threads of a node, by the system's numbers.
using ProcessorSet = std::bitset<1024>;

/// Those that this thread may run on; none: the system does not tell.
[[nodiscard]] ProcessorSet bound_processors();
/// Binds this thread, and those that it starts from now on. False where the system refuses.
bool bind_to(const ProcessorSet& processors);
/// All that the system would let this process have: its control group's, whatever binds it now.
[[nodiscard]] std::optional<ProcessorSet> reachable_processors();

/// How many of its processors a process can have for itself, at least 1, where the processes of a
/// node may use these: each processor is shared evenly among those that may use it. So ranks that
/// are bound to processors of their own do not divide them again.
[[nodiscard]] int share_of_processors(std::span<const ProcessorSet> by_process, std::size_t own);

/// "0-15,32-47" as Linux writes a set; empty for none.
[[nodiscard]] std::string list_text(const ProcessorSet& processors);
/// What list_text() wrote; nothing where it is no such list.
[[nodiscard]] std::optional<ProcessorSet> parse_list(const std::string& text);

}  // namespace nfold::hardware
