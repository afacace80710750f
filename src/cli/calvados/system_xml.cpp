// Reader of OpenMM's XML, and comparison of its terms with those of a topology.
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/calvados/system_xml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "core/input_error.hpp"
#include "core/parse_number.hpp"

namespace nfold::calvados {
namespace {

/// Numbers of a term by its beads, in ascending order of the first and last.
using Terms = std::map<std::vector<int>, std::vector<double>>;

/// A tag with its attributes; `is_end` for </name>.
struct Tag {
  std::string_view name;
  bool is_end = false;
  std::map<std::string_view, std::string_view> attributes;
};

/// Reader of tags, which skips all other text.
class TagReader {
 public:
  TagReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  std::optional<Tag> next() {
    while (true) {
      const auto begin = text_.find('<', at_);
      if (begin == std::string_view::npos) return std::nullopt;
      const auto end = text_.find('>', begin);
      if (end == std::string_view::npos) fail("a tag without end");
      line_ += std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                          text_.begin() + static_cast<std::ptrdiff_t>(end), '\n');
      at_ = end + 1;
      auto inside = text_.substr(begin + 1, end - begin - 1);
      if (inside.starts_with('?') || inside.starts_with('!')) continue;
      return parse(inside);
    }
  }
  [[noreturn]] void fail(std::string problem) const {
    throw core::InputError({file_, static_cast<int>(line_), 0}, std::move(problem),
                           "the file should be the System that CALVADOS writes at each start");
  }

 private:
  Tag parse(std::string_view inside) const {
    Tag tag;
    if (inside.starts_with('/')) {
      tag.is_end = true;
      inside.remove_prefix(1);
    }
    if (inside.ends_with('/')) inside.remove_suffix(1);
    constexpr std::string_view blanks = " \t\r\n";
    const auto name_end = std::min(inside.find_first_of(blanks), inside.size());
    tag.name = inside.substr(0, name_end);
    inside.remove_prefix(name_end);
    while (true) {
      const auto first = inside.find_first_not_of(blanks);
      if (first == std::string_view::npos) return tag;
      const auto open = inside.find("=\"", first);
      if (open == std::string_view::npos) fail("an attribute without value");
      const auto close = inside.find('"', open + 2);
      if (close == std::string_view::npos) fail("an attribute without end");
      tag.attributes[inside.substr(first, open - first)] =
          inside.substr(open + 2, close - open - 2);
      inside.remove_prefix(close + 1);
    }
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::ptrdiff_t line_ = 1;
};

/// Terms of a System by kind.
struct SystemTerms {
  std::vector<double> masses, charges;
  Terms harmonic;     ///< length, k
  Terms angles;       ///< theta0, k
  Terms go;           ///< minimum, depth
  Terms local_pairs;  ///< sigma, lambda, epsilon with the factor
  std::set<std::vector<int>> exclusions;
};

class SystemReader {
 public:
  SystemReader(std::string_view text, const std::string& file) : tags_(text, file) {}

  SystemTerms read() {
    const auto root = tags_.next();
    if (!root || root->name != "System") tags_.fail("no <System> first");
    while (const auto tag = tags_.next()) {
      if (tag->name == "Force") {
        begin_force(*tag);
      } else if (!tag->is_end) {
        read_item(*tag);
      }
    }
    if (terms_.masses.empty()) tags_.fail("no particles");
    return std::move(terms_);
  }

 private:
  enum class Force { none, bonds, angles, go, local_pairs, charges, contacts, other };

  void begin_force(const Tag& tag) {
    force_ = Force::none;
    if (tag.is_end) return;
    const auto type = text_of(tag, "type");
    const auto energy = tag.attributes.contains("energy") ? text_of(tag, "energy") : "";
    force_ = Force::other;
    if (type == "HarmonicBondForce") force_ = Force::bonds;
    if (type == "HarmonicAngleForce") force_ = Force::angles;
    if (type == "CustomBondForce" && energy.starts_with("k*(5*")) force_ = Force::go;
    if (type == "CustomBondForce" && energy.starts_with("select(")) force_ = Force::local_pairs;
    if (type == "CustomNonbondedForce") {
      force_ = energy.starts_with("q*") ? Force::charges : Force::contacts;
    }
  }

  void read_item(const Tag& tag) {
    if (tag.name == "Particle" && tag.attributes.contains("mass")) {
      terms_.masses.push_back(number(tag, "mass"));
    } else if (tag.name == "Particle" && force_ == Force::charges) {
      terms_.charges.push_back(number(tag, "param1"));
    } else if (tag.name == "Exclusion" && force_ == Force::contacts) {
      terms_.exclusions.insert(beads(tag, {"p1", "p2"}));
    } else if (tag.name == "Angle" && force_ == Force::angles) {
      terms_.angles[beads(tag, {"p1", "p2", "p3"})] = {number(tag, "a"), number(tag, "k")};
    } else if (tag.name == "Parameter" && tag.attributes.contains("default")) {
      if (text_of(tag, "name") == "eps") epsilon_ = number(tag, "default");
    } else if (tag.name == "Bond") {
      read_bond(tag);
    }
  }
  void read_bond(const Tag& tag) {
    const auto pair = beads(tag, {"p1", "p2"});
    if (force_ == Force::bonds) terms_.harmonic[pair] = {number(tag, "d"), number(tag, "k")};
    if (force_ == Force::go) {
      terms_.go[pair] = {number(tag, "param1"), number(tag, "param2")};
    }
    if (force_ == Force::local_pairs) {
      terms_.local_pairs[pair] = {number(tag, "param1"), number(tag, "param2"),
                                  epsilon_ * number(tag, "param3")};
    }
  }

