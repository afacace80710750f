// Builder of a molecule of a condensate model: residues, bonds, terms that hold its domains.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/topology/residue_model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "model/structure/point.hpp"
#include "model/structure/raw_residue.hpp"
#include "model/topology/aicg_domains.hpp"
#include "model/topology/elastic_network.hpp"
#include "model/topology/flexible_angles.hpp"
#include "model/topology/geometry.hpp"
#include "model/topology/go_domains.hpp"
#include "model/topology/local_pairs.hpp"
#include "model/topology/modified_residues.hpp"
#include "model/topology/monomer_beads.hpp"
#include "model/topology/pieces.hpp"
#include "model/topology/potentials.hpp"
#include "model/topology/site_factors.hpp"

namespace nfold::topology {
namespace {

using structure::StructureError;

/// A chain of the molecule: its beads in the order of monomers.
struct BeadChain {
  const input::ChainKind* kind;
  int first;   ///< id of its first bead
  int stride;  ///< beads of a monomer
  int monomers;
  bool is_closed;

  [[nodiscard]] int bead(int monomer, int role) const { return first + monomer * stride + role; }
};

/// Beads of a term; empty if the chain has not enough monomers there.
struct TermBeads {
  std::vector<int> ids;
  bool is_bridge = false;  ///< joins both sides of a gap
};

class ResidueBuilder {
 public:
  ResidueBuilder(const structure::Structure& structure, const std::vector<int>& domain_of,
                 const ResidueModel& model)
      : structure_(structure), domain_of_(domain_of), model_(model), field_(model.force_field) {}

  Topology run() {
    topology_.species.push_back({structure_.name, static_cast<int>(structure_.chains.size())});
    for (const structure::Chain& chain : structure_.chains) add_chain(chain);
    topology_.short_range = make_short_range(model_);
    topology_.electrostatics = make_electrostatics(model_);
    if (field_.site_factor && has_domain()) add_site_factors(topology_, structure_, field_);
    const auto& options = model_.options;
    has_held_domains_ = options.domains == input::FoldedDomains::elastic_network ||
                        options.domains == input::FoldedDomains::go ||
                        options.domains == input::FoldedDomains::aicg2p;
    if (has_held_domains_) check_coordinates();
    for (const BeadChain& chain : chains_) add_terms(chain);
    switch (options.domains) {
      case input::FoldedDomains::none:
        break;
      case input::FoldedDomains::elastic_network:
        add_elastic_network(topology_, networks());
        break;
      case input::FoldedDomains::go:
        if (has_domain()) {
          add_go_domains(topology_, structure_, model_.go,
                         field_.chain_kind("protein").excluded.native);
        }
        break;
      case input::FoldedDomains::confidence_go:
        add_contacts_by_confidence();
        break;
      case input::FoldedDomains::aicg2p:
        if (has_domain()) add_aicg_domains(topology_, structure_);
        break;
    }
    std::vector<bool> is_flexible;
    for (const BeadChain& chain : chains_) is_flexible.push_back(chain.kind->flexible_angles);
    add_flexible_angles(topology_, is_flexible);
    sort_exclusions(topology_);
    count_pieces(topology_);
    for (auto& note : describe_modified_residues(structure_, &field_)) {
      topology_.notes.push_back(std::move(note));
    }
    return std::move(topology_);
  }

 private:
  void add_chain(const structure::Chain& chain) {
    const int index = static_cast<int>(topology_.chains.size());
    const input::ChainKind& kind = find_kind(chain);
    const int stride = static_cast<int>(std::max<std::size_t>(1, kind.roles.size()));
    const int monomers = static_cast<int>(chain.residues.size());
    chains_.push_back({&kind, topology_.residue_count(), stride, monomers, chain.is_closed});
    topology_.chains.push_back({chain.name, topology_.residue_count(), monomers * stride});
    topology_.chains.back().is_closed = chain.is_closed;
    for (std::size_t i = 0; i < chain.residues.size(); ++i) add_monomer(chain, i, index);
    add_ends(chains_.back());
  }

