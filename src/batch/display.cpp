// Progress from the rows of a batch's tables, and its drawing.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/display.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <optional>
#include <set>
#include <utility>

#include "core/clock.hpp"
#include "core/csv.hpp"
#include "core/document/scalars.hpp"
#include "core/periodic_thread.hpp"
#include "core/status/status_file.hpp"
#include "core/telemetry/progress.hpp"
#include "device/hardware/device_readings.hpp"
#include "session/ensemble/folding_protocol.hpp"

namespace nfold::batch {
namespace {

constexpr std::chrono::seconds tick{1};
constexpr double seconds_between_starts = 10;

std::vector<std::string> read_rows(const std::filesystem::path& table) {
  std::vector<std::string> rows;
  std::ifstream file(table);
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) rows.push_back(line);
  return rows;
}

/// Returns the fraction of a target that is done, from 0 to 1.
double done_fraction(const BatchProgress::Running& running) {
  const double of_stage =
      running.steps > 0 ? static_cast<double>(running.step) / static_cast<double>(running.steps)
                        : 0;
  double before = 0;
  for (const auto stage : ensemble::all_stages) {
    const double share = ensemble::stage_share(stage);
    if (running.stage == ensemble::stage_name(stage)) return before + share * of_stage;
    before += share;
  }
  return of_stage;
}

/// Returns the fraction of the estimated cost that is done, or of the targets without estimates.
double done_fraction(const BatchProgress& moment) {
  const auto share = [](double part, double all) { return all > 0 ? part / all : 1; };
  if (moment.done + moment.failed >= moment.targets) return 1;
  if (moment.cost_all > 0) return share(moment.cost_done, moment.cost_all);
  return share(static_cast<double>(moment.done + moment.failed),
               static_cast<double>(moment.targets));
}

std::string describe_result(const ResultRow& row) {
  std::string text = row.get("target") + ": " + row.get("verdict");
  const auto add = [&](const char* column, const char* format, double unit = 1) {
    const auto value = document::to_real(row.get(column));
    if (value) text += fmt::format(fmt::runtime(format), *value / unit);
  };
  add("radius_of_gyration_nm", ", Rg {:.3f} nm");
  add("folded_fraction", ", {:.0f} % of the replicas", 0.01);
  add("mean_folding_time_ns", ", in {:.3g} ns");
  add("folding_temperature_kelvin", ", Tf {:.1f} K");
  add("barrier_kt", ", barrier {:.2f} kT");
  const auto free_energy = row.get("free_energy");
  return free_energy.empty() ? text : text + ", free energy " + free_energy;
}

/// Returns a line on a running target. Its step is known once there is a checkpoint.
std::string describe_running(const BatchProgress::Running& one) {
  std::string text = fmt::format("rank {}: {}, {}", one.rank, one.target, one.stage);
  if (one.step > 0) return text + fmt::format(", step {} of {}", one.step, one.steps);
  return one.steps > 0 ? text + fmt::format(", {} steps", one.steps) : text;
}

}  // namespace

std::string progress_line(const BatchProgress& m) {
  std::set<std::string> targets;
  std::set<int> ranks;
  for (const auto& one : m.running) {
    targets.insert(one.target);
    ranks.insert(one.rank);
  }
  const auto at_work = static_cast<std::int64_t>(targets.size());
  std::string text = fmt::format(
      "{} of {} done, {} failed, {} running, {} waiting, {} of {} ranks busy", m.done, m.targets,
      m.failed, at_work, std::max<std::int64_t>(0, m.targets - m.done - m.failed - at_work),
      std::min<std::int64_t>(static_cast<std::int64_t>(ranks.size()), m.ranks), m.ranks);
  const bool ended = m.done + m.failed >= m.targets;
  if (!ended && m.cost_done > 0 && m.cost_all > m.cost_done) {
    const double left = m.elapsed_seconds * (m.cost_all - m.cost_done) / m.cost_done;
    text += ", ETA " + telemetry::format_duration(left);
  }
  if (!m.devices.empty()) text += "; " + telemetry::device_line(m.devices, "targets");
  return text;
}

std::string progress_screen(const BatchProgress& moment, int width) {
  const auto columns = static_cast<std::size_t>(std::max(0, width - 1));
  const auto bar_columns = std::min<std::size_t>(20, columns / 4);
  std::string text =
      telemetry::bar(done_fraction(moment), bar_columns) + " " + progress_line(moment);
  text.resize(std::min(text.size(), columns));
  constexpr std::size_t most_lines = 16;
  for (std::size_t k = 0; k < std::min(most_lines, moment.running.size()); ++k) {
    const auto& running = moment.running[k];
    auto line =
        telemetry::bar(done_fraction(running), bar_columns) + " " + describe_running(running);
    line.resize(std::min(line.size(), columns));
    text += "\n" + line;
  }
  if (moment.running.size() > most_lines) {
    text += fmt::format("\nand {} more", moment.running.size() - most_lines);
  }
  for (const auto& line : telemetry::device_screen(moment.devices, "targets", columns)) {
    text += "\n" + line;
  }
  return text;
}

std::vector<std::string> log_lines(const BatchProgress& moment) {
  auto counts = moment;
  counts.devices.clear();
  std::vector<std::string> lines{progress_line(counts)};
  for (const auto& one : moment.running) lines.push_back(describe_running(one));
  for (const auto& device : moment.devices) {
    lines.push_back(telemetry::describe_device(device, "targets"));
  }
  return lines;
}

