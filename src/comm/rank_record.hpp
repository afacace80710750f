// What a rank tells of itself in passing, in memory that others can read while it stands still.
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

#include "comm/suspect.hpp"

namespace nfold::comm {

/// A short text that one thread writes while others may read it; what is longer is cut. A reader
/// may meet a text that is half the next one, until its writer stands still.
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

/// Of one rank. Zero in all bytes is a record that nobody has written yet; so it may lie in memory
/// that processes share. Times are of the steady clock, which is one on a host [s].
struct RankRecord {
  std::atomic<std::uint64_t> borders;  ///< of waits, passed so far; odd: within one
  std::atomic<const char*> call_at;    ///< where `call` was taken from, in its own process
  std::atomic<std::int64_t> step;      ///< of the system, plus 1; 0: none was told
  std::atomic<std::uint64_t> phases;   ///< told so far
  std::atomic<std::uint64_t> work;     ///< of what ranks it is about; 0: of all
  std::atomic<bool> waits_for_device;  ///< the wait is for its own GPU, not for other ranks
  std::atomic<bool> has_ended;         ///< it has left the work in good order
  std::atomic<double> phase_since, wait_since, seen;
  std::atomic<std::int64_t> process;      ///< 0: nobody has written this record
  std::atomic<std::uint64_t> namespace_;  ///< in which the process has this number
  std::atomic<int> rank;
  SharedText<64> host, device, call;
  SharedText<96> phase;
  SharedText<224> last_words;
};
static_assert(std::atomic<double>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

/// A record as it was at one moment.
struct RankReport {
  int rank = 0;
  std::int64_t process = 0, step = -1;
  std::uint64_t phases = 0, work = 0;
  std::string host, device{}, phase{}, last_words{};
  std::string call{};  ///< in which it waits; empty: it does not wait
  bool waits_for_device = false, has_ended = false;
  double in_phase_s = 0, waits_s = 0, unseen_s = 0;  ///< for how long; since its last sign of life
  char state = '\0';  ///< of the process, as in /proc/PID/stat; 'X': gone; 0: not to be known
};

/// This process's; shared with the node once comm::Environment has seen to it.
[[nodiscard]] RankRecord& own_record();
/// From now on; the records of this node, of which `own` is one. They must stay for ever.
void share_records(RankRecord* records, std::size_t count, std::size_t own);
/// The records of this node; of a process alone its own.
[[nodiscard]] std::vector<RankReport> reports_of_node();
/// Of one record; `now` by seconds_now().
[[nodiscard]] RankReport report_of(const RankRecord& record, double now);

/// Of ranks on other nodes; until then none. May be called while this process stands still.
using FarReports = std::function<std::vector<RankReport>()>;
void set_far_reports(FarReports far);
/// Of all ranks that anything is known of.
[[nodiscard]] std::vector<RankReport> all_reports();

/// By the steady clock.
[[nodiscard]] double seconds_now();
/// 'R', 'S', 'D', 'T', 'Z' ...; 'X' where there is no such process.
[[nodiscard]] char state_of_process(std::int64_t process);

/// Writes who this process is into its own record.
void introduce_own_record(int rank);
/// A GPU's UUID as tools print it, "GPU-...".
void tell_device(std::string_view device);
/// What this rank said last, for those who wait for it.
void tell_last_words(std::string_view words);
/// What this rank and some others are about, when the rest of the job is not; 0: all ranks. Phases
/// are counted anew, for ranks of one work tell the same ones.
void tell_work(std::uint64_t work);

/// This rank, with its device, as one at fault.
[[nodiscard]] Suspect own_suspect(std::string what);

}  // namespace nfold::comm
