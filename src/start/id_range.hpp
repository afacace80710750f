// Residues one behind the other.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace nfold::start {

/// Consecutive ids.
struct IdRange {
  int first = 0, end = 0;
};

}  // namespace nfold::start
