// Loop of attempts of the supervisor.
// SPDX-License-Identifier: BSD-3-Clause

#include "launch/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "job/output_paths.hpp"
#include "job/refusal.hpp"
#include "job/signals.hpp"
#include "job/utc.hpp"
#include "launch/child_process.hpp"
#include "launch/incident.hpp"
#include "launch/machine.hpp"
#include "launch/watch.hpp"

namespace nfold::launch {
namespace fs = std::filesystem;
namespace {

void say(const std::string& text) {
  const std::string line = "launch: " + text + "\n";
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
}

/// Returns the exit code for outcomes that end launch. None for failures.
std::optional<job::ExitCode> final_code(Ending ending) {
  switch (ending) {
    case Ending::done:
      return job::ExitCode::done;
    case Ending::wrong_input:
      return job::ExitCode::wrong_input;
    case Ending::partly_failed:
      return job::ExitCode::partly_failed;
    case Ending::stopped:
      return job::ExitCode::stopped_early;
    default:
      return std::nullopt;
  }
}

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

/// Returns the time of the last write. None if there is no file.
std::optional<fs::file_time_type> time_of(const fs::path& file) {
  std::error_code error;
  const auto time = fs::last_write_time(file, error);
  return error ? std::nullopt : std::optional(time);
}

bool resumes_from_file(const WatchedCommand& command) {
  return !command.resume.empty() && command.resume != "auto" && command.resume != "never";
}

/// Reads a file. Empty if there is none.
std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// Returns a random identifier of an attempt.
std::string new_mark() {
  std::random_device bits;
  return fmt::format("{:08x}{:08x}", bits(), bits());
}

class Launch {
 public:
  Launch(const WatchedCommand& command, const LaunchOptions& options)
      : command_(command),
        options_(options),
        paths_{command.folder, command.name},
        input_text_(text_of(command.input)),
        given_(allocation_here()),
        launcher_(find_launcher(options.launcher, given_)),
        checkpoint_before_(time_of(paths_.checkpoint())),
        incidents_(paths_.incidents(), paths_.status()) {}

  job::ExitCode run() {
    test_devices_of_all();
    while (true) {
      const auto placement = place(options_.ranks, given_, health_, left_out_);
      if (placement.nodes.empty()) {
        say("no fit GPU is left: " + unfit_in_words(health_));
        return end_failed();
      }
      require_launcher(placement);
      const Attempt attempt = try_once(placement);
      const Ending ending = judge(attempt);
      if (const auto code = final_code(ending)) {
        if (attempt.was_ended) {
          keep(incident_of(attempt, Ending::hang), "ended: woken, its ranks came to their end");
        }
        return end(*code, attempt);
      }
      if (job::stop_signal() != 0) {
        say("it ended before it could write its last checkpoint; the same command goes on from the "
            "one before");
        return job::ExitCode::stopped_early;
      }
      const auto decision = respond(attempt, ending);
      if (decision.what == Decision::What::requeue) return ask_for_requeue(decision);
      if (decision.what == Decision::What::end) return end_failed();
      if (!pause(decision.pause_seconds)) return job::ExitCode::stopped_early;
      if (command_.time_limit_seconds > 0 && seconds_left() <= 0) {
        say("the time limit came between two attempts; the same command goes on");
        return job::ExitCode::stopped_early;
      }
    }
  }

 private:
  void require_launcher(const Placement& placement) const {
    if (!launcher_.words.empty() || placement.ranks() == 1) return;
    job::refuse("nfold launch", "finds neither mpirun nor srun in PATH",
                "load an MPI, or name one by --launcher");
  }

  [[nodiscard]] bool has_device_test() const {
    return options_.uses_gpus || !options_.devices_command.empty();
  }
  /// Tests the devices, updates health_ and describes the result.
  std::string test_devices_of_all() {
    if (!has_device_test()) return "";
    auto found = test_devices(options_.devices_command, launcher_, given_);
    if (!found) return "they cannot be tested here";
    health_ = std::move(*found);
    const auto unfit = unfit_in_words(health_);
    if (!unfit.empty() && history_.empty()) say(unfit + "; left out");
    return unfit.empty() ? "none is unfit" : unfit;
  }

