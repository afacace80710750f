// Inventory as text.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include "device/hardware/inventory.hpp"

namespace nfold::hardware {

/// Returns a section for each node: its CPU, its GPUs with health and score, the links between
/// them, measurements, why a device is not healthy, and unknown values.
[[nodiscard]] std::string table_text(std::span<const NodeInventory> nodes);

}  // namespace nfold::hardware
