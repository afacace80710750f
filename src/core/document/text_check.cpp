// Detection of bytes that are no text, before the YAML parser reports something else.
// SPDX-License-Identifier: BSD-3-Clause

#include "core/document/text_check.hpp"

#include <fmt/core.h>

#include "core/document/document.hpp"
#include "core/input_error.hpp"

namespace nfold::document {

namespace {

/// Returns the length of the valid UTF-8 sequence at the start of `bytes`, 0 if there is none
/// (Unicode 15, table 3-7: no overlong form, no surrogate, nothing above U+10FFFF).
std::size_t sequence_length(std::string_view bytes) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  const std::size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  unsigned low = 0x80, high = 0xBF;  // range of the second byte
  if (first == 0xE0) low = 0xA0;
  if (first == 0xED) high = 0x9F;
  if (first == 0xF0) low = 0x90;
  if (first == 0xF4) high = 0x8F;
  if (byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  }
  return length;
}

}  // namespace

std::string_view checked_text(std::string_view bytes, const std::string& file,
                              std::size_t most_bytes) {
  if (bytes.size() > most_bytes) {
    throw core::InputError(
        {file, 0, 0}, fmt::format("{} bytes", bytes.size()),
        fmt::format("an input has at most {}; is this the right file?", most_bytes));
  }
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) {
    throw core::InputError({file, 1, 1}, "the text is UTF-16", "save it as UTF-8");
  }
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  int line = 1, column = 1;
  bool indent = true;
  for (std::size_t i = 0; i < bytes.size();) {
    const auto c = static_cast<unsigned char>(bytes[i]);
    const std::size_t length = sequence_length(bytes.substr(i));
    if (length == 0) {
      throw core::InputError({file, line, column}, fmt::format("byte 0x{:02x} is not UTF-8", c),
                             "save it as UTF-8");
    }
    if ((c < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7F) {
      throw core::InputError({file, line, column}, fmt::format("byte 0x{:02x} is not text", c),
                             "an input is a YAML text; is this the right file?");
    }
    if (c == '\t' && indent)
      throw core::InputError({file, line, column}, "a tab indents", "indent with spaces");
    // A lone carriage return ends a line, as in YAML.
    const bool ends_line = c == '\n' || (c == '\r' && !bytes.substr(i + 1).starts_with('\n'));
    indent = ends_line || (indent && c == ' ');
    line += ends_line ? 1 : 0;
    column = ends_line ? 1 : column + 1;
    i += length;
  }
  return bytes;
}

}  // namespace nfold::document
