// Local pairs from the pair functions of a force field.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/topology/local_pairs.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "model/structure/point.hpp"
#include "model/structure/structure.hpp"

namespace nfold::topology {
namespace {

using pair_forms::FunctionKind;

constexpr std::size_t epsilon_at = 0, sigma_at = 1, lambda_at = 2;

bool is_supported(const pair_forms::PairFunction& function) {
  return function.kind == FunctionKind::ashbaugh_hatch ||
         function.kind == FunctionKind::lennard_jones;
}

/// Rounds to 40 bits, because the last bits of exp() depend on the system and would change the
/// hash.
double rounded(double x) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, 40)), exponent - 40);
}

class ResidualTerms {
 public:
  ResidualTerms(Topology& topology, const input::ForceField& field)
      : topology_(topology), field_(field) {}

  void add(const WeightedContact& contact) {
    const auto i = static_cast<std::size_t>(contact.i), j = static_cast<std::size_t>(contact.j);
    const Residue a = topology_.residues[i], b = topology_.residues[j];
    bool has_charges = false;
    for (const input::PairTerm& term : field_.pair_terms) {
      const auto& function = field_.function(term, a.type, b.type);
      if (!function) continue;
      if (!is_supported(*function) || term.has_site_factor) {
        throw structure::StructureError(fmt::format(
            "{}: {} and {} have a contact of low confidence, which keeps a part of the pair term "
            "{}; "
            "only Ashbaugh-Hatch and Lennard-Jones terms can be kept: take elastic-network",
            topology_.species.at(0).name, residue_label(topology_, contact.i),
            residue_label(topology_, contact.j), term.name));
      }
      const bool is_shifted = function->cutoff_form != pair_forms::CutoffForm::truncated;
      LocalPair pair = make_local_pair(contact.i, contact.j, *function, function->numbers[sigma_at],
                                       contact.residual, is_shifted ? function->cutoff_nm : 0);
      if (!has_charges) {
        add_charges(charges_, contact.residual * a.charge_e * b.charge_e,
                    charges_.shifted ? charges_.cutoff_nm : 0, pair);
      }
      has_charges = true;
      topology_.local_pairs.push_back(pair);
    }
  }

 private:
  Topology& topology_;
  const input::ForceField& field_;
  const Electrostatics charges_ = topology_.electrostatics;
};

void mix_bond_lengths(Topology& topology, const std::vector<double>& model_length_part) {
  for (Bond& bond : topology.bonds.items()) {
    const auto first = static_cast<std::size_t>(std::min(bond.i, bond.j));
    const double part = model_length_part.at(first);
    if (std::abs(bond.i - bond.j) != 1 || part == 1) continue;
    const double distance =
        structure::distance(topology.native_nm[first], topology.native_nm[first + 1]);
    require_distinct_positions(topology, bond.i, bond.j, distance);
    bond.length_nm = part * bond.length_nm + (1 - part) * distance;
  }
}

}  // namespace

LocalPair make_local_pair(int i, int j, const pair_forms::PairFunction& function, double sigma_nm,
                          double factor, double shift_cutoff_nm) {
  if (!is_supported(function)) {
    throw std::invalid_argument("a local pair is of the form ashbaugh-hatch or lennard-jones");
  }
  LocalPair pair{i, j, sigma_nm, factor * function.factor * function.numbers[epsilon_at],
                 function.kind == FunctionKind::ashbaugh_hatch ? function.numbers[lambda_at] : 1};
  if (shift_cutoff_nm > 0) {
    // Products, since the last bits of pow() depend on the system.
    const double q = sigma_nm / shift_cutoff_nm, q2 = q * q, q6 = q2 * q2 * q2;
    pair.shift_kj_mol = pair.lambda * 4 * pair.epsilon_kj_mol * (q6 * q6 - q6);
  }
  return pair;
}

void add_charges(const Electrostatics& electrostatics, double charge_product,
                 double shift_cutoff_nm, LocalPair& pair) {
  if (!electrostatics.acts() || charge_product == 0) return;
  pair.amplitude_kj_mol_nm = electrostatics.coulomb_kj_mol_nm * charge_product;
  pair.kappa_per_nm = electrostatics.kappa_per_nm;
  if (shift_cutoff_nm == 0) return;
  pair.shift_kj_mol += pair.amplitude_kj_mol_nm / shift_cutoff_nm *
                       rounded(std::exp(-electrostatics.kappa_per_nm * shift_cutoff_nm));
}

void add_weighted_contacts(Topology& topology, const WeightedContacts& weighted,
                           double epsilon_kj_mol, const input::ForceField& field) {
  ResidualTerms residuals(topology, field);
  for (const WeightedContact& contact : weighted.contacts) {
    require_distinct_positions(topology, contact.i, contact.j, contact.distance_nm);
    topology.contacts_12_10.push_back(
        {contact.i, contact.j, contact.distance_nm, epsilon_kj_mol * contact.weight});
    topology.exclusions.emplace_back(contact.i, contact.j);
    if (contact.residual > 0) residuals.add(contact);
  }
  mix_bond_lengths(topology, weighted.model_length_part);
}

}  // namespace nfold::topology
