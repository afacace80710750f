// Computation by the engine's steps; tests link a version that errs.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/run/compute_block.hpp"

namespace nfold::run {

system::State compute_block(engine::Engine& engine, std::int64_t steps) {
  engine.advance(steps);
  return engine.owned_state();
}

}  // namespace nfold::run
