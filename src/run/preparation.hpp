// Preparation of a repartition by a thread of each rank, between decision and migration.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "domain/partition.hpp"
#include "dynamics/engine.hpp"

namespace nfold::run {

[[nodiscard]] dynamics::OwnerPreparation preparation(const dynamics::Engine& engine,
                                                     domain::Ownership owner);

}  // namespace nfold::run
