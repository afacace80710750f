// Preparation by the engine; tests link a version that fails.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/preparation.hpp"

#include <utility>

namespace nfold::run {

dynamics::OwnerPreparation preparation(const dynamics::Engine& engine, domain::Ownership owner) {
  return engine.owner_preparation(std::move(owner));
}

}  // namespace nfold::run