struct BatchDisplay::State {
  State(Plan plan_in, bool quiet, std::function<void(const std::string&)> log_in)
      : plan(std::move(plan_in)),
        log(std::move(log_in)),
        display(std::cout, telemetry::progress_style(quiet), core::seconds_now, log),
        results_seen(read_rows(plan.folder.results()).size()),
        failures_seen(read_rows(plan.folder.failed()).size()) {
    int rank = 0;
    for (const auto& gpu : plan.gpus) {
      if (!gpu.empty()) devices.emplace_back(rank, hardware::DeviceReadings(gpu));
      ++rank;
    }
    thread.emplace(tick, core::PeriodicThread::FirstCall::after_interval, [this] { update(); });
  }
  ~State() {
    thread.reset();
    print_ended_targets();
    log_starts();
    display.finish(now());
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void update() {
    print_ended_targets();
    if (core::seconds_now() >= next_starts_s) {
      log_starts();
      next_starts_s = core::seconds_now() + seconds_between_starts;
    }
    if (display.due()) display.update(now());
  }

  /// Logs each target that this job starts: "rank 2 on node1 takes 1ubq".
  void log_starts() {
    for (const auto& line : read_rows(plan.folder.running())) {
      const auto row = core::split_csv_row(line);
      if (row.size() < 11 || row[1] != plan.job || row[2] != "start") continue;
      if (!takers.emplace(row[8], row[3]).second) continue;
      log(fmt::format("rank {} on {} takes {}", row[8], row[9], row[3]));
    }
  }
  void print_ended_targets() {
    const auto results = read_rows(plan.folder.results());
    for (; results_seen < results.size(); ++results_seen) {
      if (const auto row = ResultRow::parse(results[results_seen], plan.columns)) {
        ++done;
        cost_done += plan.cost[row->get("target")];
        display.message(describe_result(*row));
      }
    }
    const auto failures = read_rows(plan.folder.failed());
    for (; failures_seen < failures.size(); ++failures_seen) {
      const auto row = core::split_csv_row(failures[failures_seen]);
      if (row.size() < 3) continue;
      ++failed;
      cost_done += plan.cost[row[0]];
      display.message(row[0] + ": failed: " + row[2]);
    }
  }

  [[nodiscard]] BatchProgress now() {
    BatchProgress moment;
    moment.targets = plan.targets;
    moment.done = plan.done + done;
    moment.failed = plan.failed + failed;
    moment.ranks = plan.ranks;
    moment.elapsed_seconds = core::seconds_now() - began_s;
    moment.cost_done = cost_done;
    for (const auto& [name, cost] : plan.cost) moment.cost_all += cost;
    AtWork at_work;
    std::map<int, std::int64_t> ended_on;  // by rank
    for (const auto& line : read_rows(plan.folder.running())) {
      const auto row = core::split_csv_row(line);
      if (row.size() < 11 || row[1] != plan.job) continue;
      const std::pair key{std::atoi(row[8].c_str()), row[3]};
      if (row[2] != "start") {
        // One rank writes the row for the whole group.
        std::erase_if(at_work, [&](const auto& one) { return one.first.second == row[3]; });
        if (row[2] == "end") ++ended_on[key.first];
        continue;
      }
      BatchProgress::Running running{key.first, row[3], row[5], std::atoll(row[6].c_str()), 0};
      const auto stage = plan.folder.attempt(row[3], std::atoi(row[4].c_str())) / row[5];
      if (const auto status = status::read_status(stage / (row[5] + ".status"))) {
        running.step = status->step;
        running.steps = status->steps;
      }
      at_work[key] = running;
    }
    for (auto& [rank, device] : devices) {
      auto reading = device.sample();
      if (!reading.memory_used_bytes && !reading.use) continue;  // GPU of another node
      reading.name = fmt::format("rank {}", rank);
      reading.part = ended_on[rank];
      reading.of = plan.targets;
      reading.progress = progress_on(rank, at_work);
      moment.devices.push_back(std::move(reading));
    }
    std::set<std::string> counted;
    for (const auto& [key, running] : at_work) {
      moment.running.push_back(running);
      const auto cost = plan.cost.find(running.target);
      if (cost == plan.cost.end() || !counted.insert(running.target).second) continue;
      moment.cost_done += cost->second * done_fraction(running);
    }
    return moment;
  }

  using AtWork = std::map<std::pair<int, std::string>, BatchProgress::Running>;
  static std::optional<double> progress_on(int rank, const AtWork& at_work) {
    const auto found = at_work.lower_bound({rank, ""});
    if (found == at_work.end() || found->first.first != rank) return std::nullopt;
    return done_fraction(found->second);
  }

  Plan plan;
  std::function<void(const std::string&)> log;
  std::set<std::pair<std::string, std::string>> takers;           // (rank, target)
  std::vector<std::pair<int, hardware::DeviceReadings>> devices;  // (rank, GPU)
  telemetry::ProgressDisplay display;
  std::size_t results_seen, failures_seen;
  std::int64_t done = 0, failed = 0;
  double cost_done = 0;
  double began_s = core::seconds_now(), next_starts_s = began_s;
  std::optional<core::PeriodicThread> thread;
};

BatchDisplay::BatchDisplay(Plan plan, bool quiet, std::function<void(const std::string&)> log)
    : state_(std::make_unique<State>(std::move(plan), quiet, std::move(log))) {}
BatchDisplay::~BatchDisplay() = default;

}  // namespace nfold::batch
