// States of replicas: extraction of one from many, and moves to other ranks.
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

/// Returns one of many replicas whose rows are consecutive, with ids that begin at 0.
[[nodiscard]] system::State replica_of(const system::State& all, int replica, int residues);

/// Collective. Returns the rows of the replicas that this rank has by `after`, one replica after
/// another, from those that each rank has by `before`; without ids.
[[nodiscard]] system::State moved(const comm::Communicator& communicator, const system::State& mine,
                                  const ReplicaShares& before, const ReplicaShares& after,
                                  int residues);

/// Collective. Returns the balance of an ensemble. memory: of the largest even share; the limit of
/// each rank is its free memory less that of the counts.
[[nodiscard]] ReplicaBalance balance_within_memory(const comm::Communicator& communicator,
                                                   const device::DevicesOfJob& devices,
                                                   const EnsembleMemory& memory, int replicas,
                                                   plan::SplitStrategy split);

/// Collective. Gathers the cost steps of all ranks.
[[nodiscard]] std::vector<std::vector<plan::TimeStep>> cost_steps_of_all(
    const comm::Communicator& communicator, const std::vector<replicas::CostStep>& mine);

}  // namespace nfold::ensemble
