// Backend of a target, recorded in its folder before its first step.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "batch/folder.hpp"
#include "estimate/dispatch.hpp"

namespace nfold::batch {

/// Reads the backend from NAME.space.yaml or, if that is missing, from the provenance of the last
/// checkpoint. None for a target that has not begun.
[[nodiscard]] std::optional<estimate::Backend> read_backend(const BatchFolder& folder,
                                                            const std::string& target);

/// Writes NAME.space.yaml unless it exists. The target's folder must exist. Throws FileError.
void write_backend(const BatchFolder& folder, const std::string& target,
                   const estimate::Decision& decision);

}  // namespace nfold::batch
