// SQLite database that many jobs write: access shared by the tables of the history.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace nfold::estimate {

/// Connection to the database. Each row is one transaction. Connections wait for each other's locks
/// up to ten seconds. Any failure throws HistoryError.
class HistoryDatabase {
 public:
  /// flags: those of sqlite3_open_v2().
  HistoryDatabase(const std::filesystem::path& file, int flags);

  void run(const char* statement);
  [[nodiscard]] sqlite3* handle() const { return handle_.get(); }
  void require(bool holds, const char* what) const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close(handle); }
  };
  std::string file_;
  std::unique_ptr<sqlite3, Close> handle_;
};

/// Opens the history for writing. Creates the file, its folder and (by `schema`) the table if they
/// are missing.
[[nodiscard]] HistoryDatabase history_to_write(const std::filesystem::path& file,
                                               const char* schema);
/// Opens the history for reading. Returns nothing if the file or the table is missing.
[[nodiscard]] std::optional<HistoryDatabase> history_to_read(const std::filesystem::path& file,
                                                             const std::string& table);

/// Prepared statement. Values are bound, and columns are read, from first to last.
class Statement {
 public:
  /// `database` must outlive the statement.
  Statement(const HistoryDatabase& database, const char* text);

  void bind(const std::string& text);
  void bind(double value);
  void bind(std::int64_t value);
  template <class... Values>
  void bind_all(const Values&... values) {
    (bind(values), ...);
  }
  /// Advances to the next row. True if there is one.
  bool step();
  [[nodiscard]] std::string text();
  [[nodiscard]] double real();
  [[nodiscard]] std::int64_t integer();

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }
  };
  const HistoryDatabase& database_;
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
  int bound_ = 0, column_ = 0;
};

}  // namespace nfold::estimate
