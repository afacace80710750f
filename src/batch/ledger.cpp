// Rows of running.csv: atomic append, and tolerant reading after a kill.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/ledger.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <fstream>
#include <memory>
#include <set>
#include <system_error>
#include <utility>

#include "core/csv.hpp"
#include "core/host_name.hpp"
#include "core/storage/atomic_file.hpp"
#include "core/storage/file_error.hpp"
#include "core/storage/posix_file.hpp"
#include "core/telemetry/profiler.hpp"

namespace nfold::batch {
namespace {

constexpr std::string_view header =
    "time,job,event,target,attempt,stage,step,alone,rank,host,space,detail";
constexpr std::array<std::string_view, 4> event_names{"start", "end", "stop", "crash"};
std::string now_text() {
  std::timespec now{};
  std::timespec_get(&now, TIME_UTC);
  constexpr long nanoseconds_per_ms = 1'000'000;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(now.tv_sec),
                     now.tv_nsec / nanoseconds_per_ms);
}

// The signal handler writes prepared bytes to an open descriptor only.
constexpr std::size_t longest_line = 1024;

}  // namespace

struct Ledger::CrashWatch {
  int file = -1;
  std::array<char, longest_line> line{};
  std::size_t length = 0;
};

namespace {

std::atomic<Ledger::CrashWatch*> crash_watch = nullptr;
static_assert(std::atomic<Ledger::CrashWatch*>::is_always_lock_free);

extern "C" void write_crash_row(int signal_number) {
  if (auto* const watch = crash_watch.exchange(nullptr)) {
    const char* const name = signal_number == SIGSEGV  ? "SIGSEGV\n"
                             : signal_number == SIGBUS ? "SIGBUS\n"
                             : signal_number == SIGFPE ? "SIGFPE\n"
                             : signal_number == SIGILL ? "SIGILL\n"
                                                       : "SIGABRT\n";
    // One write: the prepared line ends before the name of the signal.
    for (const char* c = name; *c != '\0' && watch->length < longest_line; ++c) {
      watch->line[watch->length++] = *c;
    }
    (void)!write(watch->file, watch->line.data(), watch->length);
  }
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

}  // namespace

void append_line(const std::filesystem::path& path, std::string_view header_line,
                 std::string_view line) {
  const telemetry::PhaseSpan span(telemetry::Phase::ledger);
  const auto own = storage::require_regular_file(path);
  const int file = open(own.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) throw storage::make_file_error(path, "open the file", errno);
  std::string text;
  if (lseek(file, 0, SEEK_END) == 0) text = std::string(header_line) + "\n";
  text += std::string(line) + "\n";
  const auto written = write(file, text.data(), text.size());
  const int reason = written < 0 ? errno : ENOSPC;
  const bool is_whole = written == static_cast<ssize_t>(text.size());
  const bool is_safe = is_whole && fsync(file) == 0;
  const int sync_reason = errno;
  close(file);
  if (!is_whole) throw storage::make_file_error(path, "write a row", reason);
  if (!is_safe && sync_reason != EINVAL) {
    throw storage::make_file_error(path, "bring a row to the disk", sync_reason);
  }
}

bool is_ledger(const std::filesystem::path& file) {
  return file.extension() == ".csv" &&
         (file.stem() == "running" || file.filename().string().starts_with("running.part-"));
}

std::vector<LedgerEntry> read_ledger(const std::filesystem::path& path) {
  constexpr std::size_t columns = 12, columns_of_old = 11;  // old: without the space
  std::set<std::filesystem::path> files;
  std::error_code none;
  for (const auto& file : std::filesystem::directory_iterator(path.parent_path(), none)) {
    if (is_ledger(file.path())) files.insert(file.path());
  }
  std::vector<LedgerEntry> entries;
  for (const auto& file : files) {
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
      const auto fields = core::split_csv_row(line);
      if (fields.size() < columns_of_old || fields[0] == "time") continue;
      entries.push_back({fields[0], fields[1], fields[2], fields[3], fields[5], fields[6],
                         fields[8], fields[9], fields.size() < columns ? "" : fields[10],
                         fields.back(), fields[7] == "1"});
    }
  }
  // Rows of one file keep their order, since clocks of nodes differ.
  if (files.size() > 1) std::ranges::stable_sort(entries, {}, &LedgerEntry::time);
  return entries;
}

