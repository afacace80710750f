// Search for the known word that is nearest to a mistyped one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace nfold::core {

/// Longest text that is compared. The edit distance costs the square of the length, and no known
/// word is longer.
inline constexpr std::size_t longest_word = 80;

/// Counts the insertions, deletions, replacements and swaps of neighbours that turn one text into
/// the other.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// True if so many edits of a text of this length may be a mistake in typing.
[[nodiscard]] bool is_near(std::size_t distance, std::size_t length);

/// Returns the closest known word; empty if none is near enough.
[[nodiscard]] std::string_view nearest_word(std::string_view word,
                                            std::span<const std::string_view> known);

/// Returns "did you mean 'WORD'?" for the closest known word; `otherwise` if none is near enough.
[[nodiscard]] std::string suggest_word(std::string_view word,
                                       std::span<const std::string_view> known,
                                       std::string otherwise);

}  // namespace nfold::core
