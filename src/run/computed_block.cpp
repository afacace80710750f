// Computation by the engine's steps; tests link a version that errs.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/computed_block.hpp"

namespace nfold::run {

system::State computed_block(dynamics::Engine& engine, std::int64_t steps) {
  engine.advance(steps);
  return engine.owned_state();
}

}  // namespace nfold::run
