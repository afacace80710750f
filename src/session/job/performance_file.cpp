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

constexpr int format_version = 1;

/// Returns null for a negative value, which is unknown.
template <class Number>
Json known_json(Number value) {
  return value < 0 ? Json() : Json(value);
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
          {"lists", known_json(rank.lists)},
          {"residues", known_json(rank.residues)},
          {"ghosts", known_json(rank.ghosts)},
          {"halo_bytes_of_step", known_json(rank.halo_bytes_of_step)},
          {"memory_planned_bytes", known_json(rank.memory_planned_bytes)},
          {"memory_peak_bytes", known_json(rank.memory_peak_bytes)},
          {"memory_there_bytes", known_json(rank.memory_there_bytes)},
          {"joules", known_json(rank.joules)}};
}

/// Returns the parts under the names that a plan has.
Json parts_json(const estimate::JobTime& time) {
  Json parts = Json::object();
  for (const auto& part : time.parts()) parts[std::string(part.name)] = part.seconds;
  return parts;
}

Json prediction_json(const Performance& run) {
  if (!run.prediction) return {};
  Json estimated;
  if (run.prediction->job) estimated = parts_json(*run.prediction->job);
  return {{"step_seconds", run.prediction->seconds},
          {"spread", run.prediction->spread},
          {"by", run.prediction->by},
          {"compared_step_seconds", json_or_null(run.compared_step_seconds)},
          {"parts_seconds", estimated}};
}

Json load_balance_json(const LoadBalanceCounts& counts) {
  Json others = Json::object();
  for (const auto& [name, times] : counts.others) others[name] = times;
  return {{"assessments", counts.assessments},
          {"repartitions", counts.repartitions},
          {"others", others},
          {"largest_gain_share", counts.largest_gain_share}};
}

/// Collective: gathers the spans of the ranks one by one and returns the trace on rank 0.
std::string trace_text(const comm::Communicator& communicator, const RankProfile& profile,
                       const Performance& run) {
  const auto calls = gather_calls(communicator, profile.profiler().calls());
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

Json heading_json(const Performance& performance) {
  return {{"format", format_version},
          {"version", core::version},
          {"name", performance.name},
          {"execution", performance.execution},
          {"is_profiled", performance.is_profiled}};
}

Json phases_json(const telemetry::PhaseSeconds& seconds) {
  Json phases = Json::object();
  for (std::size_t phase = 0; phase < seconds.size(); ++phase) {
    if (seconds[phase] > 0)
      phases[phase_name(static_cast<telemetry::Phase>(phase))] = seconds[phase];
  }
  return phases;
}

Json bottleneck_json(const Bottleneck& found) {
  return {{"phase", found.phase},
          {"share", found.share},
          {"words", found.words},
          {"advice", found.advice}};
}

Json json_or_null(std::optional<double> value) { return value ? Json(*value) : Json(); }

std::string performance_text(const Performance& run) {
  Json parts = Json::object();
  for (const auto& [part, microseconds] : run.parts) parts[part] = microseconds;
  auto all = heading_json(run);
  all.update({{"first_step", run.first_step},
              {"last_step", run.last_step},
              {"replicas", run.replicas},
              {"simulated_ns", run.simulated_ns()},
              {"wall_seconds", run.wall_seconds()},
              {"step_seconds", run.seconds_per_step()},
              {"parts_seconds", parts_json(run.job_parts)},
              {"prediction", prediction_json(run)},
              {"mean_phase_seconds", phases_json(run.mean_seconds())},
              {"balance", run.balance()},
              {"busiest_rank", run.busiest_rank()},
              {"load_balance", load_balance_json(run.load_balance)},
              {"joules", json_or_null(run.joules())},
              {"gpu_part_microseconds", parts},
              {"bottleneck", bottleneck_json(find_bottleneck(run))},
              {"ranks", Json::array()}});
  for (const auto& rank : run.ranks) all["ranks"].push_back(rank_json(rank));
  return all.dump(1) + "\n";
}

std::vector<std::vector<std::string>> gather_calls(const comm::Communicator& communicator,
                                                   const std::vector<std::string>& calls) {
  const auto joined = fmt::format("{}", fmt::join(calls, "\n"));
  std::vector<std::vector<std::string>> of_ranks(static_cast<std::size_t>(communicator.size()));
  communicator.gather_each(std::span<const char>(joined), [&](int from, const auto& text) {
    std::istringstream lines(std::string(text.begin(), text.end()));
    auto& names = of_ranks[static_cast<std::size_t>(from)];
    for (std::string line; std::getline(lines, line);) names.push_back(line);
  });
  return of_ranks;
}

void write_performance_files(const status::OutputPaths& paths, const std::string& text,
                             const std::string& trace, const char* what,
                             std::vector<std::string>& lines) {
  try {
    storage::write_file_atomically(paths.performance(), text);
    if (!trace.empty()) storage::write_file_atomically(paths.trace(), trace);
  } catch (const std::exception& failure) {
    lines.push_back(fmt::format("what the {} took could not be written: {}", what, failure.what()));
  }
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
  write_performance_files(paths, performance_text(performance), trace, "run", lines);
  return lines;
}

}  // namespace nfold::job
