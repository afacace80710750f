// What this program is: the space that it was built for, and its sources.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/ranks_of_job.hpp"
#include "cli/version.hpp"

namespace nfold::cli {

RankBuild this_build() {
#ifdef NFOLD_BUILT_FOR_GPU
  return {plan::Space::gpu, source_hash};
#else
  return {plan::Space::cpu, source_hash};
#endif
}

}  // namespace nfold::cli
