// Progress and speed of a started run, from the files in its folder.
// SPDX-License-Identifier: BSD-3-Clause

#include <fmt/format.h>

#include <exception>
#include <nlohmann/json.hpp>
#include <utility>

#include "batch/tables.hpp"
#include "cli/plan/migration.hpp"
#include "comm/communicator.hpp"
#include "core/read_text.hpp"
#include "core/refusal.hpp"
#include "core/status/status_file.hpp"
#include "input/input.hpp"
#include "io/checkpoint.hpp"
#include "session/job/output_folder.hpp"
#include "session/job/run_files.hpp"
#include "session/setup/continuation.hpp"

namespace nfold::plan {
namespace {

namespace fs = std::filesystem;

constexpr double least_seconds = 10;  // shortest measurement by a clock of whole seconds

std::string find_text(const io::CheckpointHeader& header, const std::string& key) {
  const auto found = header.provenance.find(key);
  return found == header.provenance.end() ? std::string() : found->second;
}

/// Returns the speed of the last finished session; none without its file or steps.
std::optional<MeasuredSpeed> read_performance(const fs::path& file) {
  const auto text = core::read_text(file);
  if (!text) return std::nullopt;
  try {
    const auto session = nlohmann::json::parse(*text);
    const auto steps =
        session.at("last_step").get<std::int64_t>() - session.at("first_step").get<std::int64_t>();
    if (steps <= 0) return std::nullopt;
    MeasuredSpeed speed;
    speed.start_seconds = session.at("mean_phase_seconds").value("start", 0.0);
    const double seconds = session.at("wall_seconds").get<double>() - speed.start_seconds;
    speed.step_seconds = seconds / static_cast<double>(steps);
    speed.ranks = static_cast<int>(session.at("ranks").size());
    speed.source =
        fmt::format("{}, {} steps in {:.3g} s", file.filename().string(), steps, seconds);
    return speed;
  } catch (const std::exception&) {
    return std::nullopt;  // another version wrote it
  }
}

/// Returns the speed since the checkpoint of a run that goes on; none if that is not long ago.
std::optional<MeasuredSpeed> measure_running(const status::Status& status,
                                             const io::CheckpointHeader& header) {
  const double seconds =
      batch::parse_utc(status.written) - batch::parse_utc(find_text(header, "written"));
  const auto steps = status.step - header.step;
  if (seconds < least_seconds || steps <= 0) return std::nullopt;
  MeasuredSpeed speed;
  speed.step_seconds = seconds / static_cast<double>(steps);
  speed.source =
      fmt::format("its status, {} steps in {:.3g} s since the checkpoint", steps, seconds);
  return speed;
}

std::int64_t size_of_run(const status::OutputPaths& paths) {
  std::int64_t bytes = 0;
  for (const auto& file : job::files_of_run(paths).own) {
    std::error_code error;
    const auto size = fs::file_size(file, error);
    if (!error) bytes += static_cast<std::int64_t>(size);
  }
  return bytes;
}

status::OutputPaths find_run(const fs::path& folder) {
  const auto names = job::runs_in(folder);
  if (names.size() != 1) {
    core::refuse(folder.string(), names.empty() ? "holds no run of nfold" : "holds several runs",
                 "--resume takes the output folder of one started run");
  }
  return {folder, names.front()};
}

}  // namespace

StartedRun read_started_run(const fs::path& folder, const std::vector<std::string>& overrides) {
  StartedRun run;
  run.paths = find_run(folder);
  run.settings = input::parse_input(input::read_input_text(run.paths.input()),
                                    run.paths.input().string(), overrides);
  const auto checkpoint =
      io::read_checkpoint(comm::Communicator(), run.paths.checkpoint(), io::CheckpointRows::share);
  const auto& header = checkpoint.header;
  run.step = header.step;
  setup::require_steps_left(header, run.settings, folder.string(), job::is_finished(run.paths));
  run.backend = estimate::parse_backend(find_text(header, "space"));
  const auto status = status::read_status(run.paths.status());
  run.is_running = status && !status->outcome;
  if (run.is_running) run.speed = measure_running(*status, header);
  if (!run.speed) run.speed = read_performance(run.paths.performance());
  run.bytes = size_of_run(run.paths);
  return run;
}

}  // namespace nfold::plan
