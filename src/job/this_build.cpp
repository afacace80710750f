// Backend and sources of this build.
// SPDX-License-Identifier: BSD-3-Clause

#include "job/ranks_of_job.hpp"
#include "job/version.hpp"

namespace nfold::job {

RankBuild this_build() {
#ifdef NFOLD_BUILT_FOR_GPU
  return {plan::Space::gpu, source_hash};
#else
  return {plan::Space::cpu, source_hash};
#endif
}

}  // namespace nfold::job
