// A plan in words and numbers.
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

/// A table of layouts, the one that is taken marked, and why; lines end in \n.
[[nodiscard]] std::string text_of(const Answer& answer);
/// The same for programs; `format` 1.
[[nodiscard]] std::string json_of(const Answer& answer);
/// A row a layout, for pictures.
[[nodiscard]] std::string csv_of(const Answer& answer);

}  // namespace nfold::forecast
