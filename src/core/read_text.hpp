// Whole text of a small file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>

#include "core/refusal.hpp"

namespace nfold::core {

/// Returns the content of a file. None if it cannot be opened or is a folder.
[[nodiscard]] inline std::optional<std::string> read_text(const std::filesystem::path& file) {
  const std::ifstream stream(file, std::ios::binary);
  std::error_code error;
  if (!stream || std::filesystem::is_directory(file, error)) return std::nullopt;
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// Returns the content of a file. Throws InputError if it cannot be read.
[[nodiscard]] inline std::string read_required_text(const std::filesystem::path& file) {
  auto text = read_text(file);
  if (!text) refuse(file.string(), "cannot be read", "check the path and its permissions");
  return std::move(*text);
}

}  // namespace nfold::core