  const input::ChainKind& find_kind(const structure::Chain& chain) const {
    const auto found = std::ranges::find(field_.chains, chain.kind, &input::ChainKind::name);
    if (found != field_.chains.end()) return *found;
    std::vector<std::string> names;
    for (const input::ChainKind& kind : field_.chains) names.push_back(kind.name);
    throw StructureError(
        fmt::format("{}: chain {} is of the kind {}, which the force field lacks; it has {}: take "
                    "another force "
                    "field, leave the chain out, or give the species one of these kinds",
                    structure_.name, chain.name, chain.kind, fmt::join(names, ", ")));
  }

  void add_monomer(const structure::Chain& chain, std::size_t i, int chain_index) {
    const structure::Residue& r = chain.residues[i];
    const int domain = domain_of_[monomers_++];
    const input::ChainKind& kind = *chains_.back().kind;
    const std::vector<int> types = bead_types({structure_.name, chain.name, r}, kind, field_);
    for (std::size_t role = 0; role < types.size(); ++role) {
      const input::BeadType& row = field_.beads[static_cast<std::size_t>(types[role])];
      Residue bead;
      bead.name = kind.monomers.empty() ? r.name : row.name;
      bead.number = r.number;
      bead.insertion_code = r.insertion_code;
      bead.chain = chain_index;
      bead.segment = segment_;
      bead.domain = domain;
      bead.type = domain >= 0 ? field_.folded_type(types[role]) : types[role];
      bead.mass_amu = row.mass_amu;
      bead.charge_e = row.charge_e;
      bead.at_centre_of_mass = chain.kind == "protein" && at_centre_of_mass(bead);
      topology_.residues.push_back(bead);
      topology_.native_nm.push_back(position_nm(chain, r, bead, role, types.size()));
      is_bridged_.push_back(r.bridged_to_next ? 1 : 0);
    }
    if (!r.bonded_to_next || i + 1 == chain.residues.size()) ++segment_;
  }

  /// Returns the position of a bead in the structure; NaN without one.
  [[nodiscard]] std::array<double, 3> position_nm(const structure::Chain& chain,
                                                  const structure::Residue& r, const Residue& bead,
                                                  std::size_t role, std::size_t roles) const {
    if (chain.kind == "protein" || r.heavy_atoms.empty()) {
      return bead_position_nm(bead, r);
    }
    const bool is_centre = model_.options.bead == input::BeadPosition::centre_of_mass ||
                           (model_.options.bead == input::BeadPosition::by_model &&
                            field_.bead == input::TableBead::centre_of_mass);
    return nucleotide_bead_nm({structure_.name, chain.name, r}, role, roles, is_centre);
  }

  [[nodiscard]] bool at_centre_of_mass(const Residue& bead) const {
    switch (model_.options.bead) {
      case input::BeadPosition::calpha:
        return false;
      case input::BeadPosition::centre_of_mass:
        return true;
      case input::BeadPosition::by_model:
        break;
    }
    switch (field_.bead) {
      case input::TableBead::calpha:
        return false;
      case input::TableBead::centre_of_mass:
        return true;
      case input::TableBead::centre_of_mass_in_domains:
        break;
    }
    // Contacts by confidence hold every residue that is predicted well; terms of the go model refer
    // to C-alpha atoms.
    if (model_.options.domains == input::FoldedDomains::confidence_go) return true;
    return bead.domain >= 0 && model_.options.domains != input::FoldedDomains::go;
  }

