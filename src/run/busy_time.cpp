// The engine's own clock. A test links another one, by which ranks are slow.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/busy_time.hpp"

namespace nfold::run {

dynamics::BusyTime busy_time(const dynamics::Engine& engine) { return engine.statistics().time; }

}  // namespace nfold::run
