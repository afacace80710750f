// How many threads of the host a process takes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace nfold::dynamics {

/// What OMP_NUM_THREADS says, or a share of the processors where so many processes take one each.
[[nodiscard]] int host_threads(int processes);

}  // namespace nfold::dynamics
