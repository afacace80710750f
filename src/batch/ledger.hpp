// Ledger of a batch (running.csv): starts and ends of targets, so that crashes are detected.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace nfold::batch {

/// Appends one line with one write() and fsync(), so that lines of several processes do not mix.
/// Creates the file with `header` if necessary. Throws storage::FileError.
void append_line(const std::filesystem::path& path, std::string_view header, std::string_view line);

/// True for running.csv and for the ledger of one part of a list.
[[nodiscard]] bool is_ledger(const std::filesystem::path& file);

/// Fields of a row as read from a file.
struct LedgerEntry {
  std::string time, job, event, target, stage, step, rank, host;
  std::string space;  ///< Empty in files of older versions.
  std::string detail;
  bool alone = false;
};
/// Reads all ledgers in the folder of `path`, ordered by time, so that a batch resumes targets of
/// its parts and vice versa. Skips headers and truncated rows. Empty without a file.
[[nodiscard]] std::vector<LedgerEntry> read_ledger(const std::filesystem::path& path);

/// Event of a target.
enum class LedgerEvent {
  start,  ///< Written before the first step.
  end,    ///< The target is finished or failed.
  stop,   ///< Stopped with a checkpoint, by a signal, the time limit or joining ranks.
  crash   ///< The process died of a fatal signal or a broken device.
};

struct LedgerRow {
  LedgerEvent event = LedgerEvent::start;
  std::string target, stage;
  int attempt = 1;
  std::int64_t step = 0;  ///< Step of the checkpoint that it resumes from.
  bool alone = false;     ///< No other target ran in the job.
  int rank = 0;
  std::string detail;
};

/// Ledger history of a target that has neither a result nor a failure.
struct TargetHistory {
  int starts = 0;
  int crashes = 0;
  /// Consecutive last starts without an end and without a further checkpoint.
  int silent_deaths = 0, silent_deaths_alone = 0;
  std::string last_detail;  ///< Detail of the last crash.
  /// True if the target may have killed its process, so that it must run alone. A silent death
  /// (kill -9, out of memory) may have another cause and counts from the second time.
  [[nodiscard]] bool is_suspect() const { return crashes > 0 || silent_deaths >= 2; }
  /// True if it killed its process again when it ran alone.
  [[nodiscard]] bool is_hopeless() const { return crashes >= 2 || silent_deaths_alone >= 2; }
};

class Ledger {
 public:
  /// path: running.csv. job: identifier of this start of the program. space: backend of this rank,
  /// written to each row.
  Ledger(std::filesystem::path path, std::string job, std::string space);

  /// Creates the file if it does not exist. On one rank, before others write.
  void begin() const;
  void write(const LedgerRow& row) const;
  /// Installs signal handlers that write a crash row of this target upon SIGSEGV, SIGBUS, SIGFPE,
  /// SIGILL or SIGABRT. One target at a time.
  void watch_for_crash(const LedgerRow& row) const;
  static void end_crash_watch();
  /// Watches another target or, if null, none. Returns the former watch. For interleaved targets.
  struct CrashWatch;
  [[nodiscard]] static CrashWatch* exchange_crash_watch(CrashWatch* next);

  /// Reads the histories of all targets in the ledgers of the folder of `path`. Empty without a
  /// file. resume_point: returns "STAGE STEP" that a target would resume from. It is compared with
  /// a start that has no end.
  using ResumePoint = std::function<std::string(const std::string& target)>;
  [[nodiscard]] static std::map<std::string, TargetHistory> histories(
      const std::filesystem::path& path, const ResumePoint& resume_point);

 private:
  [[nodiscard]] std::string format_row(const LedgerRow& row, std::string_view event) const;

  std::filesystem::path path_;
  std::string job_, space_, host_;
};

}  // namespace nfold::batch
