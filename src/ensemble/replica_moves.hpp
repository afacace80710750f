// States of replicas: one cut out of many, and many on their way to other ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "comm/communicator.hpp"
#include "device/devices_of_job.hpp"
#include "ensemble/memory.hpp"
#include "ensemble/replica_shares.hpp"
#include "plan/splits.hpp"
#include "replicas/replica_set.hpp"
#include "system/state.hpp"

namespace nfold::ensemble {

/// One of many replicas whose rows stand one after another, with ids that begin at 0.
[[nodiscard]] system::State replica_of(const system::State& all, int replica, int residues);

/// Collective. The rows of the replicas that this rank has by `after`, one replica after another,
/// from those that each rank has by `before`; without ids.
[[nodiscard]] system::State moved(const comm::Communicator& communicator, const system::State& mine,
                                  const ReplicaShares& before, const ReplicaShares& after,
                                  int residues);

/// Collective. Shares and balance of an ensemble whose needs are known, those of the largest even
/// share; each rank's room is what it may take now, less what is counted.
[[nodiscard]] ReplicaBalance balance_within_memory(const comm::Communicator& communicator,
                                                   const device::DevicesOfJob& devices,
                                                   const EnsembleMemory& memory, int replicas,
                                                   plan::SplitStrategy split);

/// Collective: of each rank, from its own.
[[nodiscard]] std::vector<std::vector<plan::TimeStep>> cost_steps_of_all(
    const comm::Communicator& communicator, const std::vector<replicas::CostStep>& mine);

}  // namespace nfold::ensemble
