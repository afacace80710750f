// Answers that took long, kept beside the history for when the same is asked again.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace nfold::plan {

/// What was kept under this key; none where there is no file or no such key. HistoryError.
[[nodiscard]] std::optional<std::string> kept_answer(const std::filesystem::path& file,
                                                     const std::string& key);
/// Keeps it, in place of the oldest of a hundred. HistoryError.
void keep_answer(const std::filesystem::path& file, const std::string& key,
                 const std::string& answer);

/// 32 hexadecimal digits of a text: FNV-1a of its bytes, forwards and backwards.
[[nodiscard]] std::string key_of(const std::string& text);

}  // namespace nfold::plan
