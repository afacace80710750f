// Cache of expensive results, stored beside the run history.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace nfold::estimate {

/// Returns the value stored under `key`; nothing if there is no file or no such key. Throws
/// HistoryError.
[[nodiscard]] std::optional<std::string> find_cached(const std::filesystem::path& file,
                                                     const std::string& key);
/// Stores a value; only the newest hundred are kept. Throws HistoryError.
void store_cached(const std::filesystem::path& file, const std::string& key,
                  const std::string& answer);

/// Returns 32 hexadecimal digits: FNV-1a of the bytes, forwards and backwards.
[[nodiscard]] std::string hash_key(const std::string& text);

}  // namespace nfold::estimate
