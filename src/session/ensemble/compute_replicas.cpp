// Production version of compute_replicas(); tests link one that injects errors.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/ensemble/compute_replicas.hpp"

namespace nfold::ensemble {

system::State compute_replicas(replicas::ReplicaSet& set, std::int64_t steps) {
  set.advance(steps);
  return set.states();
}

}  // namespace nfold::ensemble