  /// Adds the charges and masses of chain ends to those of the first beads of the end monomers: an
  /// N-terminal lysine carries +2.
  void add_ends(const BeadChain& chain) {
    if (chain.monomers == 0 || chain.is_closed) return;
    const input::ChainKind& kind = *chain.kind;
    auto ends = kind.has_charged_ends ? input::ChargedEnds::both : input::ChargedEnds::none;
    if (kind.name == "protein") ends = model_.options.charged_ends;
    auto& residues = topology_.residues.items();
    Residue& first = residues[static_cast<std::size_t>(chain.bead(0, 0))];
    Residue& last = residues[static_cast<std::size_t>(chain.bead(chain.monomers - 1, 0))];
    if (input::has_charged_first(ends)) {
      first.charge_e += 1;
      first.mass_amu += kind.first_mass_amu;
    }
    if (input::has_charged_last(ends)) {
      last.charge_e -= 1;
      last.mass_amu += kind.last_mass_amu;
    }
  }

  [[nodiscard]] bool has_domain() const {
    return std::any_of(topology_.residues.begin(), topology_.residues.end(),
                       [](const Residue& r) { return r.domain >= 0; });
  }

  void check_coordinates() const {
    // Terms of these refer to the C-alpha atoms of proteins.
    const bool go = model_.options.domains == input::FoldedDomains::go ||
                    model_.options.domains == input::FoldedDomains::aicg2p;
    const std::string_view domains =
        model_.options.domains == input::FoldedDomains::go ? "go" : "aicg2p";
    for (int i = 0; i < topology_.residue_count(); ++i) {
      if (residue(i).domain < 0) continue;
      if (!has_coordinates(i)) {
        throw StructureError(
            fmt::format("{}: {} is in a folded domain, but there is no structure; give one, or "
                        "force_field.domains = none",
                        structure_.name, label(i)));
      }
      const auto& kind = *chains_[static_cast<std::size_t>(residue(i).chain)].kind;
      if (go && kind.name != "protein") {
        throw StructureError(fmt::format(
            "{}: {} of the chain kind {} is in a domain held by {}, whose terms are those of "
            "proteins; take force_field.domains = elastic-network",
            structure_.name, label(i), kind.name, domains));
      }
    }
    const bool centres = model_.options.bead == input::BeadPosition::centre_of_mass;
    if (go && centres && has_domain()) {
      throw StructureError(fmt::format(
          "{}: force_field.bead = centre-of-mass with domains held by {}, whose terms are those of "
          "C-alpha atoms; take calpha, or domains = elastic-network",
          structure_.name, domains));
    }
  }

  /// Returns the monomer bonded behind this one; -1: none.
  [[nodiscard]] int after(const BeadChain& chain, int monomer) const {
    if (monomer + 1 == chain.monomers) return chain.is_closed ? 0 : -1;
    const int here = chain.bead(monomer, 0), next = chain.bead(monomer + 1, 0);
    return residue(here).segment == residue(next).segment ? monomer + 1 : -1;
  }

  [[nodiscard]] bool is_bridged(const BeadChain& chain, int monomer) const {
    return is_bridged_[static_cast<std::size_t>(chain.bead(monomer, 0))] != 0;
  }

  /// Returns the beads of a term whose first monomer is this one. Bonds also join both sides of a
  /// bridged gap.
  template <class Term>
  [[nodiscard]] TermBeads beads_of(const BeadChain& chain, int monomer, const Term& term) const {
    TermBeads found;
    std::vector<int> at{monomer};
    const int last = *std::ranges::max_element(term.monomers);
    for (int offset = 1; offset <= last; ++offset) {
      int next = after(chain, at.back());
      if (term.beads.size() == 2 && last == 1 && is_bridged(chain, monomer)) {
        next = monomer + 1;
        found.is_bridge = true;
      }
      if (next < 0) return {};
      at.push_back(next);
    }
    for (std::size_t k = 0; k < term.beads.size(); ++k) {
      found.ids.push_back(
          chain.bead(at[static_cast<std::size_t>(term.monomers[k])], term.beads[k]));
    }
    return found;
  }

  /// Calls add(beads, term) for each place of each term along the chain.
  template <class Terms, class Add>
  void for_each_place(const BeadChain& chain, const Terms& terms, const Add& add) {
    for (int monomer = 0; monomer < chain.monomers; ++monomer) {
      for (const auto& term : terms) {
        const TermBeads beads = beads_of(chain, monomer, term);
        if (!beads.ids.empty()) add(beads, term);
      }
    }
  }

