// Owner of a row by its index.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/setup/row_owners.hpp"

#include "analysis/distinct_residues.hpp"

namespace nfold::setup {

using analysis::SparseCounts;

std::vector<SparseCounts::Entry> gather_own_rows(const comm::Communicator& communicator, int rows,
                                                 const SparseCounts& found) {
  const int ranks = communicator.size();
  std::vector<std::vector<SparseCounts::Entry>> send(static_cast<std::size_t>(ranks));
  for (const auto& entry : found.entries()) {
    const int keeper = analysis::share_of_row(rows, SparseCounts::row_of(entry.key), ranks);
    send[static_cast<std::size_t>(keeper)].push_back(entry);
  }
  std::vector<SparseCounts::Entry> own;
  for (const auto& part : communicator.all_to_all(send)) {
    own.insert(own.end(), part.begin(), part.end());
  }
  return own;
}

}  // namespace nfold::setup
