// What became of one attempt, from its status file, its exit code and its words.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "launch/status_reading.hpp"
#include "launch/words.hpp"

namespace nfold::launch {

enum class Ending {
  done,
  wrong_input,
  partly_failed,
  stopped,       ///< by a signal or its time limit, with a checkpoint
  explosion,     ///< of the model: the same on any machine
  memory,        ///< no room for an array
  disk,          ///< no room for a file
  hang,          ///< ranks that waited too long, or a status file that stood still
  silent_error,  ///< a block that came out otherwise when it was computed again
  lost_node,
  damage,      ///< of every checkpoint
  crash,       ///< a rank died, or failed for another reason
  not_started  ///< the launcher itself refused, or ended without a run
};

/// Whose fault it seems to be; each may be unknown.
struct Culprit {
  std::optional<int> rank;
  std::string host, device;
};

/// All that is known of an attempt once its last process has ended.
struct Attempt {
  int exit_code = 0;                    ///< of mpirun or srun; 128 + signal if it died of one
  bool was_ended = false;               ///< by launch, for no heartbeat came
  std::string stood_still;              ///< in words, if it was
  Culprit stood_still_by;               ///< likewise, as far as it is known
  std::optional<StatusReading> status;  ///< its own last one; none if it never wrote one
  Words words;
};

[[nodiscard]] Ending ending_of(const Attempt& attempt);

/// "crash": in records and messages.
[[nodiscard]] const char* name_of(Ending ending);

[[nodiscard]] Culprit culprit_of(const Attempt& attempt);

/// "rank 2 on node7 died of signal 9": one line for a person.
[[nodiscard]] std::string seen_in(const Attempt& attempt, Ending ending);

}  // namespace nfold::launch
