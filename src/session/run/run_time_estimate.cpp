// Speed of the first steps in a child process; its last report before a time limit counts.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/run/run_time_estimate.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "core/telemetry/progress.hpp"
#include "core/text.hpp"
#include "device/compute_environment.hpp"
#include "device/hardware/processor_time.hpp"
#include "estimate/layouts.hpp"
#include "replicas/replica_set.hpp"
#include "session/ensemble/first_replicas.hpp"
#include "session/setup/start_setup.hpp"
#include "session/setup/system_setup.hpp"

namespace nfold::run {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int residues_at_most =
    1'000'000;  // larger systems take longer to set up than a check may
constexpr double limit_seconds = 3, minimiser_seconds = 0.4, warm_up_seconds = 0.15,
                 round_seconds = 0.17, least_block_seconds = 0.01;
constexpr int rounds = 3;
constexpr int residues_side_by_side = 20'000;  // sum over all replicas that are measured together

double elapsed_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Report of the child, sent whenever it knows more; small enough for one atomic write to a pipe.
struct ChildReport {
  MeasuredSpeed speed;
  bool failed = false;
  char reason[400] = "";
};

class SpeedTrial {
 public:
  SpeedTrial(const RunToMeasure& run, int pipe) : run_(run), pipe_(pipe) {}

  void measure() {
    try {
      const comm::Communicator alone;
      const device::ComputeEnvironment compute(alone, run_.threads);
      report_.speed.threads = device::thread_count();
      auto start = minimised_start(alone);
      if (run_.settings.ensemble.is_enabled()) {
        auto replicas = make_replicas(start);
        measure_steps(replicas);
      } else {
        auto engine =
            setup::make_engine(alone, {}, run_.settings, run_.system.topology, std::move(start));
        measure_steps(engine);
      }
    } catch (const std::exception& failure) {
      if (is_cut_short_) return;  // a run would have continued to minimise
      report_.failed = true;
      std::strncpy(report_.reason, failure.what(), sizeof(report_.reason) - 1);
      send_report();
    }
  }

 private:
  void send_report() const {
    // The parent may have reached its limit and closed the pipe; then the report is not needed.
    if (write(pipe_, &report_, sizeof(report_)) != sizeof(report_)) _exit(0);
  }

  system::State minimised_start(const comm::Communicator& alone) {
    const auto& start = run_.settings.start;
    if (start.minimise_steps == 0) return run_.start;
    auto engine = setup::make_engine(alone, {}, run_.settings, run_.system.topology, run_.start);
    std::int64_t steps = 0;
    const auto begin = Clock::now();
    for (std::int64_t block = 1; steps < start.minimise_steps; block *= 2) {
      const auto done = engine.minimise(
          {std::min(block, start.minimise_steps - steps), start.minimise_force_kj_mol_nm});
      steps += done.steps;
      const double taken = elapsed_since(begin);
      if (steps > 0) {
        report_.speed.minimiser_seconds_per_step = taken / static_cast<double>(steps);
        send_report();
      }
      is_cut_short_ = !done.converged && steps < start.minimise_steps;
      if (done.converged || done.steps == 0 || taken > minimiser_seconds) break;
    }
    return engine.owned_state();
  }

  replicas::ReplicaSet make_replicas(const system::State& start) {
    const auto& settings = run_.settings;
    const auto& topology = run_.system.topology;
    const std::int64_t threads = report_.speed.threads;
    const auto replica_capacity =
        std::max<std::int64_t>(threads, residues_side_by_side / topology.residue_count());
    const auto count =
        std::min(settings.ensemble.replicas(), replica_capacity - replica_capacity % threads);
    report_.speed.replicas = count;
    std::vector<std::int64_t> first(static_cast<std::size_t>(count));
    std::iota(first.begin(), first.end(), std::int64_t{0});
    return ensemble::first_replicas(settings, run_.system, start, first);
  }

  template <class Advances>
  void measure_steps(Advances& engine) {
    std::int64_t block = 1;
    const auto begin = Clock::now();
    for (; elapsed_since(begin) < warm_up_seconds; block *= 2) {
      measure_round([&] {
        engine.advance(block);
        return block;
      });
    }
    block = std::max<std::int64_t>(1, block / 8);
    for (int round = 0; round < rounds; ++round) {
      measure_round([&] {
        std::int64_t steps = 0;
        const auto start = Clock::now();
        for (double last = 0; last < round_seconds;) {
          engine.advance(block);
          steps += block;
          const double now = elapsed_since(start);
          if (now - last < least_block_seconds) block *= 2;
          if (now - last > 4 * least_block_seconds) block = std::max<std::int64_t>(1, block / 2);
          last = now;
        }
        return steps;
      });
    }
  }

