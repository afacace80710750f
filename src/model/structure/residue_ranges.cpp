// Parser of residue ranges, and search by position in the file.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/structure/residue_ranges.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "model/structure/raw_residue.hpp"

namespace nfold::structure {
namespace {

/// One end of a range. Without an insertion code it stands for every residue of its number.
struct Bound {
  std::string text;
  int number = 0;
  char insertion_code = 0;  ///< 0: not given
  bool is_number = false;

  explicit Bound(std::string_view from) : text(from) {
    std::string_view digits = from;
    if (!digits.empty() && std::isalpha(static_cast<unsigned char>(digits.back())) != 0) {
      insertion_code = digits.back();
      digits.remove_suffix(1);
    }
    is_number = parse_integer(digits, number);
  }
  [[nodiscard]] bool matches(const ResidueLabel& label) const {
    return label.number == number &&
           (insertion_code == 0 || insertion_code == label.insertion_code);
  }
};

/// Returns the index of the dash between two bounds; the first character may be a sign.
std::size_t find_dash(std::string_view range) { return range.find('-', 1); }

bool looks_like_range(std::string_view text) {
  return text.empty() || text[0] == '-' || std::isdigit(static_cast<unsigned char>(text[0])) != 0;
}

}  // namespace

struct ResidueFinder::Range {
  const std::string& whole;  ///< complete text
  std::string text;
  bool is_single;
  Bound first, last;

