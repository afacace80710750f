// Whether bytes are a text that the YAML parser may see.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace nfold::document {

/// The text without a UTF-8 byte order mark. InputError, with the place, for bytes that are no
/// text (binary, UTF-16, invalid UTF-8), for tabs that indent and for more than the largest input.
[[nodiscard]] std::string_view checked_text(std::string_view bytes, const std::string& file);

}  // namespace nfold::document
