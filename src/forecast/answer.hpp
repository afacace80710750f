// Output of a plan as text, JSON and CSV.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "forecast/workload.hpp"
#include "plan/layouts.hpp"
#include "plan/machine.hpp"

namespace nfold::forecast {

struct Answer {
  std::string input;
  const plan::Machine& machine;
  const Workload& workload;
  const plan::Question& question;
  const plan::Choice& choice;
};

/// Returns a table of layouts, the chosen one marked, and the reason; lines end in \n.
[[nodiscard]] std::string text_of(const Answer& answer);
/// Returns the plan as JSON; `format` 1.
[[nodiscard]] std::string json_of(const Answer& answer);
/// Returns one row per layout, for plots.
[[nodiscard]] std::string csv_of(const Answer& answer);

}  // namespace nfold::forecast
