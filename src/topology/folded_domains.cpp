// Domains from the texts of an input.
// SPDX-License-Identifier: BSD-3-Clause
#include "topology/folded_domains.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

namespace nfold::topology {
namespace {

using structure::StructureError;

class DomainReader {
 public:
  explicit DomainReader(const structure::Structure& structure)
      : structure_(structure),
        domain_of_(static_cast<std::size_t>(structure.residue_count()), -1) {}

  void read(const std::string& text, int domain) {
    text_ = &text;
    std::string_view rest = text;
    std::size_t first = 0;
    const structure::Chain& chain = take_chain(rest, first);
    if (rest.empty()) refuse("no range", "write 10-50 or 10-50,60-72");
    while (!rest.empty()) {
      const auto end = std::min(rest.find(','), rest.size());
      mark(chain, first, rest.substr(0, end), domain);
      const bool more = end < rest.size();
      rest.remove_prefix(more ? end + 1 : end);
      if (more && rest.empty()) refuse("nothing behind the last comma", "take the comma out");
    }
  }

  [[nodiscard]] std::vector<int> take() { return std::move(domain_of_); }

 private:
  [[noreturn]] void refuse(const std::string& what, const std::string& remedy) const {
    throw StructureError(
        fmt::format("{}: domain '{}': {}; {}", structure_.name, *text_, what, remedy));
  }

  /// `first` becomes the index of the chain's first residue.
  const structure::Chain& take_chain(std::string_view& text, std::size_t& first) const {
    const auto colon = text.find(':');
    if (colon == std::string_view::npos) {
      if (structure_.chains.size() > 1) {
        refuse(fmt::format("which of the {} chains?", structure_.chains.size()),
               fmt::format("write {}:{}", structure_.chains.front().name, text));
      }
      return structure_.chains.front();
    }
    const std::string_view name = text.substr(0, colon);
    text.remove_prefix(colon + 1);
    for (const structure::Chain& chain : structure_.chains) {
      if (chain.name == name) return chain;
      first += chain.residues.size();
    }
    refuse(fmt::format("no chain '{}'", name), "name one of the structure");
  }

  int number_of(std::string_view text) const {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || text.empty()) {
      refuse(fmt::format("'{}' is no residue number", text), "write 10-50 or 10-50,60-72");
    }
    return number;
  }

  std::size_t index_of(const structure::Chain& chain, int number) const {
    for (std::size_t i = 0; i < chain.residues.size(); ++i) {
      if (chain.residues[i].number == number) return i;
    }
    refuse(fmt::format("chain {} has no residue {}", chain.name, number),
           fmt::format("its residues are {} to {}", chain.residues.front().number,
                       chain.residues.back().number));
  }

  void mark(const structure::Chain& chain, std::size_t first, std::string_view range, int domain) {
    const auto dash = range.find('-', 1);  // a number may be negative
    if (dash == std::string_view::npos) {
      refuse(fmt::format("'{}' is no range", range), "write FIRST-LAST");
    }
    const int low = number_of(range.substr(0, dash)), high = number_of(range.substr(dash + 1));
    if (low > high) refuse(fmt::format("{} is after {}", low, high), "write FIRST-LAST");
    const std::size_t begin = index_of(chain, low);
    std::size_t end = index_of(chain, high);
    // Residues with an insertion code share a number.
    while (end + 1 < chain.residues.size() && chain.residues[end + 1].number == high) ++end;
    for (std::size_t i = begin; i <= end; ++i) {
      int& mine = domain_of_[first + i];
      if (mine >= 0) {
        refuse(fmt::format("residue {} {} is in domain {} already", chain.residues[i].name,
                           chain.residues[i].number, mine + 1),
               "a residue belongs to one domain");
      }
      mine = domain;
    }
  }

  const structure::Structure& structure_;
  std::vector<int> domain_of_;
  const std::string* text_ = nullptr;
};

}  // namespace

std::vector<int> folded_domains(const structure::Structure& structure,
                                const std::vector<std::string>& domains) {
  if (domains.size() == 1 && domains.front() == "auto") return find_domains(structure);
  DomainReader reader(structure);
  for (std::size_t i = 0; i < domains.size(); ++i) reader.read(domains[i], static_cast<int>(i));
  return reader.take();
}

}  // namespace nfold::topology