  void add_terms(const BeadChain& chain) {
    const input::ChainKind& kind = *chain.kind;
    for_each_place(chain, kind.bonds, [&](const TermBeads& beads, const auto& term) {
      add_bond(beads, term);
      if (kind.excluded.bonds) exclude(beads);
    });
    const auto without_bridges = [](const auto& add) {
      return [add](const TermBeads& beads, const auto& term) {
        if (!beads.is_bridge) add(beads, term);
      };
    };
    for_each_place(chain, kind.angles, [&](const TermBeads& beads, const auto& term) {
      add_angle(beads.ids, term);
      if (kind.excluded.angle_ends) exclude(beads);
    });
    for_each_place(chain, kind.dihedrals, [&](const TermBeads& beads, const auto& term) {
      add_dihedral(beads.ids, term);
    });
    for_each_place(chain, kind.local_pairs,
                   without_bridges([&](const TermBeads& beads, const auto& term) {
                     add_local_pair(beads.ids, term, chain);
                     if (kind.excluded.local_pairs) exclude(beads);
                   }));
    for (int monomer = 0; monomer < chain.monomers; ++monomer) exclude_near(chain, monomer);
  }

  /// Excludes the pairs of a monomer with those behind it that are nearer than separation_below.
  void exclude_near(const BeadChain& chain, int monomer) {
    int other = monomer;
    for (int apart = 0; apart < chain.kind->excluded.separation_below; ++apart) {
      for (int a = 0; a < chain.stride; ++a) {
        for (int b = apart == 0 ? a + 1 : 0; b < chain.stride; ++b) {
          exclude(chain.bead(monomer, a), chain.bead(other, b));
        }
      }
      other = after(chain, other);
      if (other < 0 || other == monomer) return;
    }
  }

  void exclude(const TermBeads& beads) { exclude(beads.ids.front(), beads.ids.back()); }
  void exclude(int i, int j) { topology_.exclusions.emplace_back(std::minmax(i, j)); }

  /// True if a term between both takes its geometry from the structure: one end is in a domain.
  [[nodiscard]] bool is_held(int i, int j) const {
    return has_held_domains_ && (residue(i).domain >= 0 || residue(j).domain >= 0) &&
           has_coordinates(i) && has_coordinates(j);
  }

  void require_structure(const std::vector<int>& ids, const char* what) const {
    for (const int id : ids) {
      if (has_coordinates(id)) continue;
      throw StructureError(fmt::format(
          "{}: the force field takes {} from the structure, but {} has no position; give "
          "a structure",
          structure_.name, what, label(id)));
    }
  }

  void add_bond(const TermBeads& beads, const input::ChainTerm& term) {
    const int i = beads.ids.front(), j = beads.ids.back();
    Bond bond{i, j, term.length_nm, term.k};
    if (term.from_structure) require_structure(beads.ids, "the length of a bond");
    const bool bridges = beads.is_bridge && has_coordinates(i) && has_coordinates(j);
    if (term.from_structure || bridges || is_held(i, j)) {
      bond.length_nm = structure::distance(at(i), at(j));
      require_distinct_positions(topology_, i, j, bond.length_nm);
    }
    topology_.bonds.push_back(bond);
  }

  void add_angle(const std::vector<int>& ids, const input::ChainTerm& term) {
    Angle angle{ids[0], ids[1], ids[2], term.theta0_rad, term.k};
    if (term.from_structure) require_structure(ids, "an angle");
    if (term.from_structure || (is_held(ids[0], ids[2]) && has_coordinates(ids[1]))) {
      angle.theta0_rad = angle_at(at(ids[0]), at(ids[1]), at(ids[2]));
    }
    topology_.angles.push_back(angle);
  }

