// Inventory as JSON, for `nfold devices --json` and for exchange between nodes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "device/hardware/inventory.hpp"

namespace nfold::hardware {

/// Returns one node on one line. Unknown values are null.
[[nodiscard]] std::string write_node(const NodeInventory& node);
/// Reads the text of write_node(). Throws std::runtime_error for any other text.
[[nodiscard]] NodeInventory read_node_text(const std::string& text);

/// Returns {"nodes": [...], "verdict": ...}. Each GPU also has "verdict", "reasons", "score" and
/// "best", and each CPU "score" and "best".
[[nodiscard]] nlohmann::ordered_json report_json(std::span<const NodeInventory> nodes);

}  // namespace nfold::hardware
