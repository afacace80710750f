// Backend of a target, recorded in its folder before its first step.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "batch/folder.hpp"
#include "plan/dispatch.hpp"

namespace nfold::batch {

/// Reads the backend from NAME.space.yaml or, if that is missing, from the provenance of the last
/// checkpoint. None for a target that has not begun.
[[nodiscard]] std::optional<plan::Space> kept_space(const BatchFolder& folder,
                                                    const std::string& target);

/// Writes NAME.space.yaml unless it exists. The target's folder must exist. Throws FileError.
void keep_space(const BatchFolder& folder, const std::string& target,
                const plan::Decision& decision);

}  // namespace nfold::batch
