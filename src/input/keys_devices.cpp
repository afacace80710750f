// Keys of the devices that a run may use.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/key_makers.hpp"

namespace nfold::input {

using namespace makers;

namespace {

constexpr std::array<Name, 2> binding_names{"auto", "keep"};
constexpr auto devices_at = &Settings::devices;

}  // namespace

std::vector<Key> makers::device_keys() {
  return {
      Key{"devices.max", integer<devices_at, &DeviceSettings::max>(0, 4096), "", allow,
          "The most GPUs of each node that its ranks use, the best first; 0: one for each rank. "
          "--gpus counts before it."},
      Key{"devices.filter", text_list<devices_at, &DeviceSettings::filter>(), "", allow,
          "Conditions that a GPU must meet, all of them: name=TEXT (a part of the name, in any "
          "case), name!=TEXT, memory_gb>=N, free_memory_gb>=N, healthy, fit (not unfit). --gpus "
          "with a list, or with all, counts before it."},
      Key{"devices.binding", choice<devices_at, &DeviceSettings::binding>(binding_names), "", allow,
          "auto: each rank keeps to the cores beside its GPU, and without a GPU to its share of "
          "the cores; where mpirun by itself bound ranks to a core each, they get that share. "
          "keep: whatever bound them."},
      Key{"devices.split", choice<devices_at, &DeviceSettings::split>(core::split_names()), "",
          allow,
          "How work is shared out among ranks. Residues go by score (see `nfold devices`) if it is "
          "score, else equally. Of replicas, equal and score stay as they are; measured-speed "
          "moves replicas while the run goes, where a rank computes "
          "faster than another; memory-aware does so within what each rank's memory holds; "
          "lowest-latency also counts the groups in which a device computes replicas, and takes "
          "the shares that end a step soonest."},
      Key{"devices.memory_limit_gb", real<devices_at, &DeviceSettings::memory_limit_gb>(0, 1e6),
          "GB (10^9 bytes)", allow,
          "The most memory that a rank's arrays may take on its device, a GPU or the host; 0: all "
          "that is free. --device-memory counts before it. `nfold check --memory` says what a run "
          "needs."},
      Key{"devices.memory_pool_mb",
          integer<devices_at, &DeviceSettings::memory_pool_mb>(0, 100'000'000), "MB (10^6 bytes)",
          allow,
          "The memory that each rank reserves on its GPU at the start and gives back at the end: "
          "its arrays come from there, except those that MPI libraries read, so that no other "
          "program can take it meanwhile. Arrays beyond it take more. The log has the peak use. 0: "
          "memory is taken as arrays need it. Without a GPU nothing is reserved."},
  };
}

}  // namespace nfold::input