  Attempt try_once(const Placement& placement) {
    const bool goes_by_folder =
        has_folder_ && !command_.is_batch && text_of(command_.input) != input_text_;
    auto words = goes_by_folder ? words_to_go_on_in_folder(command_, has_own_checkpoint())
                                : words_to_go_on(command_, has_folder_, has_own_checkpoint());
    if (!history_.empty() && command_.time_limit_seconds > 0) {
      words = with_time_left(std::move(words), seconds_left());
    }
    say(fmt::format("{}: nfold {}", placement.in_words(), fmt::join(words, " ")));
    words.insert(words.begin(), this_program());
    const auto mark = new_mark();
    words.push_back("--attempt=" + mark);
    const auto start = start_command(launcher_, placement, words, here(given_));
    pulse_ = std::make_unique<Pulse>(
        WatchedFolder{paths_.status(), command_.folder, command_.is_batch, mark}, seconds_now());
    const WatchRules rules{options_.heartbeat_limit_seconds, [this] { tell_recovery(); }, say};
    Attempt attempt = watch(start, *pulse_, rules);
    ended_s_ = seconds_now();
    has_folder_ = has_folder_ || attempt.status.has_value();
    return attempt;
  }

  [[nodiscard]] double seconds_left() const {
    return command_.time_limit_seconds - (seconds_now() - began_s_);
  }
  [[nodiscard]] bool has_own_checkpoint() const {
    return time_of(paths_.checkpoint()) != checkpoint_before_;
  }

  /// Classifies an attempt. A further one may fail because of files or processes of the one before.
  [[nodiscard]] Ending judge(const Attempt& attempt) const {
    const auto ending = ending_of(attempt);
    if (ending != Ending::wrong_input || history_.empty()) return ending;
    const auto& error = attempt.words.error;
    if (contains(error, "another nfold is writing")) return Ending::crash;
    return contains(error, "holds a finished run") ? Ending::done : ending;
  }

  [[nodiscard]] Incident incident_of(const Attempt& attempt, Ending ending) const {
    Incident incident;
    incident.when = job::utc(std::time(nullptr));
    incident.ending = ending;
    incident.culprit = culprit_of(attempt);
    incident.seen = seen_in(attempt, ending);
    const auto& lines = attempt.words.last_lines;
    incident.last_words.assign(lines.begin(), lines.end());
    incident.step = pulse_->progress();
    return incident;
  }

  void keep(Incident incident, const std::string& done) {
    incident.done = done;
    incidents_.add(std::move(incident));
    for (const auto& line : in_words(*incidents_.last())) say(line);
    write_incidents();
  }

  Decision respond(const Attempt& attempt, Ending ending) {
    Incident incident = incident_of(attempt, ending);
    history_.push_back({ending, incident.culprit, incident.step, incident.seen});
    incident.devices = test_devices_of_all();

    auto decision = decide(history_, machine_now(), options_.limits);
    leave_out(decision.leave);
    if (pulse_->first_new_step_at() || !furthest_) furthest_ = std::move(pulse_);
    keep(std::move(incident), done_in_words(decision));
    return decision;
  }

