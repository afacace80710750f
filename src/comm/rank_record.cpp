// Storage of rank records, and reports made from them.
// SPDX-License-Identifier: BSD-3-Clause
#include "comm/rank_record.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <mutex>
#include <utility>

#include "core/host_name.hpp"

namespace nfold::comm {
namespace {

struct Table {
  RankRecord* records;
  std::size_t count;
  std::atomic<RankRecord*> own;
};
Table& table() {
  static RankRecord alone{};
  static Table all{&alone, 1, &alone};
  return all;
}

struct RemoteSource {
  std::mutex mutex;
  RemoteReports reports;
};
RemoteSource& remote_source() {
  static RemoteSource source;
  return source;
}

/// Returns the id of this process's PID namespace; 0: unknown.
std::uint64_t own_namespace() {
  struct stat found {};
  return stat("/proc/self/ns/pid", &found) == 0 ? found.st_ino : 0;
}

}  // namespace

RankRecord& own_record() { return *table().own.load(std::memory_order_relaxed); }

void share_records(RankRecord* records, std::size_t count, std::size_t own) {
  table().records = records;
  table().count = count;
  table().own = records + own;
}

char state_of_process(std::int64_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  if (!std::getline(file, text)) return 'X';
  // The process name, in brackets, may contain any character.
  const auto end_of_name = text.rfind(')');
  return end_of_name == std::string::npos || end_of_name + 2 >= text.size() ? '\0'
                                                                            : text[end_of_name + 2];
}

RankReport report_of(const RankRecord& record, double now) {
  RankReport report;
  report.rank = record.rank;
  report.process = record.process;
  report.step = record.step - 1;
  report.phases = record.phases;
  report.work = record.work;
  report.host = record.host.get();
  report.device = record.device.get();
  report.phase = record.phase.get();
  report.last_message = record.last_message.get();
  report.has_ended = record.has_ended;
  report.in_phase_s = now - record.phase_since;
  report.unseen_s = now - record.seen;
  if (record.wait_transitions.load(std::memory_order_acquire) % 2 == 1) {
    report.call = record.call.get();
    report.waits_for_device = record.waits_for_device;
    report.waits_s = now - record.wait_since;
  }
  if (record.namespace_ != 0 && record.namespace_ == own_namespace()) {
    report.state = state_of_process(report.process);
  }
  return report;
}

std::vector<RankReport> reports_of_node() {
  const double now = core::seconds_now();
  std::vector<RankReport> reports;
  for (std::size_t k = 0; k < table().count; ++k) {
    const auto& record = table().records[k];
    if (record.process != 0) reports.push_back(report_of(record, now));
  }
  return reports;
}

void set_remote_reports(RemoteReports far) {
  const std::scoped_lock lock(remote_source().mutex);
  remote_source().reports = std::move(far);
}

std::vector<RankReport> all_reports() {
  auto all = reports_of_node();
  const std::scoped_lock lock(remote_source().mutex);
  if (!remote_source().reports) return all;
  for (auto& one : remote_source().reports()) all.push_back(std::move(one));
  return all;
}

void initialize_own_record(int rank) {
  auto& record = own_record();
  record.host.set(core::host_name());
  record.rank = rank;
  record.namespace_ = own_namespace();
  record.seen = core::seconds_now();
  record.phase_since = record.seen.load();
  record.process = getpid();
}

void set_record_device(std::string_view device) { own_record().device.set(device); }
void set_record_message(std::string_view words) { own_record().last_message.set(words); }
void set_record_work(std::uint64_t work) {
  auto& record = own_record();
  record.work = work;
  record.phases = 0;
}

core::Suspect own_suspect() {
  const auto& record = own_record();
  return {record.rank, core::host_name(), record.device.get()};
}

}  // namespace nfold::comm
