// running.csv of a batch: what was begun and how it ended, row by row, so that what dies is known.
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

/// A field of CSV: in quotes if it needs them (RFC 4180), without line breaks.
[[nodiscard]] std::string csv_field(std::string_view text);
/// Fields of one line.
[[nodiscard]] std::vector<std::string> csv_fields(std::string_view line);

/// Brings one line to the end of a file and to the disk in one write, so that lines of several
/// processes do not mix; makes the file with `header` if it is not there. storage::FileError.
void append_line(const std::filesystem::path& path, std::string_view header, std::string_view line);

/// running.csv, or that of one part of a list.
[[nodiscard]] bool is_ledger(const std::filesystem::path& file);

/// The lines of a ledger and of those beside it, in the order of time: a batch goes on where its
/// parts stopped, and the other way round.
[[nodiscard]] std::vector<std::string> lines_of_ledgers(const std::filesystem::path& path);

/// What happened to a target, as its row says.
enum class LedgerEvent {
  start,  ///< written before anything of it is computed
  end,    ///< it has a result or a reason
  stop,   ///< a signal or the time limit, with a checkpoint
  crash   ///< the process died of a signal of its own making, or of a broken device
};

struct LedgerRow {
  LedgerEvent event = LedgerEvent::start;
  std::string target, stage;
  int attempt = 1;
  std::int64_t step = 0;  ///< of the checkpoint that it goes on from
  bool alone = false;     ///< nothing else ran in the job
  int rank = 0;
  std::string detail;
};

/// What rows tell of a target that has neither result nor reason.
struct TargetHistory {
  int starts = 0;
  int crashes = 0;
  /// The last starts in a row that ended in nothing, not even a checkpoint further on.
  int silent_deaths = 0, silent_deaths_alone = 0;
  std::string last_detail;  ///< of the last crash
  /// It may have killed its process: to be tried with nothing else beside it. Who dies without a
  /// word (kill -9, out of memory) may be innocent and is suspected at the second time only.
  [[nodiscard]] bool is_suspect() const { return crashes > 0 || silent_deaths >= 2; }
  /// It did so again when it was alone.
  [[nodiscard]] bool is_hopeless() const { return crashes >= 2 || silent_deaths_alone >= 2; }
};

class Ledger {
 public:
  /// path: of running.csv. job: which start of the program this is, for people and for histories.
  /// space: where this rank computes, in each row.
  Ledger(std::filesystem::path path, std::string job, std::string space);

  /// Makes the file if it is not there; on one rank, before others write, or each might begin it.
  void begin() const;
  void write(const LedgerRow& row) const;
  /// From now on a fatal signal of this process (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) leaves a
  /// crash row of this target behind. One target at a time.
  void watch_for_crash(const LedgerRow& row) const;
  static void end_crash_watch();
  /// Watches another target, or none; returns who was watched. Where several are worked on in turn.
  struct CrashWatch;
  [[nodiscard]] static CrashWatch* exchange_crash_watch(CrashWatch* next);

  /// Of all targets in the ledgers of the file's folder; none if there is no file. place_now:
  /// "STAGE STEP" that a target would go on from, against which a start without an end is held.
  using PlaceNow = std::function<std::string(const std::string& target)>;
  [[nodiscard]] static std::map<std::string, TargetHistory> histories(
      const std::filesystem::path& path, const PlaceNow& place_now);

 private:
  [[nodiscard]] std::string line_of(const LedgerRow& row, std::string_view event) const;

  std::filesystem::path path_;
  std::string job_, space_, host_;
};

}  // namespace nfold::batch
