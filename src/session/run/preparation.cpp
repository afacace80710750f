// Preparation by the engine; tests link a version that fails.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/run/preparation.hpp"

#include <utility>

namespace nfold::run {

engine::RepartitionPreparation preparation(const engine::Engine& engine, domain::Ownership owner) {
  return engine.repartition_preparation(std::move(owner));
}

}  // namespace nfold::run
