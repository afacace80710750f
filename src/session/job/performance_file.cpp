// Writing of NAME.performance.json and NAME.trace.json.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <exception>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>

#include "core/storage/atomic_file.hpp"
#include "core/telemetry/chrome_trace.hpp"
#include "core/version.hpp"
#include "session/job/performance.hpp"

namespace nfold::job {
namespace {

using Json = nlohmann::ordered_json;
using telemetry::Phase;

constexpr int format_version = 1;

Json json_or_null(double value) { return value < 0 ? Json() : Json(value); }
Json json_or_null(std::int64_t value) { return value < 0 ? Json() : Json(value); }

Json phases_json(const telemetry::PhaseSeconds& seconds) {
  Json phases = Json::object();
  for (const auto& [phase, spent] : named_seconds(seconds)) phases[phase] = spent;
  return phases;
}

Json rank_json(const RankPerformance& rank) {
  telemetry::PhaseSeconds waited{};
  for (std::size_t place = 0; place < waited.size(); ++place) {
    waited[place] = 1e-9 * static_cast<double>(rank.waited[place]);
  }
  return {{"name", rank.name.data()},
          {"wall_seconds", rank.wall_seconds()},
          {"busy_seconds", rank.busy_seconds()},
          {"phase_seconds", phases_json(rank.seconds)},
          {"waited_in_seconds", phases_json(waited)},
          {"clocked_steps", rank.clocked_steps},
          {"lists", json_or_null(rank.lists)},
          {"residues", json_or_null(rank.residues)},
          {"ghosts", json_or_null(rank.ghosts)},
          {"halo_bytes_of_step", json_or_null(rank.halo_bytes_of_step)},
          {"memory_planned_bytes", json_or_null(rank.memory_planned_bytes)},
          {"memory_peak_bytes", json_or_null(rank.memory_peak_bytes)},
          {"memory_there_bytes", json_or_null(rank.memory_there_bytes)},
          {"joules", json_or_null(rank.joules)}};
}

Json prediction_json(const Performance& run) {
  if (!run.prediction) return {};
  return {{"step_seconds", run.prediction->seconds},
          {"spread", run.prediction->spread},
          {"by", run.prediction->by},
          {"compared_step_seconds",
           run.compared_step_seconds ? Json(*run.compared_step_seconds) : Json()}};
}

/// Collective: gathers the spans of the ranks one by one and returns the trace on rank 0.
std::string trace_text(const comm::Communicator& communicator, const RankProfile& profile,
                       const Performance& run) {
  std::string joined;
  for (const auto& call : profile.profiler().calls()) joined += call + "\n";
  std::vector<std::vector<std::string>> calls(static_cast<std::size_t>(communicator.size()));
  communicator.gather_each(std::span<const char>(joined), [&](int from, const auto& text) {
    std::istringstream lines(std::string(text.begin(), text.end()));
    auto& names = calls[static_cast<std::size_t>(from)];
    for (std::string line; std::getline(lines, line);) names.push_back(line);
  });
  const auto spans = profile.profiler().timeline();
  telemetry::ChromeTrace trace("nfold " + run.name);
  communicator.gather_each(
      std::span<const telemetry::TracedSpan>(spans), [&](int from, const auto& of_rank) {
        const auto rank = static_cast<std::size_t>(from);
        trace.add_track(from, run.ranks[rank].name.data(), of_rank, calls[rank]);
      });
  return communicator.is_root() ? trace.text() : std::string();
}

}  // namespace

std::string performance_text(const Performance& run) {
  const auto found = find_bottleneck(run);
  telemetry::PhaseSeconds mean{};
  for (std::size_t place = 0; place < mean.size(); ++place) {
    mean[place] = run.mean_seconds(static_cast<Phase>(place));
  }
  const auto joules = run.joules();
  Json parts = Json::object();
  for (const auto& [part, microseconds] : run.parts) parts[part] = microseconds;
  Json all{{"format", format_version},
           {"version", core::version},
           {"name", run.name},
           {"execution", run.execution},
           {"is_profiled", run.is_profiled},
           {"first_step", run.first_step},
           {"last_step", run.last_step},
           {"replicas", run.replicas},
           {"simulated_ns", run.simulated_ns()},
           {"wall_seconds", run.wall_seconds()},
           {"step_seconds", run.seconds_per_step()},
           {"prediction", prediction_json(run)},
           {"mean_phase_seconds", phases_json(mean)},
           {"balance", run.balance()},
           {"busiest_rank", run.busiest_rank()},
           {"joules", joules ? Json(*joules) : Json()},
           {"gpu_part_microseconds", parts},
           {"bottleneck",
            {{"phase", found.phase},
             {"share", found.share},
             {"words", found.words},
             {"advice", found.advice}}},
           {"ranks", Json::array()}};
  for (const auto& rank : run.ranks) all["ranks"].push_back(rank_json(rank));
  return all.dump(1) + "\n";
}

std::vector<std::string> write_performance(const comm::Communicator& communicator,
                                           const RankProfile& profile, const RankPerformance& mine,
                                           Performance performance,
                                           const status::OutputPaths& paths) {
  performance.ranks = communicator.gather(std::span<const RankPerformance>(&mine, 1));
  std::string trace;
  if (profile.has_timeline()) trace = trace_text(communicator, profile, performance);
  std::vector<std::string> lines;
  if (!communicator.is_root()) return lines;
  if (profile.has_timeline()) lines = performance_table(performance);
  try {
    storage::write_file_atomically(paths.performance(), performance_text(performance));
    if (!trace.empty()) storage::write_file_atomically(paths.trace(), trace);
  } catch (const std::exception& failure) {
    lines.push_back(fmt::format("what the run took could not be written: {}", failure.what()));
  }
  return lines;
}

}  // namespace nfold::job
