// Help and the input reference, made from the table of keys.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nfold::input {

/// Wraps a text at spaces into lines of at most 80 columns, indented by `indent` blanks.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t indent);

/// Returns the sections, one line each, and references to further help.
[[nodiscard]] std::string help_overview();

/// Returns help on a key or section by its full name or last part ("seed" shows both seeds), or on
/// "batch", the list of targets. Empty if there is none.
[[nodiscard]] std::string help_on_name(std::string_view topic);

/// Returns help_on_name(), else help on the keys that mention the word. Throws InputError with the
/// nearest key if there is none.
[[nodiscard]] std::string help_topic(std::string_view topic);

/// Returns all keys in Markdown, the text of input/REFERENCE.md.
[[nodiscard]] std::string reference_markdown();

}  // namespace nfold::input
