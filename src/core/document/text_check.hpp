// Check that bytes are a text for the YAML parser.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nfold::document {

/// Returns the text without a UTF-8 byte order mark. Throws InputError with the position for bytes
/// that are no text (binary, UTF-16, invalid UTF-8), for tabs that indent and for more than
/// most_bytes.
[[nodiscard]] std::string_view checked_text(std::string_view bytes, const std::string& file,
                                            std::size_t most_bytes);

}  // namespace nfold::document
