// UTC times in the format of all files.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <string>

namespace nfold::core {

/// Returns "2026-11-25T08:13:09Z".
[[nodiscard]] inline std::string utc(std::time_t time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(time));
}

}  // namespace nfold::core
