// Rank or device at fault for a failure.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace nfold::comm {

/// Suspect::what of a rank whose steps gave a different result when repeated.
inline constexpr const char* silent_error = "silent error";

/// Rank and its device. Written to the status file as suspect_*.
struct Suspect {
  int rank = -1;  ///< in the whole job
  std::string host;
  std::string device{};  ///< UUID of its GPU; empty: CPU
  std::string what{};    ///< "hang", "silent error", "memory" or "failure"
};

}  // namespace nfold::comm
