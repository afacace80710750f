// Processors that a process may run on: query, binding and count.
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

/// Returns the processors that this thread may run on; none: the system does not report them.
[[nodiscard]] ProcessorSet bound_processors();
/// Binds this thread, and those that it starts from now on. False if the system refuses.
bool bind_to(const ProcessorSet& processors);
/// Returns all processors that the system allows to this process: those of its control group,
/// regardless of its present binding.
[[nodiscard]] std::optional<ProcessorSet> reachable_processors();

/// Returns the number of processors that a process can have for itself, at least 1. by_process:
/// processors that each process of the node may use; each processor is shared evenly among these.
/// So ranks bound to processors of their own do not divide them again.
[[nodiscard]] int share_of_processors(std::span<const ProcessorSet> by_process, std::size_t own);

/// Returns "0-15,32-47", Linux' notation of a set; empty for none.
[[nodiscard]] std::string list_text(const ProcessorSet& processors);
/// Reads the text of list_text(); none if it is no such list.
[[nodiscard]] std::optional<ProcessorSet> parse_list(const std::string& text);

}  // namespace nfold::hardware
