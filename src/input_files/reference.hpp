// Help and the input reference, made from the table of keys.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nfold::input_files {

/// Lines of at most 80 columns, broken at spaces, that start with so many blanks.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t indent);

/// The sections, one line each, and how to go on.
[[nodiscard]] std::string help_overview();

/// Help on a key or a section, by its full name or its last part ("seed" shows both seeds).
/// "batch": the list of targets. Empty if there is none.
[[nodiscard]] std::string help_on_name(std::string_view topic);

/// The same, else on the keys that mention the word. InputError with the nearest one if there is
/// none.
[[nodiscard]] std::string help_topic(std::string_view topic);

/// All keys, in Markdown: the text of input/REFERENCE.md.
[[nodiscard]] std::string reference_markdown();

}  // namespace nfold::input_files