  [[nodiscard]] std::string_view text_of(const Tag& tag, std::string_view name) const {
    const auto found = tag.attributes.find(name);
    if (found == tag.attributes.end()) tags_.fail(fmt::format("<{}> without {}", tag.name, name));
    return found->second;
  }
  [[nodiscard]] double number(const Tag& tag, std::string_view name) const {
    const auto value = core::parse_number<double>(text_of(tag, name));
    if (!value) tags_.fail(fmt::format("<{}> has {} = '{}'", tag.name, name, text_of(tag, name)));
    return *value;
  }
  [[nodiscard]] std::vector<int> beads(const Tag& tag,
                                       std::initializer_list<std::string_view> names) const {
    std::vector<int> all;
    for (const auto name : names) {
      const auto bead = core::parse_number<int>(text_of(tag, name));
      if (!bead) tags_.fail(fmt::format("<{}> has {} = '{}'", tag.name, name, text_of(tag, name)));
      all.push_back(*bead);
    }
    if (all.front() > all.back()) std::ranges::reverse(all);
    return all;
  }

  TagReader tags_;
  Force force_ = Force::none;
  double epsilon_ = 1;  // energy unit of stacked and scaled pairs [kJ/mol]
  SystemTerms terms_;
};

template <class Term>
void add_terms(const Term& terms, std::size_t numbers, Terms& all) {
  for (const auto& term : terms) {
    const auto parts = term.parts();
    std::vector<int> beads(parts.residues.begin(), parts.residues.end());
    if (beads.front() > beads.back()) std::ranges::reverse(beads);
    all[beads] = {parts.numbers.begin(),
                  parts.numbers.begin() + static_cast<std::ptrdiff_t>(numbers)};
  }
}

std::string bead_list(const std::vector<int>& beads) {
  std::string text;
  for (const int bead : beads) text += fmt::format(" {}", bead + 1);
  return text;
}

double relative_difference(double ours, double theirs) {
  const double scale = std::max(std::abs(ours), std::abs(theirs));
  return scale > 0 ? std::abs(ours - theirs) / scale : 0;
}

/// Returns a line on the terms of one kind.
std::string compare_terms(std::string_view name, const Terms& ours, const Terms& theirs) {
  std::size_t here_alone = 0, there_alone = 0;
  double largest = 0;
  std::vector<int> worst;
  for (const auto& [beads, numbers] : ours) {
    const auto found = theirs.find(beads);
    if (found == theirs.end()) {
      ++here_alone;
      continue;
    }
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      const double difference = relative_difference(numbers[k], found->second.at(k));
      if (difference <= largest) continue;
      largest = difference;
      worst = beads;
    }
  }
  for (const auto& one : theirs) there_alone += ours.contains(one.first) ? 0 : 1;
  auto line = fmt::format("{}: {}, largest difference {:.2g}", name, ours.size(), largest);
  if (!worst.empty()) line += fmt::format(" (beads{})", bead_list(worst));
  if (here_alone + there_alone > 0) {
    line += fmt::format("; {} only here, {} only in the System", here_alone, there_alone);
  }
  return line;
}

std::string compare_columns(std::string_view name, const std::vector<double>& ours,
                            const std::vector<double>& theirs) {
  double largest = 0;
  for (std::size_t i = 0; i < std::min(ours.size(), theirs.size()); ++i) {
    largest = std::max(largest, relative_difference(ours[i], theirs[i]));
  }
  auto line = fmt::format("{}: {}, largest difference {:.2g}", name, ours.size(), largest);
  if (ours.size() != theirs.size()) line += fmt::format("; the System has {}", theirs.size());
  return line;
}

}  // namespace

std::vector<std::string> compare_with_system(const topology::Topology& topology,
                                             std::string_view text, const std::string& file) {
  const auto system = SystemReader(text, file).read();
  std::vector<double> masses, charges;
  for (const topology::Residue& bead : topology.residues) {
    masses.push_back(bead.mass_amu);
    charges.push_back(bead.charge_e);
  }
  Terms harmonic, angles, go, local_pairs;
  add_terms(topology.bonds, 2, harmonic);
  add_terms(topology.restraints, 2, harmonic);
  add_terms(topology.angles, 2, angles);
  add_terms(topology.contacts_12_10, 2, go);
  for (const topology::LocalPair& pair : topology.local_pairs) {
    local_pairs[{std::min(pair.i, pair.j), std::max(pair.i, pair.j)}] = {pair.sigma_nm, pair.lambda,
                                                                         pair.epsilon_kj_mol};
  }
  Terms excluded, system_excluded;
  for (const auto& [i, j] : topology.exclusions) excluded[{i, j}] = {};
  for (const auto& pair : system.exclusions) system_excluded[pair] = {};
  return {compare_columns("masses", masses, system.masses),
          compare_columns("charges", charges, system.charges),
          compare_terms("bonds and restraints", harmonic, system.harmonic),
          compare_terms("angles", angles, system.angles),
          compare_terms("12-10 contacts", go, system.go),
          compare_terms("stacked and scaled pairs", local_pairs, system.local_pairs),
          compare_terms("excluded pairs", excluded, system_excluded)};
}

}  // namespace nfold::calvados
