// Parsing of number fields and labels of residues, shared by the readers.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/structure/raw_residue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/parse_number.hpp"
#include "model/structure/point.hpp"

namespace nfold::structure {

std::string heavy_atom_name(bool is_amino_acid, const std::string& name, std::string_view element) {
  const auto is_element = [element](char first, char second) {
    const auto upper = [](char c) { return static_cast<char>(c & ~0x20); };
    return element.size() == (second == 0 ? 1U : 2U) && upper(element[0]) == first &&
           (second == 0 || upper(element[1]) == second);
  };
  if (is_amino_acid) {
    // D is deuterium; M and Q are pseudo-atoms of NMR, L lone pairs.
    const std::size_t letter = std::min(name.find_first_not_of("0123456789'*\""), name.size() - 1);
    return std::string_view("HDMQL").find(name[letter]) == std::string_view::npos ? name : "";
  }
  if (is_element('H', 0) || is_element('D', 0) || (element.empty() && name[0] == 'H')) return "";
  return name == "CA" && is_element('C', 'A') ? "Ca" : name;
}

void fail_at(const std::string& name, long line, const std::string& what) {
  throw StructureError(fmt::format("{}:{}: {}", name, line, what));
}

bool parse_number(std::string_view field, double& value) {
  const auto number = core::parse_number<double>(trim(field));
  value = number.value_or(value);
  return number && std::isfinite(value);
}

bool parse_integer(std::string_view field, int& value) {
  const auto number = core::parse_number<int>(trim(field));
  value = number.value_or(value);
  return number.has_value();
}

std::string describe_residue(std::string_view name, int number, char insertion_code,
                             const std::string& chain) {
  std::string text = fmt::format("{} {}", name, number);
  if (insertion_code != ' ') text += insertion_code;
  return text + (chain.empty() ? " (no chain name)" : fmt::format(" (chain {})", chain));
}
std::string describe_residue(const RawResidue& residue) {
  return describe_residue(residue.name, residue.number, residue.insertion_code, residue.chain);
}
std::string describe_residue(const Residue& residue, const std::string& chain) {
  return describe_residue(residue.name, residue.number, residue.insertion_code, chain);
}
std::string describe_gap(const Residue& here, const Residue& next, const std::string& chain) {
  return fmt::format("{} to {}, {:.2f} nm", describe_residue(here, chain),
                     describe_residue(next, chain), distance(here.calpha_nm, next.calpha_nm));
}

}  // namespace nfold::structure
