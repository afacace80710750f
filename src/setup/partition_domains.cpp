// Ranges of residue numbers, looked up in every molecule that has the chain.
// SPDX-License-Identifier: BSD-3-Clause

#include "setup/partition_domains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "job/refusal.hpp"

namespace nfold::setup {
namespace {

class DomainTexts {
 public:
  explicit DomainTexts(const topology::Topology& topology)
      : topology_(topology), domain_of_(topology.residues.size(), -1) {
    for (const auto& chain : topology.chains) names_.insert(chain.name);
  }

  void read(const std::string& text) {
    text_ = &text;
    domain_of_molecule_.clear();
    std::string_view chain = names_.size() == 1 ? std::string_view(*names_.begin()) : "";
    for (std::size_t begin = 0; begin <= text.size();) {
      const auto end = std::min(text.find(',', begin), text.size());
      std::string_view range = std::string_view(text).substr(begin, end - begin);
      const auto colon = range.rfind(':');
      if (colon != std::string_view::npos) {
        chain = range.substr(0, colon);
        range.remove_prefix(colon + 1);
      }
      mark(chain, range);
      begin = end + 1;
    }
  }
  [[nodiscard]] std::vector<int> take() { return std::move(domain_of_); }

 private:
  [[noreturn]] void refuse(const std::string& problem, const std::string& remedy) const {
    job::refuse(fmt::format("partition.domains, '{}'", *text_), problem, remedy);
  }

  [[nodiscard]] int number_of(std::string_view text) const {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || text.empty()) {
      refuse(fmt::format("'{}' is no residue number", text), "write 10-50 or A:10-50,60-72");
    }
    return number;
  }

  void mark(std::string_view name, std::string_view range) {
    if (name.empty()) {
      refuse(fmt::format("which of the chains {}?", fmt::join(names_, ", ")),
             fmt::format("write {}:{}", *names_.begin(), range));
    }
    const auto dash = range.find('-', 1);  // a number may be negative
    if (dash == std::string_view::npos) {
      refuse(fmt::format("'{}' is no range", range), "write FIRST-LAST, as in 10-50");
    }
    const int low = number_of(range.substr(0, dash)), high = number_of(range.substr(dash + 1));
    bool is_chain = false, is_range = false;
    for (const auto& chain : topology_.chains) {
      if (chain.name != name) continue;
      is_chain = true;
      is_range = mark(chain, low, high) || is_range;
    }
    if (!is_chain) {
      refuse(fmt::format("no chain '{}'", name),
             fmt::format("name one of {}", fmt::join(names_, ", ")));
    }
    if (!is_range) {
      refuse(fmt::format("chain {} has no residue from {} to {}", name, low, high),
             "take numbers as in the structure file");
    }
  }

  bool mark(const topology::Chain& chain, int low, int high) {
    bool any = false;
    for (int id = chain.first; id < chain.first + chain.count; ++id) {
      const int number = topology_.residues[static_cast<std::size_t>(id)].number;
      if (number < low || number > high) continue;
      int& mine = domain_of_[static_cast<std::size_t>(id)];
      if (mine >= 0) {
        refuse(topology::residue_label(topology_, id) + " is in a domain already",
               "a residue belongs to one domain");
      }
      mine = domain_of_molecule_.try_emplace(chain.molecule, domains_).first->second;
      if (mine == domains_) ++domains_;
      any = true;
    }
    return any;
  }

  const topology::Topology& topology_;
  std::set<std::string> names_;
  std::vector<int> domain_of_;
  std::map<int, int> domain_of_molecule_;  // of the text at hand
  int domains_ = 0;
  const std::string* text_ = nullptr;
};

}  // namespace

std::vector<int> given_domains(const topology::Topology& topology,
                               const std::vector<std::string>& texts) {
  if (texts.empty()) return {};
  DomainTexts domains(topology);
  for (const auto& text : texts) domains.read(text);
  return domains.take();
}

}  // namespace nfold::setup