  Range(const std::string& all, std::string_view range)
      : whole(all),
        text(range),
        is_single(find_dash(range) == std::string_view::npos),
        first(range.substr(0, find_dash(range))),
        last(is_single ? range : range.substr(find_dash(range) + 1)) {}
};

std::string to_text(const ResidueLabel& label) {
  return label.insertion_code == ' ' ? fmt::format("{}", label.number)
                                     : fmt::format("{}{}", label.number, label.insertion_code);
}

ResidueFinder::ResidueFinder(std::string subject, std::vector<LabelledChain> chains,
                             LabelOf label_of)
    : subject_(std::move(subject)), chains_(std::move(chains)), label_of_(std::move(label_of)) {}

void ResidueFinder::fail(const std::string& whole, const std::string& what) const {
  throw StructureError(
      fmt::format("{} {}: {}; expected as in 'A', 'A:27' or 'A:10-50,60-72', by the numbers of the "
                  "structure file",
                  subject_, in_quotes(whole), what));
}

std::vector<const LabelledChain*> ResidueFinder::chains_called(std::string_view name) const {
  std::vector<const LabelledChain*> called;
  for (const LabelledChain& chain : chains_) {
    if (chain.name == name || (!chain.file_name.empty() && chain.file_name == name)) {
      called.push_back(&chain);
    }
  }
  return called;
}

std::string ResidueFinder::chain_names() const {
  constexpr std::size_t most_shown = 20;
  std::vector<std::string_view> names;
  for (const LabelledChain& chain : chains_) {
    if (std::find(names.begin(), names.end(), chain.name) != names.end()) continue;
    names.push_back(names.size() < most_shown ? std::string_view(chain.name) : "...");
    if (names.size() > most_shown) break;
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

SelectedResidues ResidueFinder::find(const std::string& text) const {
  SelectedResidues selected;
  for (const LabelledChain* chain : chains_called(text)) {
    for (int i = 0; i < chain->count; ++i) selected.indices.push_back(chain->first + i);
  }
  if (!selected.indices.empty()) return selected;
  const bool has_single_name =
      std::all_of(chains_.begin(), chains_.end(),
                  [&](const LabelledChain& chain) { return chain.name == chains_.front().name; });
  std::string_view chain =
      has_single_name && !chains_.empty() ? std::string_view(chains_.front().name) : "";
  std::string_view rest = text;
  for (bool has_more = true; has_more;) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    std::string_view range = rest.substr(0, comma);
    if (const auto colon = range.rfind(':'); colon != std::string_view::npos) {
      if (colon == 0) fail(text, "no chain name");
      chain = range.substr(0, colon);
      range.remove_prefix(colon + 1);
    } else if (!looks_like_range(range)) {
      fail(text, fmt::format("no chain '{}'; there are: {}", range, chain_names()));
    }
    if (chain.empty()) {
      fail(text, fmt::format("which of the {} chains? There are: {}; write {}:{}", chains_.size(),
                             chain_names(), chains_.empty() ? "A" : chains_.front().name, range));
    }
    add_range(chain, Range(text, range), selected);
    has_more = comma < rest.size();
    if (has_more) rest.remove_prefix(comma + 1);
  }
  return selected;
}

std::vector<int> ResidueFinder::find_whole(const std::string& text) const {
  auto selected = find(text);
  for (const std::string& missing : selected.missing) {
    throw StructureError(
        fmt::format("{} {}: the structure lacks residues of {}; name residues that it has",
                    subject_, in_quotes(text), missing));
  }
  return std::move(selected.indices);
}

void ResidueFinder::add_range(std::string_view chain, const Range& range,
                              SelectedResidues& selected) const {
  for (const Bound* bound : {&range.first, &range.last}) {
    if (bound->is_number) continue;
    fail(range.whole, fmt::format("{} is not a residue number", in_quotes(bound->text)));
  }
  const auto called = chains_called(chain);
  if (called.empty()) {
    fail(range.whole, fmt::format("no chain '{}'; there are: {}", chain, chain_names()));
  }
  bool is_complete = false;
  std::vector<int> indices;
  for (const LabelledChain* one : called) {
    const Found found = range.is_single ? single_in(*one, range) : range_in(*one, range);
    if (found.indices.empty()) continue;
    is_complete |= found.is_complete;
    indices.insert(indices.end(), found.indices.begin(), found.indices.end());
  }
  const auto label = [&](int index) { return to_text(label_of_(index)); };
  if (indices.empty()) {
    const int first = called.front()->first, last = first + called.front()->count - 1;
    fail(range.whole, fmt::format("chain {} has no residue {}; its residues are {} to {}", chain,
                                  range.text, label(first), label(last)));
  }
  if (!is_complete) {
    selected.missing.push_back(fmt::format("{}:{} (the structure has {} to {} of it)", chain,
                                           range.text, label(indices.front()),
                                           label(indices.back())));
  }
  selected.indices.insert(selected.indices.end(), indices.begin(), indices.end());
}

ResidueFinder::Found ResidueFinder::single_in(const LabelledChain& chain,
                                              const Range& range) const {
  Found plain, all;
  for (int i = chain.first; i < chain.first + chain.count; ++i) {
    const ResidueLabel label = label_of_(i);
    if (!range.first.matches(label)) continue;
    all.indices.push_back(i);
    if (label.insertion_code == ' ') plain.indices.push_back(i);
  }
  return plain.indices.empty() ? all : plain;
}

ResidueFinder::Found ResidueFinder::range_in(const LabelledChain& chain, const Range& range) const {
  // A missing end is replaced by the outermost residue whose number is between both.
  const auto [low, high] = std::minmax(range.first.number, range.last.number);
  int first = -1, last = -1, lowest = -1, highest = -1;
  for (int i = chain.first; i < chain.first + chain.count; ++i) {
    const ResidueLabel label = label_of_(i);
    if (first < 0 && range.first.matches(label)) first = i;
    if (range.last.matches(label)) last = i;
    if (label.number < low || label.number > high) continue;
    if (lowest < 0) lowest = i;
    highest = i;
  }
  if (lowest < 0) return {};
  const bool is_complete = first >= 0 && last >= 0;
  if (first < 0) first = lowest;
  if (last < 0) last = highest;
  if (first > last || (!is_complete && range.last.number < range.first.number)) {
    fail(range.whole, fmt::format("range {} runs backwards: in the file {} is behind {}",
                                  in_quotes(range.text), range.first.text, range.last.text));
  }
  Found found{{}, is_complete};
  for (int i = first; i <= last; ++i) found.indices.push_back(i);
  return found;
}

}  // namespace nfold::structure
