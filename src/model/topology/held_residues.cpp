// Ranges of residues by the terms that keep their native shape.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/topology/held_residues.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string_view>
#include <utility>

#include "core/text.hpp"
#include "model/topology/geometry.hpp"

namespace nfold::topology {
namespace {

/// Kinds of terms that hold a shape, in the order of the text.
enum Hold { springs, contacts, angles, hold_count };
constexpr std::array<std::string_view, hold_count> hold_names{"springs", "native contacts",
                                                              "native angles and dihedrals"};

class HeldRanges {
 public:
  explicit HeldRanges(const Topology& topology) : topology_(topology) {
    for (const Chain& chain : topology.chains) {
      const auto species = static_cast<std::size_t>(chain.species);
      if (molecule_of_.size() <= species) molecule_of_.resize(species + 1, -1);
      if (molecule_of_[species] < 0) molecule_of_[species] = chain.molecule;
    }
    row_of_.resize(topology.residues.size(), -1);
    first_domain_.resize(molecule_of_.size(), -1);
    int rows = 0;
    for (const Chain& chain : topology.chains) {
      if (!is_first(chain)) continue;
      int& first_domain = first_domain_[static_cast<std::size_t>(chain.species)];
      for (int id = chain.first; id < chain.first + chain.count; ++id) {
        row_of_[static_cast<std::size_t>(id)] = rows++;
        const int domain = residue(id).domain;
        if (domain >= 0 && (first_domain < 0 || domain < first_domain)) first_domain = domain;
      }
    }
    for (auto& ids : terms_) ids.resize(static_cast<std::size_t>(rows));
    add(RestraintKind{}, springs);
    add(Contact1210Kind{}, contacts);
    add(ContactGaussianKind{}, contacts);
    add(AngleKind{}, angles);
    add(DihedralKind{}, angles);
  }

  [[nodiscard]] std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    bool any_held = false;
    for (const Chain& chain : topology_.chains) {
      if (!is_first(chain)) continue;
      const int last = chain.first + chain.count;
      for (int first = chain.first; first < last;) {
        int next = first + 1;
        while (next < last && same(first, next)) ++next;
        any_held |= is_held(first);
        lines.push_back(line(chain, first, next));
        first = next;
      }
    }
    return any_held ? lines : std::vector<std::string>();
  }

 private:
  [[nodiscard]] bool is_first(const Chain& chain) const {
    return molecule_of_[static_cast<std::size_t>(chain.species)] == chain.molecule;
  }
  template <class Kind>
  void add(Kind kind, Hold hold) {
    int index = 0;
    for (const auto& term : terms_of(topology_, kind)) {
      ++index;
      const auto [residues, numbers] = term.parts();
      if (row_of_[static_cast<std::size_t>(residues[0])] < 0 || !is_native(term)) continue;
      for (const int id : residues) {
        const int row = row_of_[static_cast<std::size_t>(id)];
        if (row >= 0) terms_[hold][static_cast<std::size_t>(row)].push_back(index + offset_);
      }
    }
    offset_ += index;
  }
  /// True for an angle of the structure; those of a chain kind, as of RNA, hold no shape.
  [[nodiscard]] bool is_native(const Angle& angle) const {
    return is_near(angle.theta0_rad, angle_at(at(angle.i), at(angle.j), at(angle.k)));
  }
  [[nodiscard]] bool is_native(const Dihedral& dihedral) const {
    return is_near(dihedral.phi0_rad,
                   dihedral_at(at(dihedral.i), at(dihedral.j), at(dihedral.k), at(dihedral.l)));
  }
  [[nodiscard]] static bool is_native(const auto& /*term*/) { return true; }
  /// True if two angles are equal within the digits of a molecule file; false for NaN.
  [[nodiscard]] static bool is_near(double a, double b) {
    constexpr double digits_rad = 1e-5;
    return std::abs(std::remainder(a - b, 2 * std::numbers::pi)) < digits_rad;
  }
  [[nodiscard]] Point at(int id) const { return topology_.native_nm[static_cast<std::size_t>(id)]; }
  [[nodiscard]] Residue residue(int id) const {
    return topology_.residues[static_cast<std::size_t>(id)];
  }
  /// Terms of a kind of a residue of a first molecule.
  [[nodiscard]] const std::vector<int>& terms_of_residue(std::size_t hold, int id) const {
    return terms_[hold][static_cast<std::size_t>(row_of_[static_cast<std::size_t>(id)])];
  }
  [[nodiscard]] bool is_held(int id) const {
    if (residue(id).domain >= 0) return true;
    for (std::size_t hold = 0; hold < hold_count; ++hold) {
      if (!terms_of_residue(hold, id).empty()) return true;
    }
    return false;
  }
  [[nodiscard]] bool same(int a, int b) const {
    return residue(a).domain == residue(b).domain && is_held(a) == is_held(b);
  }

  [[nodiscard]] std::string line(const Chain& chain, int first, int next) const {
    const auto number = [&](int id) {
      const Residue r = residue(id);
      return fmt::format("{}{}", r.number,
                         r.insertion_code == ' ' ? "" : std::string(1, r.insertion_code));
    };
    std::string text = fmt::format("{} {}-{} ({}): ", chain.name, number(first), number(next - 1),
                                   core::pluralise(next - first, "residue"));
    if (!is_held(first)) return text + "free";
    std::vector<std::string> parts;
    if (residue(first).domain >= 0) {
      parts.push_back(fmt::format(
          "domain {}",
          residue(first).domain + 1 - first_domain_[static_cast<std::size_t>(chain.species)]));
    }
    for (std::size_t hold = 0; hold < hold_count; ++hold) {
      std::vector<int> ids;
      for (int id = first; id < next; ++id) {
        const auto& more = terms_of_residue(hold, id);
        ids.insert(ids.end(), more.begin(), more.end());
      }
      std::ranges::sort(ids);
      const auto count = std::ranges::unique(ids).begin() - ids.begin();
      if (count > 0) parts.push_back(fmt::format("{} {}", count, hold_names[hold]));
    }
    if (parts.size() == 1 && residue(first).domain >= 0) parts.emplace_back("held by nothing");
    return text + fmt::format("{}", fmt::join(parts, ", "));
  }

  const Topology& topology_;
  std::vector<int> molecule_of_;   ///< (species) first molecule
  std::vector<int> first_domain_;  ///< (species) lowest domain of its first molecule; -1: none
  std::vector<int> row_of_;        ///< (residues) index among those of first molecules; -1: others
  int offset_ = 0;                 ///< terms of the kinds added so far
  std::array<std::vector<std::vector<int>>, hold_count> terms_;  ///< by kind and row
};

}  // namespace

std::vector<std::string> describe_held_residues(const Topology& topology, std::size_t most_lines) {
  auto lines = HeldRanges(topology).lines();
  if (lines.size() > most_lines) {
    const std::size_t more = lines.size() - most_lines;
    lines.resize(most_lines);
    lines.push_back(fmt::format("... and {} more", core::pluralise(more, "range")));
  }
  return lines;
}

}  // namespace nfold::topology
