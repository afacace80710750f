// Parses and applies a selection of chains and residue ranges.
// SPDX-License-Identifier: BSD-3-Clause
#include "structure/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "structure/raw_residue.hpp"
#include "structure/structure.hpp"

namespace nfold::structure {
namespace {

[[noreturn]] void fail(const std::string& whole, const std::string& what) {
  throw StructureError(
      fmt::format("chain selection {}: {}; expected as in 'A', 'A:10-50' or 'A:10-50,60-72'",
                  in_quotes(whole), what));
}

}  // namespace

ChainSelection::Bound ChainSelection::parse_bound(const std::string& text,
                                                  const std::string& whole) {
  Bound bound;
  std::string digits = text;
  if (!digits.empty() && std::isalpha(static_cast<unsigned char>(digits.back())) != 0) {
    bound.insertion_code = digits.back();
    digits.pop_back();
  }
  if (digits.empty() || !parse_integer(digits, bound.number)) {
    fail(whole, fmt::format("{} is not a residue number", in_quotes(text)));
  }
  return bound;
}

std::pair<ChainSelection::Bound, ChainSelection::Bound> ChainSelection::parse_range(
    const std::string& range, const std::string& whole) {
  // The first character may be the sign of a negative number.
  const std::size_t dash = range.find('-', 1);
  const Bound first = parse_bound(range.substr(0, dash), whole);
  const Bound last = dash == std::string::npos ? first : parse_bound(range.substr(dash + 1), whole);
  if (last.number < first.number)
    fail(whole, fmt::format("range {} runs backwards", in_quotes(range)));
  return {first, last};
}

ChainSelection::ChainSelection(const std::vector<std::string>& selections) {
  for (const std::string& whole : selections) {
    Entry entry;
    const std::size_t colon = whole.find(':');
    entry.chain = whole.substr(0, colon);
    if (entry.chain.empty()) fail(whole, "no chain name");
    std::size_t begin = colon;
    while (begin != std::string::npos) {
      const std::size_t end = whole.find(',', begin + 1);
      const std::string range =
          whole.substr(begin + 1, end == std::string::npos ? end : end - begin - 1);
      entry.ranges.push_back(parse_range(range, whole));
      begin = end;
    }
    entries_.push_back(std::move(entry));
  }
}

bool ChainSelection::wants_chain(const std::string& chain) const {
  return all() || std::any_of(entries_.begin(), entries_.end(),
                              [&](const Entry& entry) { return entry.chain == chain; });
}

bool ChainSelection::wants(const std::string& chain, int number, char insertion_code) const {
  const auto inside = [&](const std::pair<Bound, Bound>& range) {
    const auto& [first, last] = range;
    if (number < first.number || number > last.number) return false;
    if (number == first.number && first.insertion_code != 0 &&
        insertion_code < first.insertion_code) {
      return false;
    }
    return number != last.number || last.insertion_code == 0 ||
           insertion_code <= last.insertion_code;
  };
  return all() || std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
           return entry.chain == chain &&
                  (entry.ranges.empty() ||
                   std::any_of(entry.ranges.begin(), entry.ranges.end(), inside));
         });
}

std::vector<std::string> ChainSelection::chain_names() const {
  std::vector<std::string> names;
  names.reserve(entries_.size());
  for (const Entry& entry : entries_) names.push_back(entry.chain);
  return names;
}

}  // namespace nfold::structure