  void add_dihedral(const std::vector<int>& ids, const input::ChainTerm& term) {
    Dihedral dihedral{ids[0],          ids[1],         ids[2],        ids[3],
                      term.theta0_rad, term.k1_kj_mol, term.k3_kj_mol};
    if (term.from_structure) {
      require_structure(ids, "a dihedral angle");
      dihedral.phi0_rad = dihedral_at(at(ids[0]), at(ids[1]), at(ids[2]), at(ids[3]));
    }
    topology_.dihedrals.push_back(dihedral);
  }

  void add_local_pair(const std::vector<int>& ids, const input::LocalPairTerm& term,
                      const BeadChain& chain) {
    const int i = ids.front(), j = ids.back();
    const input::PairTerm& pair_term = field_.pair_terms.at(static_cast<std::size_t>(term.term));
    const auto& function = field_.function(pair_term, residue(i).type, residue(j).type);
    if (!function) return;
    double sigma_nm = term.sigma_nm;
    if (term.sigma_from_structure) require_structure(ids, "the sigma of a local pair");
    if (term.sigma_from_structure || is_held(i, j)) {
      constexpr double minimum_over_sigma = 1.122462048309373;  // 2^(1/6)
      sigma_nm = structure::distance(at(i), at(j)) / minimum_over_sigma;
      require_distinct_positions(topology_, i, j, sigma_nm);
    }
    try {
      topology_.local_pairs.push_back(
          make_local_pair(i, j, *function, sigma_nm, term.factor, term.shift_cutoff_nm));
    } catch (const std::invalid_argument& error) {
      throw StructureError(fmt::format("{}: term {} of the chain kind {}: {}", structure_.name,
                                       pair_term.name, chain.kind->name, error.what()));
    }
  }

  /// Returns the elastic network of each chain.
  [[nodiscard]] std::vector<input::Network> networks() const {
    std::vector<input::Network> all;
    for (const BeadChain& chain : chains_) all.push_back(chain.kind->network);
    return all;
  }

  void add_contacts_by_confidence() {
    if (!structure_.confidence.has_pae()) return;
    std::vector<int> chain_of;
    for (const BeadChain& chain : chains_) {
      if (chain.stride != 1) {
        throw StructureError(fmt::format(
            "{}: contacts by confidence with the chain kind {} of {} beads a monomer; take "
            "elastic-network, or leave the chain out",
            structure_.name, chain.kind->name, chain.stride));
      }
      chain_of.insert(chain_of.end(), static_cast<std::size_t>(chain.monomers),
                      static_cast<int>(chain_of.size()));
    }
    const auto weighted = weighted_contacts(topology_.native_nm.flat(), chain_of,
                                            structure_.confidence, model_.confidence_go);
    add_weighted_contacts(topology_, weighted, model_.confidence_go.epsilon_kj_mol, field_);
  }

  [[nodiscard]] Residue residue(int i) const {
    return topology_.residues[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] std::array<double, 3> at(int i) const {
    return topology_.native_nm[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] bool has_coordinates(int i) const { return !std::isnan(at(i)[0]); }
  [[nodiscard]] std::string label(int i) const { return residue_label(topology_, i); }

  const structure::Structure& structure_;
  const std::vector<int>& domain_of_;
  const ResidueModel& model_;
  const input::ForceField& field_;
  Topology topology_;
  std::vector<BeadChain> chains_;
  std::vector<char> is_bridged_;  ///< (beads) their monomer is bonded across a gap to the next one
  std::size_t monomers_ = 0;      ///< number in all chains so far
  int segment_ = 0;
  bool has_held_domains_ = false;
};

}  // namespace

void ResidueModel::evaluate_numbers() {
  force_field = input::evaluate(
      *file, {temperature_kelvin, options.ionic_strength_molar, options.ph}, options);
  options = force_field.options;
}

void ResidueModel::evaluate() {
  evaluate_numbers();
  tables = make_tables(force_field);
}

Topology build_residue_model(const structure::Structure& structure,
                             const std::vector<int>& domain_of, const ResidueModel& model) {
  return ResidueBuilder(structure, domain_of, model).run();
}

}  // namespace nfold::topology
