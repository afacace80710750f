// Preparation of a repartition by a thread of each rank, between decision and migration.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "domain/partition.hpp"
#include "engine/engine.hpp"

namespace nfold::run {

[[nodiscard]] engine::RepartitionPreparation preparation(const engine::Engine& engine,
                                                         domain::Ownership owner);

}  // namespace nfold::run