  [[nodiscard]] MachineNow machine_now() const {
    MachineNow now;
    now.nodes = static_cast<int>(std::max<std::size_t>(1, given_.nodes.size()));
    now.can_requeue = given_.scheduler == Scheduler::slurm && now.nodes > 1;
    for (const auto& node : health_) {
      bool is_sick = false;
      for (const auto& gpu : node.gpus) {
        if (left_out_.has_device(gpu.uuid)) continue;
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

  void leave_out(const LeftOut& more) {
    for (const auto& device : more.devices) {
      if (!left_out_.has_device(device)) left_out_.devices.push_back(device);
    }
    for (const auto& host : more.hosts) {
      if (!left_out_.has_host(host)) left_out_.hosts.push_back(host);
    }
  }

  [[nodiscard]] static std::string done_in_words(const Decision& decision) {
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

  void tell_recovery() {
    auto* const incident = incidents_.last();
    if (incident == nullptr || incident->recovery || !furthest_) return;
    const double now_s = seconds_now();
    incident->recovery = {pulse_->first_step(), pulse_->lost_of(*furthest_, now_s),
                          now_s - ended_before_s_};
    say(in_words(*incident->recovery));
    write_incidents();
  }

  void write_incidents() {
    const auto problem = incidents_.write();
    if (!problem.empty() && !has_told_of_file_) say(problem);
    has_told_of_file_ = !problem.empty();
  }

  /// Waits before the next attempt. Returns false if a signal arrived.
  bool pause(double seconds) {
    ended_before_s_ = ended_s_;
    const double until_s = seconds_now() + seconds;
    while (seconds_now() < until_s && job::stop_signal() == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    if (job::stop_signal() == 0) return true;
    say(fmt::format("{} between two attempts; the same command goes on",
                    job::signal_name(job::stop_signal())));
    return false;
  }

  job::ExitCode ask_for_requeue(const Decision& decision) {
    const auto hosts = fmt::format("{}", fmt::join(decision.leave.hosts, ","));
    say(
        fmt::format("queue the job again without {0}: scontrol update JobId=$SLURM_JOB_ID "
                    "ExcNodeList={0}; scontrol requeue $SLURM_JOB_ID",
                    hosts));
    name_sick_nodes(decision.leave.hosts);
    return decision.exit_code;
  }

  /// Adds hosts to the file for the job script.
  void name_sick_nodes(const std::vector<std::string>& hosts) const {
    if (options_.sick_nodes.empty() || hosts.empty()) return;
    std::set<std::string> all(hosts.begin(), hosts.end());
    std::ifstream before(options_.sick_nodes);
    for (std::string host; before >> host;) all.insert(host);
    std::ofstream file(options_.sick_nodes);
    for (const auto& host : all) file << host << '\n';
    if (!file.flush()) say(options_.sick_nodes.string() + " cannot be written");
  }

  /// Returns the hosts with an unfit GPU, by their names in the scheduler.
  [[nodiscard]] std::vector<std::string> sick_nodes() const {
    std::vector<std::string> hosts;
    for (const auto& node : health_) {
      const bool is_sick = std::any_of(node.gpus.begin(), node.gpus.end(),
                                       [](const auto& gpu) { return gpu.is_unfit(); });
      if (is_sick) hosts.push_back(given_.nodes.size() == 1 ? given_.nodes[0].host : node.host);
    }
    return hosts;
  }

  job::ExitCode end(job::ExitCode code, const Attempt& attempt) {
    if (incidents_.count() == 0) return code;
    write_incidents();
    say(fmt::format("{} after {} incident{}; {}",
                    code == job::ExitCode::done ? "done" : name_of(ending_of(attempt)),
                    incidents_.count(), incidents_.count() == 1 ? "" : "s",
                    incidents_.path().string()));
    return code;
  }
  job::ExitCode end_failed() {
    write_incidents();
    name_sick_nodes(sick_nodes());
    say(
        fmt::format("given up; once the reason is gone the same command goes on from the last "
                    "checkpoint in {}",
                    command_.folder.string()));
    return job::ExitCode::failed;
  }

  const WatchedCommand& command_;
  const LaunchOptions& options_;
  job::OutputPaths paths_;
  std::string input_text_;  // content of the input file at the start
  Allocation given_;
  Launcher launcher_;
  std::optional<fs::file_time_type> checkpoint_before_;
  IncidentFile incidents_;
  std::vector<NodeHealth> health_;
  LeftOut left_out_;
  std::vector<Failure> history_;
  std::unique_ptr<Pulse> pulse_;
  std::unique_ptr<Pulse> furthest_;  // last attempt that made a step
  bool has_folder_ = false, has_told_of_file_ = false;
  double began_s_ = seconds_now(), ended_s_ = 0, ended_before_s_ = 0;
};

}  // namespace

std::vector<std::string> words_to_go_on(const WatchedCommand& command, bool has_folder,
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

std::vector<std::string> words_to_go_on_in_folder(const WatchedCommand& command,
                                                  bool has_checkpoint) {
  const job::OutputPaths paths{command.folder, command.name};
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

job::ExitCode launch(const WatchedCommand& command, const LaunchOptions& options) {
  job::catch_stop_signals();
  adopt_orphans();
  return Launch(command, options).run();
}

}  // namespace nfold::launch
