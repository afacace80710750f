// A file of SQLite that many jobs write: what the tables of the history share.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace nfold::plan {

/// A row is one transaction, and a reader never waits for a writer's disk. Writers wait for each
/// other up to ten seconds. Whatever fails throws HistoryError.
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

/// Makes file, folder and, by `schema`, table where they are missing.
[[nodiscard]] HistoryDatabase history_to_write(const std::filesystem::path& file,
                                               const char* schema);
/// None where there is no file, or no such table in it.
[[nodiscard]] std::optional<HistoryDatabase> history_to_read(const std::filesystem::path& file,
                                                             const std::string& table);

/// Its values are bound, and columns read, from the first to the last.
class Statement {
 public:
  /// database: must outlive it.
  Statement(const HistoryDatabase& database, const char* text);

  void bind(const std::string& text);
  void bind(double value);
  void bind(std::int64_t value);
  template <class... Values>
  void bind_all(const Values&... values) {
    (bind(values), ...);
  }
  /// Whether there is a row.
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

}  // namespace nfold::plan
