// Rows of a table that each rank keeps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analysis/sparse_counts.hpp"
#include "comm/communicator.hpp"

namespace nfold::setup {

/// Collective: counts that all ranks found, with keys of rows, go to who keeps the row by
/// analysis::rows_of_share(). Returns those of this rank's rows.
[[nodiscard]] std::vector<analysis::SparseCounts::Entry> entries_of_own_rows(
    const comm::Communicator& communicator, int rows, const analysis::SparseCounts& found);

}  // namespace nfold::setup
