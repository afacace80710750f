// Named list of everything that acts in a topology, to be compared with allow-lists.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/topology/topology.hpp"

namespace nfold::topology {

/// Names of kinds, which complete "there are ..." or, with an article, "there is ...".
namespace term_names {
inline constexpr std::string_view periodic_box = "a periodic box";
inline constexpr std::string_view restraints = RestraintKind::plural;
inline constexpr std::string_view repulsion_12 = pair_forms::Repulsion12::name;
inline constexpr std::string_view ashbaugh_hatch = pair_forms::AshbaughHatch::name;
inline constexpr std::string_view wang_frenkel = pair_forms::WangFrenkel::name;
inline constexpr std::string_view shifted_short_range = "a shifted short-range potential";
inline constexpr std::string_view cutoffs_by_sigma = "short-range cutoffs by sigma";
inline constexpr std::string_view domains_only_repel = "folded domains that only repel";
inline constexpr std::string_view tabulated_pairs = pair_forms::TabulatedPairs::name;
inline constexpr std::string_view site_factors = "factors of residues' pairs";
inline constexpr std::string_view charges = "charges";
inline constexpr std::string_view shifted_charges = "charges with a shifted potential";
inline constexpr std::string_view tabulated_charges = "charges with a tabulated potential";
inline constexpr std::string_view contacts_12_10 = Contact1210Kind::plural;
inline constexpr std::string_view contacts_gaussian = ContactGaussianKind::plural;
inline constexpr std::string_view angles = AngleKind::plural;
inline constexpr std::string_view dihedrals = DihedralKind::plural;
inline constexpr std::string_view bonds = BondKind::plural;
inline constexpr std::string_view biases = "biases summed over residues";
inline constexpr std::string_view fields = "external fields";
inline constexpr std::string_view exclusions = "pairs that do not interact";
inline constexpr std::string_view charged_exclusions = "pairs that interact by their charges alone";
}  // namespace term_names

/// One kind of term or effect in a topology.
struct TermKind {
  std::string name;
  std::int64_t count = 0;  ///< 0: none
};

/// Returns all kinds that a topology can have, with their counts. A new member of Topology or its
/// parts does not compile until it has a kind here.
[[nodiscard]] std::vector<TermKind> term_kinds(const Topology& topology);

/// Returns "there are charges", "there is a periodic box".
[[nodiscard]] std::string presence(const TermKind& kind);

}  // namespace nfold::topology
