// Shared memory with the record of each rank of a node.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace nfold::comm {

/// Calls share_records() with memory shared by the ranks of this node. The memory has no name, so
/// that nothing stays behind however the ranks end. If the system does not offer it, each rank
/// keeps its record private. Collective over all ranks of the job, once.
void share_records_on_node(int rank);

/// True for the first rank of its node that calls this; only that rank reports the failure.
[[nodiscard]] bool is_first_to_report();

}  // namespace nfold::comm
