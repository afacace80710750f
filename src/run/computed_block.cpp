// The engine's steps. A test links another one, which errs.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/computed_block.hpp"

namespace nfold::run {

system::State computed_block(dynamics::Engine& engine, std::int64_t steps) {
  engine.advance(steps);
  return engine.owned_state();
}

}  // namespace nfold::run
