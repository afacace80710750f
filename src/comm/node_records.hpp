// Gives the ranks of a node memory in which each has its record.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace nfold::comm {

/// Collective over all ranks of the job, once: share_records() of memory that the ranks of this
/// node have together and that has no name, so that nothing stays behind whatever ends them. Where
/// the system does not offer it, each rank keeps its record to itself.
void share_records_on_node(int rank);

/// Whether this rank is the first of its node that wants to speak of one failure.
[[nodiscard]] bool is_first_to_speak();

}  // namespace nfold::comm
