// Lines of a text file and their fields.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nfold::core {

inline constexpr std::string_view blanks = " \t\r\n\f\v";

/// Returns the text without blanks at both ends.
[[nodiscard]] std::string_view trim(std::string_view text);

/// Returns the parts of a line that are not empty.
[[nodiscard]] std::vector<std::string_view> split_fields(std::string_view line,
                                                         std::string_view separators = blanks);

/// Returns the text as one short printable line in quotes, for errors.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// Reader of the lines of a text, without their ends.
class Lines {
 public:
  /// offset: of the first line; number: of the line before it.
  explicit Lines(std::string_view text, std::size_t offset = 0, int number = 0)
      : text_(text), offset_(offset), number_(number) {}

  /// Moves to the next line. Returns false at the end of the text.
  bool next();
  [[nodiscard]] std::string_view line() const { return line_; }
  /// Number of the line, from 1.
  [[nodiscard]] int number() const { return number_; }
  /// Text behind the line.
  [[nodiscard]] std::string_view rest() const;
  [[nodiscard]] std::size_t offset() const { return text_.size() - rest().size(); }

 private:
  std::string_view text_, line_;
  std::size_t offset_;
  int number_;
};

}  // namespace nfold::core
