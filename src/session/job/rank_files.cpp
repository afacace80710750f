// Rank records of a node as JSON, and the thread that writes them.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/job/rank_files.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <iterator>
#include <mutex>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <system_error>
#include <thread>

namespace nfold::job {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::json;

constexpr std::chrono::seconds pause{4};

fs::path rank_file_path(const fs::path& prefix, int first_rank) {
  return prefix.string() + "-" + std::to_string(first_rank) + ".json";
}

/// Calls `visit` with the key and the value of each field. Report: const or not.
template <class Report, class Visit>
void each_field(Report& one, const Visit& visit) {
  visit("rank", one.rank);
  visit("process", one.process);
  visit("step", one.step);
  visit("phases", one.phases);
  visit("work", one.work);
  visit("host", one.host);
  visit("device", one.device);
  visit("phase", one.phase);
  visit("last_words", one.last_message);
  visit("call", one.call);
  visit("waits_for_device", one.waits_for_device);
  visit("has_ended", one.has_ended);
  visit("in_phase_s", one.in_phase_s);
  visit("waits_s", one.waits_s);
  visit("unseen_s", one.unseen_s);
  visit("state", one.state);
}

Json report_json(const comm::RankReport& one) {
  Json json;
  each_field(one, [&json](const char* name, const auto& field) { json[name] = field; });
  return json;
}

comm::RankReport to_report(const Json& json, double age_s) {
  comm::RankReport one;
  each_field(one, [&json](const char* name, auto& field) { json.at(name).get_to(field); });
  for (double* const seconds : {&one.in_phase_s, &one.waits_s, &one.unseen_s}) *seconds += age_s;
  return one;
}

}  // namespace

void write_rank_file(const fs::path& file) {
  Json ranks = Json::array();
  for (const auto& one : comm::reports_of_node()) ranks.push_back(report_json(one));
  std::error_code error;
  if (fs::is_symlink(fs::symlink_status(file, error))) return;  // another program's link
  std::ofstream stream(file);
  // The last message may be cut within a multi-byte character.
  stream << ranks.dump(1, ' ', false, Json::error_handler_t::replace) << '\n';
}

std::vector<comm::RankReport> read_rank_file(const fs::path& file, fs::file_time_type newest) {
  std::ifstream stream(file);
  std::error_code error;
  const auto written = fs::last_write_time(file, error);
  if (!stream || error) return {};
  const double age_s = std::max(0.0, std::chrono::duration<double>(newest - written).count());
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  std::vector<comm::RankReport> reports;
  try {
    for (const auto& one : Json::parse(text)) reports.push_back(to_report(one, age_s));
  } catch (const Json::exception&) {
    return {};
  }
  return reports;
}

struct RankFiles::State {
  fs::path own_file;
  bool writes = false;
  std::vector<fs::path> others;
  std::mutex mutex;
  std::condition_variable changed;
  bool is_done = false;
  std::thread thread;

  void write_now_and_then() {
    std::unique_lock lock(mutex);
    do {
      write_rank_file(own_file);
    } while (!changed.wait_for(lock, pause, [this] { return is_done; }));
  }
  /// Ages are differences of file times: clocks of nodes may differ, the file system has one clock.
  [[nodiscard]] std::vector<comm::RankReport> read_others() const {
    std::error_code error;
    auto newest = fs::last_write_time(own_file, error);
    if (error) newest = fs::file_time_type::min();
    for (const auto& file : others) {
      const auto written = fs::last_write_time(file, error);
      if (!error) newest = std::max(newest, written);
    }
    std::vector<comm::RankReport> all;
    for (const auto& file : others) {
      const auto some = read_rank_file(file, newest);
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }
};

RankFiles::RankFiles(const comm::Communicator& communicator, const fs::path& prefix) {
  const auto place = communicator.node_position();
  auto firsts = communicator.all_gather(std::span<const int>(&place.first, 1));
  std::sort(firsts.begin(), firsts.end());
  firsts.erase(std::unique(firsts.begin(), firsts.end()), firsts.end());
  if (firsts.size() > 1) begin(prefix, firsts, place.first, place.rank == 0);
}

RankFiles::RankFiles(const fs::path& prefix, const std::vector<int>& firsts, int own, bool writes) {
  begin(prefix, firsts, own, writes);
}

void RankFiles::begin(const fs::path& prefix, const std::vector<int>& firsts, int own,
                      bool writes) {
  state_ = std::make_unique<State>();
  state_->own_file = rank_file_path(prefix, own);
  state_->writes = writes;
  for (const int first : firsts) {
    if (first != own) state_->others.push_back(rank_file_path(prefix, first));
  }
  if (writes) state_->thread = std::thread([state = state_.get()] { state->write_now_and_then(); });
  comm::set_remote_reports([state = state_.get()] { return state->read_others(); });
}

RankFiles::~RankFiles() {
  if (!state_) return;
  comm::set_remote_reports({});
  if (!state_->writes) return;
  {
    const std::scoped_lock lock(state_->mutex);
    state_->is_done = true;
  }
  state_->changed.notify_one();
  state_->thread.join();
  std::error_code ignored;
  fs::remove(state_->own_file, ignored);
}

}  // namespace nfold::job
