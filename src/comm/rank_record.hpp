// State of a rank in memory that other ranks can read while it is stalled.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "core/failure.hpp"

namespace nfold::comm {

/// Short text written by one thread and read by others; longer texts are cut. A reader may see a
/// mix of two texts while the writer is at work.
template <std::size_t Size>
class SharedText {
 public:
  void set(std::string_view text) {
    const auto length = std::min(text.size(), Size - 1);
    for (std::size_t i = 0; i < length; ++i) letter_[i].store(text[i], std::memory_order_relaxed);
    letter_[length].store('\0', std::memory_order_relaxed);
  }
  [[nodiscard]] std::string get() const {
    std::string text;
    for (std::size_t i = 0; i + 1 < Size; ++i) {
      const char letter = letter_[i].load(std::memory_order_relaxed);
      if (letter == '\0') break;
      text += letter;
    }
    return text;
  }

 private:
  std::array<std::atomic<char>, Size> letter_{};
};

/// Record of one rank. All bytes zero is a record that no rank has written, so that it may lie in
/// memory shared by processes. Times are of the steady clock, which is common to a host [s].
struct RankRecord {
  std::atomic<std::uint64_t>
      wait_transitions;               ///< starts and ends of waits so far; odd: within a wait
  std::atomic<const char*> call_at;   ///< address that `call` was copied from, in its own process
  std::atomic<std::int64_t> step;     ///< step of the system, plus 1; 0: none
  std::atomic<std::uint64_t> phases;  ///< number of phases begun
  std::atomic<std::uint64_t> work;    ///< id of the work shared by some ranks; 0: work of all ranks
  std::atomic<bool> waits_for_device;  ///< the wait is for its own GPU, not for other ranks
  std::atomic<bool> has_ended;         ///< it has ended in good order
  std::atomic<double> phase_since, wait_since, seen;
  std::atomic<std::int64_t> process;      ///< 0: no rank has written this record
  std::atomic<std::uint64_t> namespace_;  ///< PID namespace of `process`
  std::atomic<int> rank;
  SharedText<64> host, device, call;
  SharedText<96> phase;
  SharedText<224> last_message;
};
static_assert(std::atomic<double>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

/// Copy of a record at one moment.
struct RankReport {
  int rank = 0;
  std::int64_t process = 0, step = -1;
  std::uint64_t phases = 0, work = 0;
  std::string host, device{}, phase{}, last_message{};
  std::string call{};  ///< call that it waits in; empty: it does not wait
  bool waits_for_device = false, has_ended = false;
  double in_phase_s = 0, waits_s = 0, unseen_s = 0;  ///< unseen: since last sign of life
  char state = '\0';  ///< process state of /proc/PID/stat; 'X': gone; 0: unknown
};

/// Returns the record of this process, shared with the node once comm::Environment has set it up.
[[nodiscard]] RankRecord& own_record();
/// Sets the records of this node, of which `own` is this rank's. They must stay valid until the
/// process ends.
void share_records(RankRecord* records, std::size_t count, std::size_t own);
/// Returns the records of this node; only the own one for a single process.
[[nodiscard]] std::vector<RankReport> reports_of_node();
/// Copies one record; `now` by core::seconds_now().
[[nodiscard]] RankReport report_of(const RankRecord& record, double now);

/// Sets the source of reports of ranks on other nodes; none by default. It may be called while this
/// process is stalled.
using RemoteReports = std::function<std::vector<RankReport>()>;
void set_remote_reports(RemoteReports far);
/// Returns the reports of all ranks that any are known of.
[[nodiscard]] std::vector<RankReport> all_reports();

/// Returns 'R', 'S', 'D', 'T', 'Z' ...; 'X' if there is no such process.
[[nodiscard]] char state_of_process(std::int64_t process);

/// Writes rank, host and process id of this process into its own record.
void initialize_own_record(int rank);
/// Records the UUID of this rank's GPU, formatted "GPU-...".
void set_record_device(std::string_view device);
/// Records the last message of this rank, for reports of ranks that wait for it.
void set_record_message(std::string_view words);
/// Sets the work that this rank shares with some others while the rest of the job does another; 0:
/// all ranks. Restarts the count of phases, since ranks of one work pass the same phases.
void set_record_work(std::uint64_t work);

/// Returns this rank and its device as a suspect.
[[nodiscard]] core::Suspect own_suspect();

}  // namespace nfold::comm
