// History table of ensembles and targets.
// SPDX-License-Identifier: BSD-3-Clause

#include "estimate/work_history.hpp"

#include <utility>

#include "estimate/history_database.hpp"

namespace nfold::estimate {
namespace {

constexpr std::int64_t most_work_rows = 1000;

constexpr const char* works_schema =
    "CREATE TABLE IF NOT EXISTS works (time TEXT, host TEXT, version TEXT, machine TEXT, name TEXT,"
    " on_gpu INTEGER, ranks INTEGER, threads INTEGER, curve INTEGER, residues REAL, replicas REAL,"
    " steps_predicted REAL, steps_measured REAL, predicted_steps REAL, predicted_beside REAL,"
    " measured REAL)";

std::int64_t is_gpu(Backend space) { return space == Backend::gpu ? 1 : 0; }

}  // namespace

void append(const std::filesystem::path& file, const WorkRow& row) {
  const auto database = history_to_write(file, works_schema);
  Statement insert(database, "INSERT INTO works VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  insert.bind_all(row.time, row.host, row.version, row.machine, row.name, is_gpu(row.space),
                  std::int64_t{row.ranks}, std::int64_t{row.threads},
                  static_cast<std::int64_t>(row.curve), row.residues, row.replicas,
                  row.steps_predicted, row.steps_measured, row.predicted.steps,
                  row.predicted.overhead, row.measured);
  (void)insert.step();
}

std::vector<WorkRow> work_rows(const std::filesystem::path& file, const std::string& machine,
                               Backend space) {
  const auto database = history_to_read(file, "works");
  if (!database) return {};
  Statement select(*database,
                   "SELECT time, host, version, machine, name, on_gpu, ranks, threads, curve,"
                   " residues, replicas, steps_predicted, steps_measured, predicted_steps,"
                   " predicted_beside, measured FROM works WHERE machine = ? AND on_gpu = ?"
                   " ORDER BY rowid DESC LIMIT ?");
  select.bind(machine);
  select.bind(is_gpu(space));
  select.bind(most_work_rows);
  std::vector<WorkRow> rows;
  while (select.step()) {
    WorkRow row;
    row.time = select.text();
    row.host = select.text();
    row.version = select.text();
    row.machine = select.text();
    row.name = select.text();
    row.space = select.integer() != 0 ? Backend::gpu : Backend::cpu;
    row.ranks = static_cast<int>(select.integer());
    row.threads = static_cast<int>(select.integer());
    row.curve = static_cast<StepCurve>(select.integer());
    row.residues = select.real();
    row.replicas = select.real();
    row.steps_predicted = select.real();
    row.steps_measured = select.real();
    row.predicted.steps = select.real();
    row.predicted.overhead = select.real();
    row.measured = select.real();
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace nfold::estimate
