// What a person sees of a batch while it goes on: read off its files by a thread of rank 0.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "batch/folder.hpp"
#include "telemetry/device_reading.hpp"

namespace nfold::batch {

/// A moment of a batch.
struct BatchMoment {
  std::int64_t targets = 0, done = 0, failed = 0;
  struct Running {
    int rank = 0;
    std::string target, stage;
    std::int64_t step = 0, steps = 0;
  };
  std::vector<Running> running;  ///< by rank, which may have several
  double elapsed_seconds = 0;
  /// Predicted cost of what ended since the start of the program, and of all that was left then.
  double cost_done = 0, cost_all = 0;
  int ranks = 1;
  std::vector<telemetry::DeviceReading> devices;  ///< of ranks; parts are targets that ended there
};

/// "12 of 100 done, 1 failed, 4 running, 83 waiting, 4 of 4 ranks busy, ETA 0:12:30".
[[nodiscard]] std::string batch_line(const BatchMoment& moment);
/// That line below a bar of all targets, and one with a bar for each target of each rank:
/// "[####....] rank 2: 1ubq, ladder, step 20000 of 50000".
[[nodiscard]] std::string batch_screen(const BatchMoment& moment, int width);

/// Looks at the files every second, redraws on a terminal, writes a line every 10 s elsewhere, and
/// a line for each target that ends. The log gets who takes which target, and progress and devices
/// every 10 minutes, even when quiet. Nothing of MPI or of the device is touched: it costs no rank
/// anything. For one rank.
class BatchDisplay {
 public:
  struct Plan {
    BatchFolder folder;
    std::map<std::string, double> cost;              ///< of the targets that were left at the start
    std::int64_t targets = 0, done = 0, failed = 0;  ///< at the start
    int ranks = 1;
    std::string job;  ///< rows of other starts of the program are history
    /// (ranks) UUIDs of GPUs; empty for ranks on processors. Other nodes' are not known here.
    std::vector<std::string> gpus;
  };
  /// log: of lines, from another thread.
  BatchDisplay(Plan plan, bool quiet, std::function<void(const std::string&)> log);
  /// Draws a last time.
  ~BatchDisplay();
  BatchDisplay(const BatchDisplay&) = delete;
  BatchDisplay& operator=(const BatchDisplay&) = delete;

 private:
  struct Thread;
  std::unique_ptr<Thread> thread_;
};

}  // namespace nfold::batch
