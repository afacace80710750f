// Loop of attempts of the supervisor.
// SPDX-License-Identifier: BSD-3-Clause

#include "supervise/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "core/clock.hpp"
#include "core/read_text.hpp"
#include "core/refusal.hpp"
#include "core/signals.hpp"
#include "core/status/output_paths.hpp"
#include "core/text.hpp"
#include "core/utc.hpp"
#include "supervise/child_process.hpp"
#include "supervise/incident.hpp"
#include "supervise/machine.hpp"
#include "supervise/watch.hpp"

namespace nfold::supervise {
namespace fs = std::filesystem;
namespace {

void print_message(const std::string& text) {
  const std::string line = "launch: " + text + "\n";
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
}

/// Returns the time of the last write. None if there is no file.
std::optional<fs::file_time_type> write_time(const fs::path& file) {
  std::error_code error;
  const auto time = fs::last_write_time(file, error);
  return error ? std::nullopt : std::optional(time);
}

bool resumes_from_file(const WatchedCommand& command) {
  return !command.resume.empty() && command.resume != "auto" && command.resume != "never";
}

/// Returns a random identifier of an attempt.
std::string new_attempt_id() {
  std::random_device bits;
  return fmt::format("{:08x}{:08x}", bits(), bits());
}

class Launch {
 public:
  Launch(const WatchedCommand& command, const LaunchOptions& options)
      : command_(command),
        options_(options),
        paths_{command.folder, command.name},
        input_text_(core::read_text(command.input)),
        given_(current_allocation()),
        launcher_(find_launcher(options.launcher, given_)),
        checkpoint_before_(write_time(paths_.checkpoint())),
        incidents_(paths_.incidents(), paths_.status()) {}

  core::ExitCode run() {
    update_health();
    while (true) {
      const auto placement = place_ranks(options_.ranks, given_, health_, excluded_);
      if (placement.nodes.empty()) {
        print_message("no fit GPU is left: " + describe_unfit(health_));
        return end_failed();
      }
      require_launcher(placement);
      const Attempt attempt = try_once(placement);
      const Outcome outcome = classify(attempt);
      if (core::to_exit_code(outcome) != core::ExitCode::failed) {
        if (attempt.was_ended()) {
          incidents_.add(incident_of(attempt, Outcome::hang));
          report_incident("ended: woken, its ranks came to their end");
        }
        return end(outcome);
      }
      if (core::stop_signal() != 0) {
        print_message(
            "it ended before it could write its last checkpoint; the same command goes on from the "
            "one before");
        return core::ExitCode::stopped_early;
      }
      const auto decision = respond(attempt, outcome);
      if (decision.what == Decision::What::requeue) return ask_for_requeue(decision);
      if (decision.what == Decision::What::end) return end_failed();
      if (!pause(decision.pause_seconds)) return core::ExitCode::stopped_early;
      if (command_.time_limit_seconds > 0 && seconds_left() <= 0) {
        print_message("the time limit came between two attempts; the same command goes on");
        return core::ExitCode::stopped_early;
      }
    }
  }

 private:
  void require_launcher(const Placement& placement) const {
    if (!launcher_.words.empty() || placement.ranks() == 1) return;
    core::refuse("nfold launch", "finds neither mpirun nor srun in PATH",
                 "load an MPI, or name one by --launcher");
  }

  [[nodiscard]] bool has_device_test() const {
    return options_.uses_gpus || !options_.devices_command.empty();
  }
  /// Tests the devices, updates health_ and describes the result.
  std::string update_health() {
    if (!has_device_test()) return "";
    auto found = test_devices(options_.devices_command, launcher_, given_);
    if (!found) return "they cannot be tested here";
    health_ = std::move(*found);
    const auto unfit = describe_unfit(health_);
    if (!unfit.empty() && incidents_.all().empty()) print_message(unfit + "; left out");
    return unfit.empty() ? "none is unfit" : unfit;
  }

  Attempt try_once(const Placement& placement) {
    const bool uses_folder_input =
        has_folder_ && !command_.is_batch && core::read_text(command_.input) != input_text_;
    auto words = uses_folder_input ? folder_resume_arguments(command_, has_own_checkpoint())
                                   : resume_arguments(command_, has_folder_, has_own_checkpoint());
    if (!incidents_.all().empty() && command_.time_limit_seconds > 0) {
      words = with_time_left(std::move(words), seconds_left());
    }
    print_message(fmt::format("{}: nfold {}", placement.describe(), fmt::join(words, " ")));
    words.insert(words.begin(), this_program());
    const auto mark = new_attempt_id();
    words.push_back("--attempt=" + mark);
    const auto start = start_command(launcher_, placement, words, host_info(given_));
    monitor_ = std::make_unique<HeartbeatMonitor>(
        WatchedFolder{paths_.status(), command_.folder, command_.is_batch, mark},
        core::seconds_now());
    const WatchRules rules{options_.heartbeat_limit_seconds, [this] { record_recovery(); },
                           print_message};
    Attempt attempt = watch(start, *monitor_, rules);
    ended_s_ = core::seconds_now();
    has_folder_ = has_folder_ || attempt.status.has_value();
    return attempt;
  }