Ledger::Ledger(std::filesystem::path path, std::string job, std::string space)
    : path_(std::move(path)),
      job_(std::move(job)),
      space_(std::move(space)),
      host_(core::host_name()) {}

std::string Ledger::format_row(const LedgerRow& row, std::string_view event_name) const {
  return core::csv_row(now_text(), job_, event_name, row.target, row.attempt, row.stage, row.step,
                       row.alone, row.rank, host_, space_) +
         ",";
}

void Ledger::begin() const {
  if (!std::filesystem::exists(path_)) {
    storage::write_file_atomically(path_, std::string(header) + "\n");
  }
}

void Ledger::write(const LedgerRow& row) const {
  append_line(path_, header,
              format_row(row, event_names[static_cast<std::size_t>(row.event)]) +
                  core::quote_csv_field(row.detail));
}

void Ledger::watch_for_crash(const LedgerRow& row) const {
  end_crash_watch();
  const std::string line = format_row(row, "crash");
  if (line.size() + 16 > longest_line) return;
  auto watch = std::make_unique<CrashWatch>();
  std::copy(line.begin(), line.end(), watch->line.begin());
  watch->length = line.size();
  watch->file = open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  crash_watch = watch.release();
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    std::signal(number, write_crash_row);
  }
}

void Ledger::end_crash_watch() {
  const std::unique_ptr<CrashWatch> watch(crash_watch.exchange(nullptr));
  if (watch != nullptr && watch->file >= 0) close(watch->file);
}

Ledger::CrashWatch* Ledger::exchange_crash_watch(CrashWatch* next) {
  return crash_watch.exchange(next);
}

std::map<std::string, TargetHistory> Ledger::histories(const std::filesystem::path& path,
                                                       const ResumePoint& resume_point) {
  struct Begun {
    std::string job, checkpoint;  // checkpoint: stage and step
    bool alone = false, is_open = false;
  };
  std::map<std::string, TargetHistory> histories;
  std::map<std::string, Begun> last;
  std::set<std::string> jobs_that_crashed;
  std::set<std::pair<std::string, std::string>> crashes_counted;  // (target, job)
  const auto count_silent = [&](const std::string& name, const std::string& checkpoint) {
    auto& begun = last[name];
    if (!begun.is_open) return;
    begun.is_open = false;
    auto& history = histories[name];
    if (checkpoint != begun.checkpoint) {  // it made progress: earlier deaths are cleared
      history.silent_deaths = history.silent_deaths_alone = 0;
    } else if (!jobs_that_crashed.contains(begun.job)) {
      ++history.silent_deaths;
      if (begun.alone) ++history.silent_deaths_alone;
    }
  };
  for (const auto& entry : read_ledger(path)) {
    const auto& name = entry.target;
    auto& begun = last[name];
    if (entry.event == "start") {
      const std::string checkpoint = entry.stage + " " + entry.step;
      // A second start by one job, as after an explosion, proves that the process lived.
      if (begun.job == entry.job && begun.checkpoint == checkpoint) begun.is_open = false;
      count_silent(name, checkpoint);
      ++histories[name].starts;
      begun = {entry.job, checkpoint, entry.alone, true};
      continue;
    }
    begun.is_open = false;
    if (entry.event == "crash") {
      jobs_that_crashed.insert(entry.job);
      // Each rank of a group may have written a row of the same crash.
      if (crashes_counted.insert({name, entry.job}).second) ++histories[name].crashes;
      histories[name].last_detail = entry.detail;
    } else {
      histories[name] = {};
    }
  }
  for (const auto& [name, begun] : std::map<std::string, Begun>(last)) {
    if (begun.is_open) count_silent(name, resume_point(name));
  }
  return histories;
}

}  // namespace nfold::batch
