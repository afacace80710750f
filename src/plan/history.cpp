// One table of SQLite. A row is one transaction, and a reader never waits for a writer's disk.
// SPDX-License-Identifier: BSD-3-Clause

#include "plan/history.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <system_error>

namespace nfold::plan {
namespace {

constexpr int most_rows = 1000;
constexpr int patience_milliseconds = 10'000;

constexpr const char* schema =
    "CREATE TABLE IF NOT EXISTS steps (time TEXT, host TEXT, version TEXT, machine TEXT, on_gpu "
    "INTEGER,"
    " ranks INTEGER, pair_form INTEGER, full_precision INTEGER, residues REAL, term_work REAL, "
    "pairs REAL,"
    " charge_pairs REAL, ghosts REAL, peers INTEGER, predicted_seconds REAL, measured_seconds REAL,"
    " steps INTEGER)";

class Database {
 public:
  Database(const std::filesystem::path& file, int flags) : file_(file.string()) {
    sqlite3* opened = nullptr;
    const int code = sqlite3_open_v2(file_.c_str(), &opened, flags, nullptr);
    handle_.reset(opened);
    require(code == SQLITE_OK, "cannot be opened");
    sqlite3_busy_timeout(handle_.get(), patience_milliseconds);
  }

  void run(const char* statement) {
    require(sqlite3_exec(handle_.get(), statement, nullptr, nullptr, nullptr) == SQLITE_OK,
            "cannot be written");
  }
  [[nodiscard]] sqlite3* handle() const { return handle_.get(); }
  void require(bool holds, const char* what) const {
    if (holds) return;
    throw HistoryError(fmt::format("{}: {}: {} (remove it, or name another by NFOLD_HISTORY)",
                                   file_, what,
                                   handle_ ? sqlite3_errmsg(handle_.get()) : "no memory"));
  }

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close(handle); }
  };
  std::string file_;
  std::unique_ptr<sqlite3, Close> handle_;
};

class Statement {
 public:
  Statement(const Database& database, const char* text) : database_(database) {
    sqlite3_stmt* made = nullptr;
    const int code = sqlite3_prepare_v2(database.handle(), text, -1, &made, nullptr);
    handle_.reset(made);
    database.require(code == SQLITE_OK, "is no history of nfold");
  }
  void bind(const std::string& text) {
    sqlite3_bind_text(handle_.get(), ++bound_, text.c_str(), -1, SQLITE_TRANSIENT);
  }
  void bind(double value) { sqlite3_bind_double(handle_.get(), ++bound_, value); }
  void bind(std::int64_t value) { sqlite3_bind_int64(handle_.get(), ++bound_, value); }
  /// Whether there is a row.
  bool step() {
    const int code = sqlite3_step(handle_.get());
    database_.require(code == SQLITE_ROW || code == SQLITE_DONE, "cannot be used");
    column_ = 0;
    return code == SQLITE_ROW;
  }
  std::string text() {
    const auto* const bytes = sqlite3_column_text(handle_.get(), column_++);
    return bytes == nullptr ? "" : reinterpret_cast<const char*>(bytes);
  }
  double real() { return sqlite3_column_double(handle_.get(), column_++); }
  std::int64_t integer() { return sqlite3_column_int64(handle_.get(), column_++); }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }
  };
  const Database& database_;
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
  int bound_ = 0, column_ = 0;
};

/// How much a row has in common with a step: 0 nothing that helps, 1 potential and precision, 2 the
/// size of a rank too, 3 also that there is one rank, or that there are several.
int likeness(const HistoryRow& row, const StepDemand& demand, int ranks) {
  constexpr double most = 3;
  const double ratio = row.demand.residues / std::max(1.0, demand.residues);
  if (row.demand.pair_form != demand.pair_form || row.predicted_seconds <= 0 ||
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
  std::error_code error;
  if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path(), error);
  if (error) {
    throw HistoryError(
        fmt::format("{}: its folder cannot be made: {}", file.string(), error.message()));
  }
  Database database(file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  database.run(schema);
  Statement insert(database, "INSERT INTO steps VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  insert.bind(row.time);
  insert.bind(row.host);
  insert.bind(row.version);
  insert.bind(row.machine);
  insert.bind(std::int64_t{row.on_gpu});
  insert.bind(std::int64_t{row.ranks});
  insert.bind(static_cast<std::int64_t>(row.demand.pair_form));
  insert.bind(std::int64_t{row.demand.is_in_full_precision});
  insert.bind(row.demand.residues);
  insert.bind(row.demand.term_work);
  insert.bind(row.demand.pairs);
  insert.bind(row.demand.charge_pairs);
  insert.bind(row.demand.ghosts);
  insert.bind(std::int64_t{row.demand.peers});
  insert.bind(row.predicted_seconds);
  insert.bind(row.measured_seconds);
  insert.bind(row.steps);
  (void)insert.step();
}

std::vector<HistoryRow> rows_of(const std::filesystem::path& file, const std::string& machine,
                                bool on_gpu) {
  std::error_code unknown;
  if (!std::filesystem::exists(file, unknown)) return {};
  const Database database(file, SQLITE_OPEN_READONLY);
  Statement select(database,
                   "SELECT time, host, version, machine, on_gpu, ranks, pair_form, full_precision,"
                   " residues, term_work, pairs, charge_pairs, ghosts, peers, predicted_seconds,"
                   " measured_seconds, steps FROM steps WHERE machine = ? AND on_gpu = ?"
                   " ORDER BY rowid DESC LIMIT ?");
  select.bind(machine);
  select.bind(std::int64_t{on_gpu});
  select.bind(std::int64_t{most_rows});
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
    row.predicted_seconds = select.real();
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
  for (const auto& row : rows) best = std::max(best, likeness(row, demand, ranks));
  Correction correction;
  double sum = 0, squares = 0;
  for (const auto& row : rows) {
    if (correction.runs == newest) break;
    if (likeness(row, demand, ranks) < best) continue;
    const double off = std::log(row.measured_seconds / row.predicted_seconds);
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

}  // namespace nfold::plan
