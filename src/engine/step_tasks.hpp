// A step as a list of named tasks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace nfold::engine {

/// Named task of a step. launch() runs it on a CPU; on a GPU it enqueues or captures its kernels.
template <class Launch>
struct StepTask {
  const char* name;
  bool is_needed;
  Launch launch;
};
template <class Launch>
StepTask(const char*, bool, Launch) -> StepTask<Launch>;

/// Launches the needed tasks in the order of the list, on a GPU in one stream.
template <class... Launches>
void launch_in_order(const StepTask<Launches>&... task) {
  (..., (task.is_needed ? task.launch() : void()));
}

}  // namespace nfold::engine
