// InputError of a single problem.
// SPDX-License-Identifier: BSD-3-Clause

#include "core/refusal.hpp"

#include <utility>
#include <vector>

#include "core/input_error.hpp"

namespace nfold::core {

void refuse(const std::string& where, const std::string& problem, const std::string& remedy,
            Outcome outcome) {
  // Filled member by member: GCC 12 gives a false warning for a list of braces.
  std::vector<InputProblem> problems(1);
  problems[0].position.file = where;
  problems[0].problem = problem;
  problems[0].remedy = remedy;
  throw InputError(std::move(problems), outcome);
}

}  // namespace nfold::core
