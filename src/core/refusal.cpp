// InputError of a single problem.
// SPDX-License-Identifier: BSD-3-Clause

#include "core/refusal.hpp"

#include <vector>

#include "core/input_error.hpp"

namespace nfold::core {

void refuse(const std::string& where, const std::string& problem, const std::string& remedy,
            Outcome outcome) {
  throw InputError(std::vector<InputProblem>{{{where}, problem, remedy}}, outcome);
}

}  // namespace nfold::core
