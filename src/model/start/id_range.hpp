// Range of residue ids.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace nfold::start {

/// Range of consecutive ids; end is exclusive.
struct IdRange {
  int first = 0, end = 0;
};

}  // namespace nfold::start
