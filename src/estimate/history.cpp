// History tables of steps, and of ensembles and targets.
// SPDX-License-Identifier: BSD-3-Clause

#include "estimate/history.hpp"

#include <cstdlib>
#include <tuple>

#include "estimate/history_database.hpp"

namespace nfold::estimate {
namespace {

constexpr HistoryTable steps{
    "steps",
    "time TEXT, host TEXT, version TEXT, machine TEXT, on_gpu INTEGER, ranks INTEGER, pair_form "
    "INTEGER, full_precision INTEGER, residues REAL, term_work REAL, pairs REAL, charge_pairs "
    "REAL, ghosts REAL, peers INTEGER, predicted_seconds REAL, measured_seconds REAL, steps "
    "INTEGER"};
constexpr HistoryTable works{
    "works",
    "time TEXT, host TEXT, version TEXT, machine TEXT, name TEXT, on_gpu INTEGER, ranks INTEGER, "
    "threads INTEGER, curve INTEGER, residues REAL, replicas REAL, steps_predicted REAL, "
    "steps_measured REAL, predicted_steps REAL, predicted_beside REAL, measured REAL"};

constexpr HistoryTable jobs{
    "job_parts",
    "time TEXT, host TEXT, version TEXT, machine TEXT, kind TEXT, on_gpu INTEGER, ranks INTEGER, "
    "residues REAL, estimated_start REAL, estimated_minimising REAL, estimated_steps REAL, "
    "estimated_energies REAL, estimated_observables REAL, estimated_frames REAL, "
    "estimated_checkpoints REAL, estimated_analysis REAL, measured_start REAL, "
    "measured_minimising REAL, measured_steps REAL, measured_energies REAL, measured_observables "
    "REAL, measured_frames REAL, measured_checkpoints REAL, measured_analysis REAL"};

constexpr auto step_columns = [](auto& row) {
  auto& [time, host, version] = row.origin;
  auto& demand = row.demand;
  return std::tie(time, host, version, row.machine, row.on_gpu, row.ranks, demand.pair_form,
                  demand.is_in_full_precision, demand.residues, demand.term_work, demand.pairs,
                  demand.charge_pairs, demand.ghosts, demand.peers, row.estimated_seconds,
                  row.measured_seconds, row.steps);
};
constexpr auto work_columns = [](auto& row) {
  auto& [time, host, version] = row.origin;
  return std::tie(time, host, version, row.machine, row.name, row.space, row.ranks, row.threads,
                  row.curve, row.residues, row.replicas, row.steps_predicted, row.steps_measured,
                  row.predicted.steps, row.predicted.overhead, row.measured);
};

constexpr auto columns_of_parts = [](auto& time) {
  return std::apply([&](auto... part) { return std::tie((time.*part)...); }, measured_parts);
};
constexpr auto job_columns = [](auto& row) {
  auto& [time, host, version] = row.origin;
  return std::tuple_cat(
      std::tie(time, host, version, row.machine, row.kind, row.on_gpu, row.ranks, row.residues),
      columns_of_parts(row.estimated), columns_of_parts(row.measured));
};

// The column on_gpu holds the number of the backend.
static_assert(static_cast<int>(Backend::cpu) == 0 && static_cast<int>(Backend::gpu) == 1);

}  // namespace

std::optional<std::filesystem::path> history_file() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  const auto named = variable("NFOLD_HISTORY");
  if (named == "off") return std::nullopt;
  if (!named.empty()) return named;
  const auto state = variable("XDG_STATE_HOME"), home = variable("HOME");
  if (state.empty() && home.empty()) return std::nullopt;
  const auto folder = state.empty() ? std::filesystem::path(home) / ".local" / "state"
                                    : std::filesystem::path(state);
  return folder / "nfold" / "history.sqlite";
}

void append(const std::filesystem::path& file, const StepRow& row) {
  append_row(file, steps, step_columns(row));
}
void append(const std::filesystem::path& file, const WorkRow& row) {
  append_row(file, works, work_columns(row));
}
void append(const std::filesystem::path& file, const JobRow& row) {
  append_row(file, jobs, job_columns(row));
}

std::vector<StepRow> step_rows(const std::filesystem::path& file, const std::string& machine,
                               bool on_gpu) {
  return newest_rows<StepRow>(file, steps, step_columns, "machine = ? AND on_gpu = ?", machine,
                              on_gpu);
}
std::vector<WorkRow> work_rows(const std::filesystem::path& file, const std::string& machine,
                               Backend space) {
  return newest_rows<WorkRow>(file, works, work_columns, "machine = ? AND on_gpu = ?", machine,
                              space);
}
std::vector<JobRow> job_rows(const std::filesystem::path& file, const std::string& machine,
                             bool on_gpu) {
  return newest_rows<JobRow>(file, jobs, job_columns, "machine = ? AND on_gpu = ?", machine,
                             on_gpu);
}

}  // namespace nfold::estimate
