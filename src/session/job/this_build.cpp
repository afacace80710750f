// Backend and sources of this build.
// SPDX-License-Identifier: BSD-3-Clause

#include "core/version.hpp"
#include "session/job/backend_ranks.hpp"

namespace nfold::job {

RankBuild this_build() {
#ifdef NFOLD_BUILT_FOR_GPU
  return {estimate::Backend::gpu, core::source_hash};
#else
  return {estimate::Backend::cpu, core::source_hash};
#endif
}

}  // namespace nfold::job
