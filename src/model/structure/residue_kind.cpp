// Classification of residue names by gemmi's table of residues.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/structure/residue_kind.hpp"

#include <algorithm>
#include <array>
#include <gemmi/resinfo.hpp>
#include <string_view>
#include <utility>

#include "model/structure/fasta.hpp"

namespace nfold::structure {
namespace {

using Names = std::pair<std::string_view, std::string_view>;

// Names of protonation and bonding states in AMBER, CHARMM and GROMACS files: the standard residue.
constexpr std::array<Names, 20> force_field_names{
    {{"HID", "HIS"}, {"HIE", "HIS"}, {"HIP", "HIS"}, {"HSD", "HIS"}, {"HSE", "HIS"},
     {"HSP", "HIS"}, {"HDE", "HIS"}, {"HYD", "HIS"}, {"CYX", "CYS"}, {"CYM", "CYS"},
     {"CYN", "CYS"}, {"CYP", "CYS"}, {"ASH", "ASP"}, {"GLH", "GLU"}, {"LYN", "LYS"},
     {"LYP", "LYS"}, {"ARN", "ARG"}, {"TYM", "TYR"}, {"TRY", "TRP"}, {"ILU", "ILE"}}};
// Four-letter protonation and bonding states in GROMOS, OPLS and CHARMM files.
constexpr std::array<Names, 24> four_letter_names{
    {{"LYSH", "LYS"}, {"LYSP", "LYS"}, {"LYSN", "LYN"}, {"ARGP", "ARG"}, {"ARGN", "ARN"},
     {"ASPP", "ASH"}, {"ASPH", "ASH"}, {"GLUP", "GLH"}, {"GLUH", "GLH"}, {"HISA", "HID"},
     {"HISB", "HIE"}, {"HISD", "HID"}, {"HISE", "HIE"}, {"HISH", "HIP"}, {"HISP", "HIP"},
     {"HIS1", "HIS"}, {"HIS2", "HIS"}, {"CYSH", "CYS"}, {"CYSX", "CYX"}, {"CYSS", "CYX"},
     {"CYS1", "CYX"}, {"CYS2", "CYX"}, {"TYRH", "TYR"}, {"TYRN", "TYM"}}};
constexpr std::array<std::string_view, 6> caps{"ACE", "NME", "NH2", "NMA", "FOR", "NHE"};
constexpr std::array<std::string_view, 4> waters{"SOL", "TIP", "SPC", "HHO"};

std::string parent_of(char letter) {
  // B, Z, O, U and J are ambiguous or rare residues; they count as the closest of the 20.
  switch (letter & ~0x20) {
    case 'B':
      return "ASP";
    case 'Z':
      return "GLU";
    case 'U':
      return "CYS";
    case 'O':
      return "LYS";
    case 'J':
      return "LEU";
    default:
      break;
  }
  const std::string name = to_residue_name(letter);
  return name.empty() ? "UNK" : name;
}

NamedResidue kind_of_three(const std::string& name) {
  for (const auto& [alias, parent] : force_field_names) {
    if (name == alias) return {ResidueKind::amino_acid, std::string(parent)};
  }
  if (std::ranges::find(caps, name) != caps.end()) return {ResidueKind::cap, {}};
  if (std::ranges::find(waters, name) != waters.end()) return {ResidueKind::water, {}};
  if (name == "T") return {ResidueKind::nucleic_acid, {}};  // thymidine before 2007
  const gemmi::ResidueInfo info = gemmi::find_tabulated_residue(name);
  if (info.is_water()) return {ResidueKind::water, {}};
  if (info.is_nucleic_acid()) return {ResidueKind::nucleic_acid, {}};
  if (!info.is_amino_acid()) return {ResidueKind::other, {}};
  const std::string parent = parent_of(info.one_letter_code);
  if (info.kind == gemmi::ResidueInfo::AAD) return {ResidueKind::d_amino_acid, parent};
  return {parent == name || name == "UNK" ? ResidueKind::amino_acid : ResidueKind::modified,
          parent};
}

bool is_plain_amino_acid(std::string_view name) {
  return kind_of_three(std::string(name)).kind == ResidueKind::amino_acid;
}

}  // namespace

std::string three_letters(std::string_view name) {
  if (name.size() != 4) return {};
  for (const auto& [alias, three] : four_letter_names) {
    if (name == alias) return std::string(three);
  }
  // AMBER marks both chain ends with a prefix, smog_adjustPDB the last residue with a suffix.
  const std::string_view behind = name.substr(1), before = name.substr(0, 3);
  if ((name[0] == 'N' || name[0] == 'C') && is_plain_amino_acid(behind)) return std::string(behind);
  return name[3] == 'T' && is_plain_amino_acid(before) ? std::string(before) : std::string();
}

std::optional<Nucleotide> find_nucleotide(std::string name) {
  if (name == "T") return Nucleotide{'T', true};
  gemmi::ResidueInfo info = gemmi::find_tabulated_residue(name);
  if (!info.found() && name.size() >= 2) {
    // AMBER marks ends by 5 and 3, free nucleotides by N, RNA by R.
    if (std::string_view("53N").find(name.back()) != std::string_view::npos) name.pop_back();
    if (name.size() == 2 && name[0] == 'R') name.erase(0, 1);
    info = gemmi::find_tabulated_residue(name);
  }
  const auto letter = static_cast<char>(info.one_letter_code & ~0x20);
  if (!info.is_nucleic_acid() || std::string_view("ACGTU").find(letter) == std::string_view::npos) {
    return std::nullopt;
  }
  return Nucleotide{letter, info.is_dna()};
}

NamedResidue residue_kind(const std::string& name) {
  const std::string three = three_letters(name);
  return kind_of_three(three.empty() ? name : three);
}

}  // namespace nfold::structure
