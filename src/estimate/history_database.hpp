// SQLite database that many jobs write: access shared by the tables of the history.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>
#include <sqlite3.h>

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace nfold::estimate {

/// Connection to the database. Each row is one transaction. Connections wait for each other's locks
/// up to ten seconds. Any failure throws HistoryError.
class HistoryDatabase {
 public:
  /// flags: those of sqlite3_open_v2().
  HistoryDatabase(const std::filesystem::path& file, int flags);

  void run(const std::string& statement);
  [[nodiscard]] sqlite3* handle() const { return handle_.get(); }
  void require(bool holds, const char* what) const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close(handle); }
  };
  std::string file_;
  std::unique_ptr<sqlite3, Close> handle_;
};

/// Table of the database.
struct HistoryTable {
  const char* name;
  const char* columns;  ///< "time TEXT, residues REAL"
};

/// Opens the history for writing. Creates the file, its folder and the table if they are missing.
[[nodiscard]] HistoryDatabase history_to_write(const std::filesystem::path& file,
                                               const HistoryTable& table);
/// Opens the history for reading. Returns nothing if the file or the table is missing.
[[nodiscard]] std::optional<HistoryDatabase> history_to_read(const std::filesystem::path& file,
                                                             const HistoryTable& table);

/// Prepared statement. Values are bound, and columns are read, from first to last.
class Statement {
 public:
  /// `database` must outlive the statement.
  Statement(const HistoryDatabase& database, const std::string& text);

  template <class... Values>
  void bind(const Values&... values) {
    (bind_one(values), ...);
  }
  /// Advances to the next row. True if there is one.
  bool step();
  template <class... Values>
  void read(Values&... values) {
    (read_one(values), ...);
  }

 private:
  template <class Value>
  static constexpr bool is_whole = std::integral<Value> || std::is_enum_v<Value>;

  void bind_one(const std::string& text);
  void bind_one(double value);
  void bind_integer(std::int64_t value);
  template <class Value>
    requires is_whole<Value>
  void bind_one(Value value) {
    bind_integer(static_cast<std::int64_t>(value));
  }
  void read_one(std::string& text);
  void read_one(double& value);
  [[nodiscard]] std::int64_t read_integer();
  template <class Value>
    requires is_whole<Value>
  void read_one(Value& value) {
    value = static_cast<Value>(read_integer());
  }

  struct Finalize {
    void operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }
  };
  const HistoryDatabase& database_;
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
  int bound_ = 0, column_ = 0;
};

/// Adds a row. values: references to its members, in the order of the columns.
template <class... Values>
void append_row(const std::filesystem::path& file, const HistoryTable& table,
                const std::tuple<const Values&...>& values) {
  const auto database = history_to_write(file, table);
  const std::vector<char> places(sizeof...(Values), '?');
  Statement insert(database,
                   fmt::format("INSERT INTO {} VALUES ({})", table.name, fmt::join(places, ",")));
  std::apply([&](const auto&... value) { insert.bind(value...); }, values);
  (void)insert.step();
}

/// Returns the latest thousand rows that meet the condition, newest first; empty if there is no
/// file or no table. condition: SQL with a ? for each key. columns(row): references to its members.
template <class Row, class Columns, class... Keys>
[[nodiscard]] std::vector<Row> newest_rows(const std::filesystem::path& file,
                                           const HistoryTable& table, const Columns& columns,
                                           const char* condition, const Keys&... keys) {
  const auto database = history_to_read(file, table);
  if (!database) return {};
  Statement select(*database, fmt::format("SELECT * FROM {} WHERE {} ORDER BY rowid DESC LIMIT "
                                          "1000",
                                          table.name, condition));
  select.bind(keys...);
  std::vector<Row> rows;
  while (select.step()) {
    std::apply([&](auto&... value) { select.read(value...); }, columns(rows.emplace_back()));
  }
  return rows;
}

}  // namespace nfold::estimate
