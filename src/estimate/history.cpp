// History table of steps.
// SPDX-License-Identifier: BSD-3-Clause

#include "estimate/history.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "estimate/history_database.hpp"

namespace nfold::estimate {
namespace {

constexpr int most_step_rows = 1000;

constexpr const char* steps_schema =
    "CREATE TABLE IF NOT EXISTS steps (time TEXT, host TEXT, version TEXT, machine TEXT, on_gpu "
    "INTEGER,"
    " ranks INTEGER, pair_form INTEGER, full_precision INTEGER, residues REAL, term_work REAL, "
    "pairs REAL,"
    " charge_pairs REAL, ghosts REAL, peers INTEGER, predicted_seconds REAL, measured_seconds REAL,"
    " steps INTEGER)";

/// Returns the similarity of a row and a step: 0 unusable, 1 same potential and precision, 2 also a
/// similar size of a rank, 3 also one rank or several alike.
int step_similarity(const HistoryRow& row, const StepDemand& demand, int ranks) {
  constexpr double most = 3;
  const double ratio = row.demand.residues / std::max(1.0, demand.residues);
  if (row.demand.pair_form != demand.pair_form || row.estimated_seconds <= 0 ||
      row.measured_seconds <= 0 || row.demand.is_in_full_precision != demand.is_in_full_precision) {
    return 0;
  }
  if (ratio < 1 / most || ratio > most) return 1;
  return (row.ranks > 1) == (ranks > 1) ? 3 : 2;
}

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

void append(const std::filesystem::path& file, const HistoryRow& row) {
  const auto database = history_to_write(file, steps_schema);
  Statement insert(database, "INSERT INTO steps VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  insert.bind_all(row.time, row.host, row.version, row.machine, std::int64_t{row.on_gpu},
                  std::int64_t{row.ranks}, static_cast<std::int64_t>(row.demand.pair_form),
                  std::int64_t{row.demand.is_in_full_precision}, row.demand.residues,
                  row.demand.term_work, row.demand.pairs, row.demand.charge_pairs,
                  row.demand.ghosts, std::int64_t{row.demand.peers}, row.estimated_seconds,
                  row.measured_seconds, row.steps);
  (void)insert.step();
}

std::vector<HistoryRow> step_rows(const std::filesystem::path& file, const std::string& machine,
                                  bool on_gpu) {
  const auto database = history_to_read(file, "steps");
  if (!database) return {};
  Statement select(*database,
                   "SELECT time, host, version, machine, on_gpu, ranks, pair_form, full_precision,"
                   " residues, term_work, pairs, charge_pairs, ghosts, peers, predicted_seconds,"
                   " measured_seconds, steps FROM steps WHERE machine = ? AND on_gpu = ?"
                   " ORDER BY rowid DESC LIMIT ?");
  select.bind(machine);
  select.bind(std::int64_t{on_gpu});
  select.bind(std::int64_t{most_step_rows});
  std::vector<HistoryRow> rows;
  while (select.step()) {
    HistoryRow row;
    row.time = select.text();
    row.host = select.text();
    row.version = select.text();
    row.machine = select.text();
    row.on_gpu = select.integer() != 0;
    row.ranks = static_cast<int>(select.integer());
    row.demand.pair_form = static_cast<std::size_t>(select.integer());
    row.demand.is_in_full_precision = select.integer() != 0;
    row.demand.residues = select.real();
    row.demand.term_work = select.real();
    row.demand.pairs = select.real();
    row.demand.charge_pairs = select.real();
    row.demand.ghosts = select.real();
    row.demand.peers = static_cast<int>(select.integer());
    row.estimated_seconds = select.real();
    row.measured_seconds = select.real();
    row.steps = select.integer();
    rows.push_back(std::move(row));
  }
  return rows;
}

Correction correction_for(const std::vector<HistoryRow>& rows, const StepDemand& demand,
                          int ranks) {
  constexpr int newest = 10, fewest_for_spread = 3;
  int best = 1;
  for (const auto& row : rows) best = std::max(best, step_similarity(row, demand, ranks));
  Correction correction;
  double sum = 0, squares = 0;
  for (const auto& row : rows) {
    if (correction.runs == newest) break;
    if (step_similarity(row, demand, ranks) < best) continue;
    const double off = std::log(row.measured_seconds / row.estimated_seconds);
    sum += off;
    squares += off * off;
    ++correction.runs;
  }
  if (correction.runs == 0) return correction;
  const double mean = sum / correction.runs;
  correction.factor = std::exp(mean);
  if (correction.runs >= fewest_for_spread) {
    correction.spread = std::sqrt(std::max(0.0, squares / correction.runs - mean * mean) *
                                  correction.runs / (correction.runs - 1));
  }
  return correction;
}

}  // namespace nfold::estimate
