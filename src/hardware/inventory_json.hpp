// An inventory as JSON: what `nfold devices --json` prints, and how nodes tell each other.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "hardware/inventory.hpp"

namespace nfold::hardware {

/// One node on one line. What is unknown is null.
[[nodiscard]] std::string write_node(const NodeInventory& node);
/// What write_node() wrote. Throws std::runtime_error otherwise.
[[nodiscard]] NodeInventory read_node_text(const std::string& text);

/// {"nodes": [...], "verdict": ...}, where each GPU has "verdict", "reasons", "score" and "best"
/// too, and each CPU "score" and "best".
[[nodiscard]] nlohmann::ordered_json report_json(std::span<const NodeInventory> nodes);

}  // namespace nfold::hardware
