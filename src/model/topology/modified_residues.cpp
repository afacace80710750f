// Table rows and charges of modified residues.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/topology/modified_residues.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "model/structure/fasta.hpp"
#include "model/structure/raw_residue.hpp"
#include "model/structure/residue_kind.hpp"
#include "model/structure/tally.hpp"

namespace nfold::topology {
namespace {

/// Formal charges of side chains at pH 7 [e]: -2 of a phosphate ester (pKa of the second proton 5.6
/// to 6), -1 of a sulfate or carboxylate, +1 of an ammonium; and those of names of protonation
/// states.
constexpr std::array<std::pair<std::string_view, double>, 34> charges_e{
    {{"SEP", -2}, {"TPO", -2}, {"PTR", -2}, {"NEP", -2}, {"TYS", -1}, {"CGU", -2}, {"KCX", -1},
     {"CSD", -1}, {"OCS", -1}, {"SEC", -1}, {"CSO", 0},  {"CME", 0},  {"ALY", 0},  {"MLZ", 1},
     {"MLY", 1},  {"M3L", 1},  {"CIR", 0},  {"DA2", 1},  {"2MR", 1},  {"AGM", 1},  {"PCA", 0},
     {"HYP", 0},  {"MSE", 0},  {"FME", 0},  {"ASH", 0},  {"GLH", 0},  {"LYN", 0},  {"ARN", 0},
     {"CYM", -1}, {"TYM", -1}, {"HIP", 1},  {"HSP", 1},  {"SAR", 0},  {"MLE", 0}}};

/// Returns the three-letter name of a protonation state with four letters; empty for a residue
/// without a file.
std::string three_letter_name(const structure::Residue& residue) {
  const std::string three = structure::three_letters(residue.file_name);
  return three.empty() ? residue.file_name : three;
}

std::optional<double> charge_of_name(std::string_view name) {
  const auto* const row =
      std::ranges::find(charges_e, name, &std::pair<std::string_view, double>::first);
  return row == charges_e.end() ? std::nullopt : std::optional(row->second);
}

/// Returns the first bead of the name, which is not of a folded domain; -1: none.
int find_type(const input::ForceField& field, std::string_view name) {
  const auto found = std::ranges::find(field.beads, name, &input::BeadType::name);
  return found == field.beads.end() ? -1 : static_cast<int>(found - field.beads.begin());
}

bool is_one_of_twenty(const std::string& name) {
  constexpr std::string_view codes = "ACDEFGHIKLMNPQRSTVWY";
  return std::any_of(codes.begin(), codes.end(),
                     [&](char code) { return structure::to_residue_name(code) == name; });
}

class ModifiedResidues {
 public:
  explicit ModifiedResidues(const input::ForceField* field) : field_(field) {}

  void add(const structure::Residue& residue, const std::string& chain) {
    const std::string name = three_letter_name(residue);
    if (name.empty() || name == residue.name) return;
    const std::string text = structure::describe_residue(residue.file_name, residue.number,
                                                         residue.insertion_code, chain);
    const int type = field_ != nullptr ? type_for(residue, *field_) : -1;
    const auto* row = type < 0 ? nullptr : &field_->beads[static_cast<std::size_t>(type)];
    if (row != nullptr && row->name != residue.name) {
      own_.add(text);
      return;
    }
    const bool is_modified = structure::residue_kind(name).kind == structure::ResidueKind::modified;
    const auto charge = charge_of_name(name);
    const double lost = charge && row != nullptr ? *charge - row->charge_e : 0;
    if (!is_modified && lost == 0) return;
    parents_.add(fmt::format("{} as {}", text, residue.name));
    lost_e_ += lost;
    unknown_ += charge ? 0 : 1;
  }

  [[nodiscard]] std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    own_.note("residues with rows of their own in the table", lines);
    if (parents_.count() == 0) return lines;
    std::string line = parents_.line("modified residues counted as their parents");
    constexpr double least_e = 0.005;
    const bool is_charged = field_ != nullptr && std::abs(lost_e_) > least_e;
    if (is_charged) line += fmt::format("; a charge of {:+.2f} e is lost by it", lost_e_);
    if (field_ != nullptr && unknown_ > 0) {
      line += fmt::format("; the charge of {} of them is not known here", unknown_);
    }
    if (is_charged) {
      line = "warning: " + line + "; give them rows of their own (force_field.table)";
    }
    lines.push_back(std::move(line));
    return lines;
  }

 private:
  const input::ForceField* field_;
  structure::Tally own_, parents_;
  double lost_e_ = 0;
  int unknown_ = 0;
};

}  // namespace

int type_for(const structure::Residue& residue, const input::ForceField& field) {
  for (const std::string& name : {residue.file_name, three_letter_name(residue), residue.name}) {
    if (const int type = name.empty() ? -1 : find_type(field, name); type >= 0) return type;
  }
  return -1;
}

std::vector<std::string> describe_modified_residues(const structure::Structure& structure,
                                                    const input::ForceField* field) {
  ModifiedResidues modified(field);
  for (const structure::Chain& chain : structure.chains) {
    if (chain.kind != "protein") continue;
    for (const structure::Residue& residue : chain.residues) modified.add(residue, chain.name);
  }
  return modified.lines();
}

std::string unused_beads(const input::ForceField& field, const std::vector<int>& used_types) {
  std::vector<std::string> unused;
  for (int type = 0; type < field.bead_count(); ++type) {
    const std::string& name = field.beads[static_cast<std::size_t>(type)].name;
    const bool is_used = std::ranges::any_of(
        used_types, [&](int used) { return used == type || used == field.folded_type(type); });
    if (!is_used && !is_one_of_twenty(name)) unused.push_back(name);
  }
  return fmt::format("{}", fmt::join(unused, ", "));
}

}  // namespace nfold::topology
