// Where a target is computed, kept in its folder: decided before its first step, never again.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "batch/folder.hpp"
#include "plan/dispatch.hpp"

namespace nfold::batch {

/// By NAME.space.yaml; where that was lost, by the provenance of the target's last checkpoint. None
/// for a target that has not begun.
[[nodiscard]] std::optional<plan::Space> kept_space(const BatchFolder& folder,
                                                    const std::string& target);

/// Writes NAME.space.yaml unless it is there; the target's folder must be. storage::FileError.
void keep_space(const BatchFolder& folder, const std::string& target,
                const plan::Decision& decision);

}  // namespace nfold::batch
