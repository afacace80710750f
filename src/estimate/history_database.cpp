// SQLite calls with checked return codes.
// SPDX-License-Identifier: BSD-3-Clause

#include "estimate/history_database.hpp"

#include <fmt/format.h>

#include <system_error>

#include "estimate/history.hpp"

namespace nfold::estimate {
namespace {

constexpr int patience_milliseconds = 10'000;

}  // namespace

HistoryDatabase::HistoryDatabase(const std::filesystem::path& file, int flags)
    : file_(file.string()) {
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(file_.c_str(), &opened, flags, nullptr);
  handle_.reset(opened);
  require(code == SQLITE_OK, "cannot be opened");
  sqlite3_busy_timeout(handle_.get(), patience_milliseconds);
}

void HistoryDatabase::run(const std::string& statement) {
  require(sqlite3_exec(handle_.get(), statement.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK,
          "cannot be written");
}

void HistoryDatabase::require(bool holds, const char* what) const {
  if (holds) return;
  const int code = handle_ ? sqlite3_errcode(handle_.get()) : SQLITE_NOMEM;
  const bool is_held = code == SQLITE_BUSY || code == SQLITE_LOCKED;
  const bool is_damaged = code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
  throw HistoryError(fmt::format(
      "{}: {}: {} ({})", file_, what, handle_ ? sqlite3_errmsg(handle_.get()) : "no memory",
      is_held      ? "another program has it open; try again, or name another by NFOLD_HISTORY"
      : is_damaged ? "remove it, or name another by NFOLD_HISTORY"
                   : "name another by NFOLD_HISTORY"));
}

HistoryDatabase history_to_write(const std::filesystem::path& file, const HistoryTable& table) {
  std::error_code error;
  if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path(), error);
  if (error) {
    throw HistoryError(
        fmt::format("{}: its folder cannot be made: {}", file.string(), error.message()));
  }
  HistoryDatabase database(file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  database.run(fmt::format("CREATE TABLE IF NOT EXISTS {} ({})", table.name, table.columns));
  return database;
}

std::optional<HistoryDatabase> history_to_read(const std::filesystem::path& file,
                                               const HistoryTable& table) {
  std::error_code unknown;
  if (!std::filesystem::exists(file, unknown)) return std::nullopt;
  HistoryDatabase database(file, SQLITE_OPEN_READONLY);
  Statement find(database, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?");
  find.bind(std::string(table.name));
  if (!find.step()) return std::nullopt;
  return database;
}

Statement::Statement(const HistoryDatabase& database, const std::string& text)
    : database_(database) {
  sqlite3_stmt* made = nullptr;
  const int code = sqlite3_prepare_v2(database.handle(), text.c_str(), -1, &made, nullptr);
  handle_.reset(made);
  database.require(code == SQLITE_OK, "is no history of nfold");
}

void Statement::bind_one(const std::string& text) {
  sqlite3_bind_text(handle_.get(), ++bound_, text.c_str(), -1, SQLITE_TRANSIENT);
}
void Statement::bind_one(double value) { sqlite3_bind_double(handle_.get(), ++bound_, value); }
void Statement::bind_integer(std::int64_t value) {
  sqlite3_bind_int64(handle_.get(), ++bound_, value);
}

bool Statement::step() {
  const int code = sqlite3_step(handle_.get());
  database_.require(code == SQLITE_ROW || code == SQLITE_DONE, "cannot be used");
  column_ = 0;
  return code == SQLITE_ROW;
}

void Statement::read_one(std::string& text) {
  const auto* const bytes = sqlite3_column_text(handle_.get(), column_++);
  text = bytes == nullptr ? "" : reinterpret_cast<const char*>(bytes);
}
void Statement::read_one(double& value) { value = sqlite3_column_double(handle_.get(), column_++); }
std::int64_t Statement::read_integer() { return sqlite3_column_int64(handle_.get(), column_++); }

}  // namespace nfold::estimate
