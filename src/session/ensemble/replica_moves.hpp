// States of replicas: extraction of one from many, and moves to other ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "comm/communicator.hpp"
#include "core/splits.hpp"
#include "device/job_devices.hpp"
#include "replicas/replica_set.hpp"
#include "session/ensemble/memory.hpp"
#include "session/ensemble/replica_shares.hpp"
#include "system/state.hpp"

namespace nfold::ensemble {

/// Returns one of many replicas whose rows are consecutive, with ids that begin at 0.
[[nodiscard]] system::State extract_replica(const system::State& all, int replica, int residues);

/// Collective. Returns the rows of the replicas that this rank has by `after`, one replica after
/// another, from those that each rank has by `before`; without ids.
[[nodiscard]] system::State move_rows(const comm::Communicator& communicator,
                                      const system::State& mine, const ReplicaShares& before,
                                      const ReplicaShares& after, int residues);

/// Collective. Returns the balance of an ensemble. memory: of the largest even share; the limit of
/// each rank is its free memory less that of the counts.
[[nodiscard]] ReplicaBalance make_balance(const comm::Communicator& communicator,
                                          const device::JobDevices& devices,
                                          const EnsembleMemory& memory, int replicas,
                                          core::SplitStrategy split);

/// Collective. Gathers the cost steps of all ranks.
[[nodiscard]] std::vector<std::vector<core::TimeStep>> gather_cost_steps(
    const comm::Communicator& communicator, const std::vector<replicas::CostStep>& mine);

}  // namespace nfold::ensemble
