// Bead of a topology, and rules for beads of copies.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "model/topology/repeated.hpp"

namespace nfold::topology {

/// Name of up to seven letters, stored in place: a residue is copied without heap allocation.
class ResidueName {
 public:
  static constexpr std::size_t longest = 7;

  ResidueName() = default;
  /// Throws std::length_error if the text is too long.
  template <std::convertible_to<std::string_view> Text>
  ResidueName(const Text& text) {  // NOLINT(google-explicit-constructor): a text is one
    const std::string_view all = text;
    if (all.size() > longest) {
      throw std::length_error("the residue's name \"" + std::string(all) + "\" has more than " +
                              std::to_string(longest) + " letters");
    }
    std::copy(all.begin(), all.end(), letters_.begin());
  }
  [[nodiscard]] std::string_view view() const { return letters_.data(); }
  operator std::string_view() const {  // NOLINT(google-explicit-constructor): it is a text
    return view();
  }
  [[nodiscard]] bool operator==(const ResidueName&) const = default;

 private:
  std::array<char, longest + 1> letters_{};
};

/// Shift of the indices of chains, segments and domains in a copy of a molecule.
struct ResidueShift {
  int chain = 0, segment = 0, domain = 0;
};

/// One bead. Its index in Topology::residues is its global id everywhere in nfold.
struct Residue {
  ResidueName name;  ///< parent residue's three letters, e.g. "MET" for MSE
  int number = 0;    ///< author's number in the structure file
  char insertion_code = ' ';
  int chain = 0;    ///< index into Topology::chains
  int segment = 0;  ///< connected range of bonded residues; only a bridged gap bonds two segments
  double mass_amu = 1;
  double charge_e = 0;
  int type = 0;                    ///< index into the tables of ShortRange
  int domain = -1;                 ///< folded domain, numbered through the whole system; -1: none
  double real_mass_amu = 0;        ///< set if mass_amu is a reduced mass; 0: mass_amu is real
  int site = -1;                   ///< index into ShortRange::site_factors; -1: factor 1
  bool at_centre_of_mass = false;  ///< position in a structure of all atoms; else C-alpha

  /// Mass used for concentrations [amu].
  [[nodiscard]] double concentration_mass_amu() const {
    return real_mass_amu > 0 ? real_mass_amu : mass_amu;
  }
};

template <>
struct Copying<Residue> {
  struct Rule {
    IdRule chain, segment, domain;
    [[nodiscard]] ResidueShift copy_shift(std::size_t copy) const {
      return {chain.copy_shift(copy), segment.copy_shift(copy), domain.copy_shift(copy)};
    }
    [[nodiscard]] Rule behind(std::size_t copies) const {
      return {chain.behind(copies), segment.behind(copies), domain.behind(copies)};
    }
    [[nodiscard]] bool operator==(const Rule&) const = default;
  };
  static void shift(Residue& residue, const ResidueShift& by) {
    residue.chain += by.chain;
    residue.segment += by.segment;
    if (residue.domain >= 0) residue.domain += by.domain;
  }
  [[nodiscard]] static bool same(const Residue& a, const Residue& b) {
    const auto& [name, number, insertion_code, chain, segment, mass_amu, charge_e, type, domain,
                 real_mass_amu, site, at_centre_of_mass] = a;
    const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
    return name == b.name && number == b.number && insertion_code == b.insertion_code &&
           chain == b.chain && segment == b.segment && bits(mass_amu) == bits(b.mass_amu) &&
           bits(charge_e) == bits(b.charge_e) && type == b.type && domain == b.domain &&
           bits(real_mass_amu) == bits(b.real_mass_amu) && site == b.site &&
           at_centre_of_mass == b.at_centre_of_mass;
  }
};

/// Shift of reference coordinates [nm]: copies stand on a cubic lattice, row by row.
template <>
struct Copying<std::array<double, 3>> {
  struct Rule {
    int first = 0;  ///< lattice index of the first copy
    int side = 1;   ///< lattice points along an edge
    double spacing_nm = 0;
    [[nodiscard]] std::array<double, 3> copy_shift(std::size_t copy) const {
      const int n = first + static_cast<int>(copy);
      const std::array<int, 3> point{n % side, n / side % side, n / side / side};
      return {spacing_nm * point[0], spacing_nm * point[1], spacing_nm * point[2]};
    }
    [[nodiscard]] Rule behind(std::size_t copies) const {
      return {first + static_cast<int>(copies), side, spacing_nm};
    }
    [[nodiscard]] bool operator==(const Rule&) const = default;
  };
  static void shift(std::array<double, 3>& x_nm, const std::array<double, 3>& by_nm) {
    for (std::size_t axis = 0; axis < 3; ++axis) x_nm[axis] += by_nm[axis];
  }
  [[nodiscard]] static bool same(const std::array<double, 3>& a, const std::array<double, 3>& b) {
    using Bits = std::array<std::uint64_t, 3>;
    return std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b);
  }
};

}  // namespace nfold::topology