  [[nodiscard]] double seconds_left() const {
    return command_.time_limit_seconds - (core::seconds_now() - began_s_);
  }
  [[nodiscard]] bool has_own_checkpoint() const {
    return write_time(paths_.checkpoint()) != checkpoint_before_;
  }

  /// Classifies an attempt. A further one may fail because of files or processes of the one before.
  [[nodiscard]] Outcome classify(const Attempt& attempt) const {
    const auto outcome = classify_attempt(attempt);
    const bool is_first = incidents_.all().empty();
    if (outcome == Outcome::folder_in_use) return is_first ? Outcome::wrong_input : Outcome::crash;
    if (outcome == Outcome::already_done) return is_first ? Outcome::wrong_input : Outcome::done;
    return outcome;
  }

  [[nodiscard]] Incident incident_of(const Attempt& attempt, Outcome outcome) const {
    Incident incident;
    incident.time = core::utc(std::time(nullptr));
    incident.outcome = outcome;
    incident.suspect = find_suspect(attempt);
    incident.details = describe_cause(attempt, outcome);
    const auto& lines = attempt.words.last_lines;
    incident.last_words.assign(lines.begin(), lines.end());
    incident.step = monitor_->progress();
    return incident;
  }

  /// Completes the last incident, prints and writes it.
  void report_incident(const std::string& done) {
    incidents_.last()->done = done;
    for (const auto& line : describe(*incidents_.last())) print_message(line);
    write_incidents();
  }

  Decision respond(const Attempt& attempt, Outcome outcome) {
    incidents_.add(incident_of(attempt, outcome));
    incidents_.last()->devices = update_health();
    auto decision = decide(incidents_.all(), machine_now(), options_.limits);
    excluded_.add(decision.leave);
    if (monitor_->first_new_step_at() || !furthest_) furthest_ = std::move(monitor_);
    report_incident(describe_action(decision));
    return decision;
  }

  [[nodiscard]] MachineState machine_now() const {
    MachineState now;
    now.nodes = static_cast<int>(std::max<std::size_t>(1, given_.nodes.size()));
    now.can_requeue = given_.scheduler == Scheduler::slurm && now.nodes > 1;
    for (const auto& node : health_) {
      bool is_sick = false;
      for (const auto& gpu : node.gpus) {
        if (excluded_.has_device(gpu.uuid)) continue;
        if (gpu.is_unfit()) {
          now.unfit.push_back(gpu.uuid);
          is_sick = true;
        } else {
          ++now.fit_devices;
        }
      }
      if (is_sick) now.sick_hosts.push_back(node.host);
    }
    return now;
  }

  [[nodiscard]] static std::string describe_action(const Decision& decision) {
    std::string text = decision.why;
    if (!decision.leave.devices.empty()) {
      text += fmt::format("; without {}", fmt::join(decision.leave.devices, ", "));
    }
    if (decision.what != Decision::What::go_on) return "ended: " + text;
    if (!decision.leave.hosts.empty()) {
      text += fmt::format("; without {}", fmt::join(decision.leave.hosts, ", "));
    }
    return fmt::format("going on from the last checkpoint in {:.3g} s ({})", decision.pause_seconds,
                       text);
  }

  void record_recovery() {
    auto* const incident = incidents_.last();
    if (incident == nullptr || incident->recovery || !furthest_) return;
    const double now_s = core::seconds_now();
    incident->recovery = {monitor_->first_step(), monitor_->loss_since(*furthest_, now_s),
                          now_s - ended_before_s_};
    print_message(describe(*incident->recovery));
    write_incidents();
  }

  void write_incidents() {
    const auto problem = incidents_.write();
    if (!problem.empty() && !has_reported_file_error_) print_message(problem);
    has_reported_file_error_ = !problem.empty();
  }

