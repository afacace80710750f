// In place of src/job/this_build.cpp, in nfold_posed: a program that says of itself what a test
// wants. SPDX-License-Identifier: BSD-3-Clause
//
// POSED_SPACE=gpu or cpu, and POSED_SOURCES in place of the hash. Only what it says changes.
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "job/ranks_of_job.hpp"
#include "job/version.hpp"

namespace nfold::job {

RankBuild this_build() {
  const char* const space = std::getenv("POSED_SPACE");
  const char* const sources = std::getenv("POSED_SOURCES");
  const auto posed = plan::space_of(space != nullptr ? space : "");
  if (!posed) throw std::runtime_error("POSED_SPACE must be gpu or cpu");
  return {*posed, sources != nullptr ? sources : source_hash};
}

}  // namespace nfold::job
