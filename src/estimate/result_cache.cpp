// Cache table of keys and texts.
// SPDX-License-Identifier: BSD-3-Clause

#include "estimate/result_cache.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <ranges>

#include "core/hash.hpp"
#include "estimate/history_database.hpp"

namespace nfold::estimate {
namespace {

constexpr HistoryTable answers{"answers", "key TEXT PRIMARY KEY, answer TEXT"};

template <class Letters>
std::uint64_t hash_of(const Letters& letters) {
  core::ByteHash hash;
  hash.add_letters(letters);
  return hash.value();
}

}  // namespace

std::optional<std::string> find_cached(const std::filesystem::path& file, const std::string& key) {
  const auto database = history_to_read(file, answers);
  if (!database) return std::nullopt;
  Statement select(*database, "SELECT answer FROM answers WHERE key = ?");
  select.bind(key);
  if (!select.step()) return std::nullopt;
  std::string answer;
  select.read(answer);
  return answer;
}

void store_cached(const std::filesystem::path& file, const std::string& key,
                  const std::string& answer) {
  auto database = history_to_write(file, answers);
  {
    Statement insert(database, "INSERT OR REPLACE INTO answers VALUES (?, ?)");
    insert.bind(key, answer);
    (void)insert.step();
  }
  database.run(
      "DELETE FROM answers WHERE rowid NOT IN (SELECT rowid FROM answers ORDER BY rowid DESC LIMIT "
      "100)");
}

std::string hash_key(const std::string& text) {
  return fmt::format("{:016x}{:016x}", hash_of(text), hash_of(text | std::views::reverse));
}

}  // namespace nfold::estimate
