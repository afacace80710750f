// Build description of nfold_posed, which a test sets by environment variables.
// SPDX-License-Identifier: BSD-3-Clause
//
// Replaces src/session/job/this_build.cpp. POSED_SPACE=gpu or cpu sets the backend, POSED_SOURCES
// the source hash. Only the reported values change.
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "core/version.hpp"
#include "session/job/backend_ranks.hpp"

namespace nfold::job {

RankBuild this_build() {
  const char* const space = std::getenv("POSED_SPACE");
  const char* const sources = std::getenv("POSED_SOURCES");
  const auto posed = estimate::parse_backend(space != nullptr ? space : "");
  if (!posed) throw std::runtime_error("POSED_SPACE must be gpu or cpu");
  return {*posed, sources != nullptr ? sources : core::source_hash};
}

}  // namespace nfold::job
