// Reader of the JSON files with pLDDT and PAE that predictors write.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "model/structure/confidence.hpp"

namespace nfold::structure {

/// Parses a JSON file of AlphaFold 2 and 3, AlphaFold DB (old and new) or ColabFold, as a stream:
/// memory is that of the numbers. Throws StructureError.
[[nodiscard]] ConfidenceTable parse_confidence_json(std::string_view text, const std::string& name);

}  // namespace nfold::structure