  /// Times advance(), which returns its steps, and keeps the fastest measurement: other processes
  /// may have disturbed the others.
  template <class Advance>
  void measure_round(const Advance& advance) {
    constexpr double fair_share = 0.8;
    auto& speed = report_.speed;
    const hardware::ProcessTimer timer;
    const double used_before = hardware::processor_seconds();
    const std::int64_t steps = advance();
    const double seconds = timer.seconds(speed.threads == 1);
    const double used = hardware::processor_seconds() - used_before;
    const double each = seconds / static_cast<double>(steps) / static_cast<double>(speed.replicas);
    if (speed.seconds_per_step == 0 || each < speed.seconds_per_step) {
      speed.seconds_per_step = each;
      // Threads that wait for each other keep their cores busy, unless other processes take them.
      speed.is_disturbed = speed.threads > 1 && used < fair_share * speed.threads * seconds;
    }
    speed.measured_seconds += seconds;
    send_report();
  }

  const RunToMeasure& run_;
  int pipe_;
  bool is_cut_short_ = false;  // true if the minimiser was stopped by its time limit
  ChildReport report_;
};

/// Returns the last report of the child before the limit; none if there was none.
std::optional<ChildReport> last_report(int pipe) {
  std::optional<ChildReport> last;
  const auto begin = Clock::now();
  while (true) {
    const double left = limit_seconds - elapsed_since(begin);
    pollfd listens{pipe, POLLIN, 0};
    if (left <= 0 || poll(&listens, 1, static_cast<int>(left * 1000) + 1) <= 0) return last;
    ChildReport report;
    if (read(pipe, &report, sizeof(report)) != static_cast<ssize_t>(sizeof(report))) return last;
    last = report;
  }
}

/// Measures in a child process, which is always killed; it must not run the parent's exit handlers.
std::optional<ChildReport> measure_in_child(const RunToMeasure& run) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    SpeedTrial(run, ends[1]).measure();
    _exit(0);
  }
  close(ends[1]);
  std::optional<ChildReport> report;
  if (child > 0) {
    report = last_report(ends[0]);
    kill(child, SIGKILL);
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  close(ends[0]);
  return report;
}

}  // namespace

std::string describe(const MeasuredSpeed& speed, const input::Settings& settings,
                     std::int64_t steps_done) {
  const std::int64_t steps = settings.dynamics.steps - steps_done;
  const std::int64_t replicas = settings.ensemble.is_enabled() ? settings.ensemble.replicas() : 1;
  const bool begins = steps_done == 0;
  const double minimiser = begins ? speed.minimiser_seconds_per_step *
                                        static_cast<double>(settings.start.minimise_steps) *
                                        static_cast<double>(replicas)
                                  : 0;
  const double dynamics =
      speed.seconds_per_step * static_cast<double>(steps) * static_cast<double>(replicas);
  const std::string of_minimiser = minimiser >= 1
                                       ? fmt::format(", {} of it for the minimiser at most",
                                                     estimate::format_time_span(minimiser))
                                       : "";
  const double all = dynamics + minimiser;
  const bool is_ensemble = settings.ensemble.is_enabled();
  return fmt::format(
      "time here: about {} on 1 rank x {}{} ({}{}{} at {} {}steps/s, measured{} for {:.1f} s, "
      "without output and analysis){}",
      all < 1 ? "less than a second" : estimate::format_time_span(all),
      core::pluralise(speed.threads, "thread"), of_minimiser,
      is_ensemble ? fmt::format("{} replicas x ", replicas) : "", core::pluralise(steps, "step"),
      begins ? "" : " that are left", telemetry::format_count(1 / speed.seconds_per_step),
      is_ensemble ? "replica-" : "", is_ensemble ? fmt::format(" with {}", speed.replicas) : "",
      speed.measured_seconds,
      speed.is_disturbed ? "; with more threads the measure was disturbed" : "");
}

std::string describe_run_time(const RunToMeasure& run) {
  if (run.settings.dynamics.steps <= run.steps_done) return {};
  const auto not_measured = [](const std::string& why) {
    return "time here: not measured, " + why + "; nfold bench INPUT.yaml tells the speed";
  };
  if (replicas::build_processor() == replicas::ReplicaProcessor::gpu) {
    return not_measured("for check needs no GPU");
  }
  if (run.system.topology.residue_count() > residues_at_most) {
    return not_measured("for the system is large");
  }
  auto report = measure_in_child(run);
  if (!report || (!report->failed && report->speed.is_disturbed)) {
    // Threads that wait for each other are slowed down without bound; a single one is not.
    RunToMeasure on_one_thread{run};
    on_one_thread.threads = 1;
    report = measure_in_child(on_one_thread);
    if (report) report->speed.is_disturbed = true;
  }
  if (report && report->failed && run.steps_done > 0) {
    return not_measured("for steps from the start fail, where this run is no more");
  }
  if (report && report->failed) {
    return fmt::format("warning: the first steps fail when they are tried: {}", report->reason);
  }
  if (report && report->speed.seconds_per_step == 0 &&
      report->speed.minimiser_seconds_per_step > 0) {
    // A step of the minimiser costs about as much as one of the dynamics: both compute all forces
    // once.
    report->speed.seconds_per_step = report->speed.minimiser_seconds_per_step;
  }
  if (!report || report->speed.seconds_per_step == 0) {
    return not_measured(fmt::format("for the first steps take more than {:.0f} s", limit_seconds));
  }
  return describe(report->speed, run.settings, run.steps_done);
}

}  // namespace nfold::run
