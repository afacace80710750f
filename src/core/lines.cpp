// Splitting of text into lines and fields.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/lines.hpp"

#include <algorithm>

namespace nfold::core {

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> split_fields(std::string_view line, std::string_view separators) {
  std::vector<std::string_view> fields;
  for (auto at = line.find_first_not_of(separators); at != std::string_view::npos;) {
    const auto end = std::min(line.find_first_of(separators, at), line.size());
    fields.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(separators, end);
  }
  return fields;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string out = "'";
  for (const char c : text.substr(0, longest)) out += (c >= ' ' && c <= '~') ? c : '?';
  return out + (text.size() > longest ? "...'" : "'");
}

bool Lines::next() {
  if (offset_ >= text_.size()) return false;
  const auto end = std::min(text_.find('\n', offset_), text_.size());
  line_ = text_.substr(offset_, end - offset_);
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  offset_ = end + 1;
  ++number_;
  return true;
}

std::string_view Lines::rest() const { return text_.substr(std::min(offset_, text_.size())); }

}  // namespace nfold::core
