// Busy time by the engine's own clock; tests link a version in which ranks are slow.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/run/busy_time.hpp"

namespace nfold::run {

engine::BusyTime busy_time(const engine::Engine& engine) { return engine.statistics().time; }

}  // namespace nfold::run