  /// Waits before the next attempt. Returns false if a signal arrived.
  bool pause(double seconds) {
    ended_before_s_ = ended_s_;
    const double until_s = core::seconds_now() + seconds;
    while (core::seconds_now() < until_s && core::stop_signal() == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    if (core::stop_signal() == 0) return true;
    print_message(fmt::format("{} between two attempts; the same command goes on",
                              core::signal_name(core::stop_signal())));
    return false;
  }

  core::ExitCode ask_for_requeue(const Decision& decision) {
    const auto hosts = fmt::format("{}", fmt::join(decision.leave.hosts, ","));
    print_message(
        fmt::format("queue the job again without {0}: scontrol update JobId=$SLURM_JOB_ID "
                    "ExcNodeList={0}; scontrol requeue $SLURM_JOB_ID",
                    hosts));
    write_sick_nodes(decision.leave.hosts);
    return core::ExitCode::stopped_early;
  }

  /// Adds hosts to the file for the job script.
  void write_sick_nodes(const std::vector<std::string>& hosts) const {
    if (options_.sick_nodes.empty() || hosts.empty()) return;
    std::set<std::string> all(hosts.begin(), hosts.end());
    std::ifstream before(options_.sick_nodes);
    for (std::string host; before >> host;) all.insert(host);
    std::ofstream file(options_.sick_nodes);
    for (const auto& host : all) file << host << '\n';
    if (!file.flush()) print_message(options_.sick_nodes.string() + " cannot be written");
  }

  /// Returns the hosts with an unfit GPU, by their names in the scheduler.
  [[nodiscard]] std::vector<std::string> sick_nodes() const {
    std::vector<std::string> hosts;
    for (const auto& node : health_) {
      const bool is_sick = std::ranges::any_of(node.gpus, &GpuHealth::is_unfit);
      if (is_sick) hosts.push_back(given_.nodes.size() == 1 ? given_.nodes[0].host : node.host);
    }
    return hosts;
  }

  core::ExitCode end(Outcome outcome) {
    const auto code = core::to_exit_code(outcome);
    if (incidents_.all().empty()) return code;
    write_incidents();
    print_message(fmt::format("{} after {}; {}", outcome_name(outcome),
                              core::pluralise(incidents_.count(), "incident"),
                              incidents_.path().string()));
    return code;
  }
  core::ExitCode end_failed() {
    write_incidents();
    write_sick_nodes(sick_nodes());
    print_message(
        fmt::format("given up; once the reason is gone the same command goes on from the last "
                    "checkpoint in {}",
                    command_.folder.string()));
    return core::ExitCode::failed;
  }

  const WatchedCommand& command_;
  const LaunchOptions& options_;
  status::OutputPaths paths_;
  std::optional<std::string> input_text_;  // content of the input file at the start
  Allocation given_;
  Launcher launcher_;
  std::optional<fs::file_time_type> checkpoint_before_;
  IncidentFile incidents_;
  std::vector<NodeHealth> health_;
  ExcludedResources excluded_;
  std::unique_ptr<HeartbeatMonitor> monitor_;
  std::unique_ptr<HeartbeatMonitor> furthest_;  // last attempt that made a step
  bool has_folder_ = false, has_reported_file_error_ = false;
  double began_s_ = core::seconds_now(), ended_s_ = 0, ended_before_s_ = 0;
};

}  // namespace

std::vector<std::string> resume_arguments(const WatchedCommand& command, bool has_folder,
                                          bool has_checkpoint) {
  const bool drops_resume = resumes_from_file(command) ? has_checkpoint : has_folder;
  std::vector<std::string> words;
  bool drops_next = false;
  for (const auto& word : command.words) {
    const bool is_value = drops_next && !word.starts_with("-");
    drops_next = false;
    if (is_value) continue;
    if (has_folder && word == "--overwrite") continue;
    if (drops_resume && (word == "--resume" || word.starts_with("--resume="))) {
      drops_next = word == "--resume";
      continue;
    }
    words.push_back(word);
  }
  return words;
}

std::vector<std::string> folder_resume_arguments(const WatchedCommand& command,
                                                 bool has_checkpoint) {
  const status::OutputPaths paths{command.folder, command.name};
  std::vector<std::string> words{"run", paths.input().string(), "--output",
                                 command.folder.string()};
  words.insert(words.end(), command.options.begin(), command.options.end());
  if (resumes_from_file(command) && !has_checkpoint) words.push_back("--resume=" + command.resume);
  return words;
}

std::vector<std::string> with_time_left(std::vector<std::string> words, double seconds) {
  const auto left = fmt::format("{:.0f}s", std::max(1.0, seconds));
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (words[k] == "--time-limit" && k + 1 < words.size()) words[k + 1] = left;
    if (words[k].starts_with("--time-limit=")) words[k] = "--time-limit=" + left;
  }
  return words;
}

core::ExitCode launch(const WatchedCommand& command, const LaunchOptions& options) {
  core::catch_stop_signals();
  adopt_orphans();
  return Launch(command, options).run();
}

}  // namespace nfold::supervise
