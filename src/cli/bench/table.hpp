// Table that is printed while the suite runs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "cli/bench/rows.hpp"
#include "cli/bench/systems.hpp"

namespace nfold::bench {

/// Returns the heading. Lines end in \n. With `earlier` two more columns: speed over the earlier
/// one, and efficiency.
[[nodiscard]] std::string table_header(const BenchContext& context, const EarlierSpeeds* earlier);
[[nodiscard]] std::string table_line(const BenchContext& context, const BenchResult& result,
                                     const EarlierSpeeds* earlier);
[[nodiscard]] std::string left_out_lines(const std::vector<LeftOut>& left_out);

/// Returns names, sizes and descriptions, for --list.
[[nodiscard]] std::string system_list(const std::vector<BenchSystem>& systems);

/// Returns the meaning of each column, for --help.
[[nodiscard]] std::string column_help();

}  // namespace nfold::bench
