// Sum and largest part of a job's time.
// SPDX-License-Identifier: BSD-3-Clause

#include "estimate/job_time.hpp"

#include <algorithm>
#include <numeric>

namespace nfold::estimate {

std::array<JobTime::Part, 8> JobTime::parts() const {
  return {{{"start", "the start", start},
           {"steps", "steps", steps},
           {"energies", "energies", energies},
           {"observables", "observables", observables},
           {"frames", "frames of the trajectory", frames},
           {"checkpoints", "checkpoints", checkpoints},
           {"analysis", "analysis", analysis},
           {"transfer", "moving data between machines", transfer}}};
}

double JobTime::seconds() const {
  const auto all = parts();
  return std::accumulate(all.begin(), all.end(), 0.0,
                         [](double sum, const Part& part) { return sum + part.seconds; });
}

JobTime::Part JobTime::largest() const {
  const auto all = parts();
  return *std::ranges::max_element(all, {}, &Part::seconds);
}

}  // namespace nfold::estimate
