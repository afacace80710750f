// An inventory as text for a person.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include "hardware/inventory.hpp"

namespace nfold::hardware {

/// A block for each node: its CPU, its GPUs with verdict and score, what lies between them, what
/// was measured, why a device is not healthy, and what cannot be told.
[[nodiscard]] std::string table_text(std::span<const NodeInventory> nodes);

}  // namespace nfold::hardware
