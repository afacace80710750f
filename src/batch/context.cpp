// Rows of events and failures of a target.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/context.hpp"

#include <fmt/format.h>

#include "core/csv.hpp"
#include "core/signals.hpp"
#include "core/storage/atomic_file.hpp"
#include "session/job/output_folder.hpp"

namespace nfold::batch {

bool TimeLimit::must_stop() const { return core::stop_signal() != 0 || seconds_left() <= 0; }

void BatchContext::record_event(LedgerEvent event, const std::string& target,
                                const std::string& detail, bool alone) const {
  ledger.write({event, target, "", 1, 0, alone, world_rank, detail});
}

void BatchContext::record_failure(const std::string& target, int attempts,
                                  const std::string& reason) const {
  job::make_output_folder(folder.of(target));
  const std::string line = core::csv_row(target, attempts, reason);
  storage::write_file_atomically(folder.failure(target),
                                 fmt::format("{}\n{}\n", failed_header, line));
  append_line(folder.failed(), failed_header, line);
}

}  // namespace nfold::batch
