// Progress display of a running batch: a thread of rank 0 that reads the files of the batch.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "batch/folder.hpp"
#include "core/telemetry/device_reading.hpp"

namespace nfold::batch {

/// Progress of a batch at one moment.
struct BatchProgress {
  std::int64_t targets = 0, done = 0, failed = 0;
  struct Running {
    int rank = 0;
    std::string target, stage;
    std::int64_t step = 0, steps = 0;
  };
  std::vector<Running> running;  ///< Ordered by rank. A rank may have several.
  double elapsed_seconds = 0;
  /// Estimated cost of the targets that ended in this session, and of all that it began with.
  double cost_done = 0, cost_all = 0;
  int ranks = 1;
  std::vector<telemetry::DeviceReading> devices;  ///< GPU ranks. Parts: ended targets.
};

/// Texts for telemetry::ProgressDisplay.
/// Returns "12 of 100 done, 1 failed, 4 running, 83 waiting, 4 of 4 ranks busy, ETA 0:12:30".
[[nodiscard]] std::string progress_line(const BatchProgress& moment);
/// Returns progress_line() after a bar of all targets, then a line with a bar for each running
/// target: "[####....] rank 2: 1ubq, ladder, step 20000 of 50000". Lines are shorter than `width`.
[[nodiscard]] std::string progress_screen(const BatchProgress& moment, int width);
/// Returns progress_line() without devices, and a line for each running target and each device.
[[nodiscard]] std::vector<std::string> log_lines(const BatchProgress& moment);

/// Progress display on one rank. Reads the files every second, redraws on a terminal, otherwise
/// prints a line every 10 s, and prints a line for each target that ends. Logs the rank of each
/// started target, and progress and devices every 10 minutes, even when quiet. Calls neither MPI
/// nor the device, so that it delays no rank.
class BatchDisplay {
 public:
  struct Plan {
    BatchFolder folder;
    std::map<std::string, double> cost;  ///< Estimates of the targets that this session began with.
    std::int64_t targets = 0, done = 0, failed = 0;  ///< Counts at the start.
    int ranks = 1;
    std::string job;           ///< Ledger rows of other jobs are ignored.
    std::string_view columns;  ///< Header of results.csv.
    /// (ranks) UUIDs of GPUs; empty for CPU ranks. GPUs of other nodes cannot be sampled here.
    std::vector<std::string> gpus;
  };
  /// log: writes a line; called from the display thread.
  BatchDisplay(Plan plan, bool quiet, std::function<void(const std::string&)> log);
  /// Draws once more and stops the thread.
  ~BatchDisplay();
  BatchDisplay(const BatchDisplay&) = delete;
  BatchDisplay& operator=(const BatchDisplay&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace nfold::batch
