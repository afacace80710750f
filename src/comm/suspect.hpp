// Who is at fault, as far as the program itself knows.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace nfold::comm {

/// What a Suspect is held for whose steps came out otherwise.
inline constexpr const char* silent_error = "silent error";

/// A rank and what it computes on. The status file has these as suspect_*.
struct Suspect {
  int rank = -1;  ///< of the whole job
  std::string host;
  std::string device{};  ///< a GPU's UUID; empty: processors
  std::string what{};    ///< "hang", "silent error", "memory" or "failure"
};

}  // namespace nfold::comm
