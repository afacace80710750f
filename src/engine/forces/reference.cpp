// Reference forces, written from the equations with standard functions and floating point.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/forces/reference.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "system/cell_list.hpp"

namespace nfold::forces {

namespace {

Vector minus(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Vector times(double s, const Vector& a) { return {s * a[0], s * a[1], s * a[2]}; }
Vector plus(const Vector& a, const Vector& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double norm(const Vector& a) { return std::sqrt(dot(a, a)); }

pair_forms::PairValue short_range_pair(const topology::Topology& topology, int i, int j, double r) {
  const auto& s = topology.short_range;
  const auto& a = topology.residues[static_cast<std::size_t>(i)];
  const auto& b = topology.residues[static_cast<std::size_t>(j)];
  const pair_forms::PairContext place{a.type, b.type, a.domain >= 0 && a.domain == b.domain, a.site,
                                      b.site};
  return pair_forms::with_form(s.form, [&](auto form) { return form.value(s, place, r); });
}

class Sum {
 public:
  Sum(const topology::Topology& topology, const std::vector<Vector>& x)
      : topology_(topology), x_(x) {
    result_.force.assign(x.size(), Vector{0, 0, 0});
  }

  void bonded_terms() {
    topology::BondedKinds::for_each([this](auto kind) {
      double energy = 0;
      for (const auto& term : topology::terms_of(topology_, kind)) {
        energy += add_term(kind.name, term.parts().residues, term);
      }
      energy_part(kind.energy) += energy;
    });
  }
  /// Adds each pair within the longest cutoff once, unless it is excluded, or by its charges alone.
  void pairs() {
    const auto& charges = topology_.electrostatics;
    const double reach =
        std::max(topology_.short_range.cutoff_nm, charges.acts() ? charges.cutoff_nm : 0);
    const system::CellList cells(topology_.box, x_, reach);
    for (int i = 0; i < static_cast<int>(x_.size()); ++i) {
      cells.for_each_near(x_[static_cast<std::size_t>(i)], [&](int j) {
        if (j <= i) return;
        const bool is_excluded = holds(topology_.exclusions, i, j);
        if (is_excluded && !holds(topology_.charged_exclusions, i, j)) return;
        const Vector d = apart(i, j);
        const double r = norm(d);
        if (!is_excluded) short_range(i, j, d, r);
        if (charges.acts()) electrostatic(i, j, d, r);
      });
    }
  }
  void biases() {
    for (const auto& b : topology_.biases) {
      std::vector<Vector> x;
      std::vector<double> mass_amu;
      for (const int id : b.variable.residues) {
        x.push_back(x_[static_cast<std::size_t>(id)]);
        mass_amu.push_back(topology_.residues[static_cast<std::size_t>(id)].mass_amu);
      }
      const auto [value, gradient] = bias::with_variable(
          b.variable.kind, [&](auto one) { return one.direct(x, mass_amu, topology_.box); });
      const auto [energy, slope] = bias::value_at(b, value);
      result_.restraint += energy;
      for (std::size_t k = 0; k < x.size(); ++k) {
        add("bias on", &b.variable.residues[k], 1, 0, times(-slope, gradient[k]));
      }
    }
  }
  /// Forces of external fields at step 0.
  void fields() {
    for (const auto& field : topology_.fields) {
      for (int i = 0; i < static_cast<int>(x_.size()); ++i) {
        const auto chain = topology_.residues[static_cast<std::size_t>(i)].chain;
        const int species = topology_.chains[static_cast<std::size_t>(chain)].species;
        if (std::ranges::find(field.species, species) == field.species.end()) continue;
        Vector d = minus(x_[static_cast<std::size_t>(i)], field.origin_nm);
        for (std::size_t k = 0; k < 3; ++k) {
          d[k] = field.axes[k] ? topology_.box.nearest_nm(k, d[k]) : 0;
        }
        const double s = norm(d);
        const auto [energy, slope] = field.value_at(s);
        result_.restraint += energy;
        if (s > 0) add("external field on", &i, 1, 0, times(-slope / s, d));
      }
    }
  }
  ReferenceForces take() { return std::move(result_); }

 private:
  [[nodiscard]] Vector apart(int i, int j) const {
    Vector d = minus(x_[i], x_[j]);
    for (std::size_t k = 0; k < 3; ++k) d[k] = topology_.box.nearest_nm(k, d[k]);
    return d;
  }
  [[nodiscard]] static bool holds(const topology::Repeated<std::pair<int, int>>& pairs, int i,
                                  int j) {
    return std::binary_search(pairs.begin(), pairs.end(), std::pair<int, int>{i, j});
  }
  double& energy_part(topology::EnergyPart part) {
    switch (part) {
      case topology::EnergyPart::bond:
        return result_.bond;
      case topology::EnergyPart::angle:
        return result_.angle;
      case topology::EnergyPart::dihedral:
        return result_.dihedral;
      case topology::EnergyPart::restraint:
        return result_.restraint;
      case topology::EnergyPart::contact:
        break;
    }
    return result_.contact;
  }
  /// Adds the forces of a term of two residues' distance and returns its energy.
  template <class Term>
  double add_term(const char* name, const std::array<int, 2>& ids, const Term& term) {
    const Vector d = apart(ids[0], ids[1]);
    const double r = norm(d);
    const auto [energy, slope] = term.value(r);
    pair(name, ids[0], ids[1], times(-slope / r, d));
    return energy;
  }
  /// Adds the forces of a term of three residues' angle and returns its energy.
  template <class Term>
  double add_term(const char* name, const std::array<int, 3>& ids, const Term& term) {
    const Vector a = apart(ids[0], ids[1]), b = apart(ids[2], ids[1]);
    const auto [energy, slope] = term.value(std::atan2(norm(cross(a, b)), dot(a, b)));
    // Directions in which each end moves to open the angle.
    const Vector n = cross(a, b);
    // Three collinear residues have no direction to bend to: the forces are 0.
    const double across = std::max(norm(n), 1e-12 * norm(a) * norm(b));
    const Vector fi = times(-slope / (dot(a, a) * across), cross(a, n));
    const Vector fk = times(slope / (dot(b, b) * across), cross(b, n));
    add(name, ids.data(), 3, 0, fi);
    add(name, ids.data(), 3, 2, fk);
    add(name, ids.data(), 3, 1, times(-1, plus(fi, fk)));
    return energy;
  }
  /// Adds the forces of a term of four residues' dihedral angle and returns its energy.
  template <class Term>
  double add_term(const char* name, const std::array<int, 4>& ids, const Term& term) {
    const Vector b1 = apart(ids[1], ids[0]), b2 = apart(ids[2], ids[1]), b3 = apart(ids[3], ids[2]);
    const Vector n1 = cross(b1, b2), n2 = cross(b2, b3);
    const auto [energy, slope] = term.value(std::atan2(norm(b2) * dot(b1, n2), dot(n1, n2)));
    const Vector f1 = times(slope * norm(b2) / dot(n1, n1), n1);
    const Vector f4 = times(-slope * norm(b2) / dot(n2, n2), n2);
    const double s = dot(b1, b2) / dot(b2, b2), u = dot(b3, b2) / dot(b2, b2);
    const Vector shift = minus(times(s, f1), times(u, f4));
    add(name, ids.data(), 4, 0, f1);
    add(name, ids.data(), 4, 1, minus(times(-1, f1), shift));
    add(name, ids.data(), 4, 2, plus(times(-1, f4), shift));
    add(name, ids.data(), 4, 3, f4);
    return energy;
  }
  void short_range(int i, int j, const Vector& d, double r) {
    const auto value = short_range_pair(topology_, i, j, r);
    if (!value.acts) return;
    result_.short_range += value.energy;
    pair("short-range pair", i, j, times(-value.slope / r, d));
  }
  void electrostatic(int i, int j, const Vector& d, double r) {
    const auto& e = topology_.electrostatics;
    const double charges = topology_.residues[i].charge_e * topology_.residues[j].charge_e;
    if (charges == 0 || !(r < e.cutoff_nm)) return;
    if (e.tabulated != nullptr) {
      const double product = e.multiplies_charges ? charges : 1;
      const auto value = e.multiplies_charges ? e.tabulated->value(0, 0, r)
                                              : e.tabulated->value(topology_.residues[i].type,
                                                                   topology_.residues[j].type, r);
      result_.electrostatic += product * value.energy;
      pair("electrostatic pair", i, j, times(-product * value.slope / r, d));
      return;
    }
    const double screened = std::exp(-e.kappa_per_nm * r) / r;
    const double shift = e.shifted ? std::exp(-e.kappa_per_nm * e.cutoff_nm) / e.cutoff_nm : 0;
    result_.electrostatic += charges * e.coulomb_kj_mol_nm * (screened - shift);
    const double push = charges * e.coulomb_kj_mol_nm * screened * (1 / r + e.kappa_per_nm);
    pair("electrostatic pair", i, j, times(push / r, d));
  }
  void pair(const char* kind, int i, int j, const Vector& force_on_i) {
    const int ids[2] = {i, j};
    add(kind, ids, 2, 0, force_on_i);
    add(kind, ids, 2, 1, times(-1, force_on_i));
  }
  void add(const char* kind, const int* ids, int ends, int end, const Vector& f) {
    auto& sum = result_.force[static_cast<std::size_t>(ids[end])];
    sum = plus(sum, f);
    const double size = norm(f);
    // NaN counts as the largest force.
    if (size <= result_.strongest.force_kj_mol_nm) return;
    if (std::isnan(result_.strongest.force_kj_mol_nm)) return;
    std::string name = kind;
    for (int e = 0; e < ends; ++e) {
      name += (e == 0 ? " " : " - ") + topology::residue_label(topology_, ids[e]);
    }
    result_.strongest = {size, std::move(name), ids[end]};
  }

  const topology::Topology& topology_;
  const std::vector<Vector>& x_;
  ReferenceForces result_;
};

}  // namespace

ReferenceForces reference_forces(const topology::Topology& topology,
                                 const std::vector<Vector>& x_nm) {
  Sum sum(topology, x_nm);
  sum.bonded_terms();
  sum.biases();
  sum.fields();
  sum.pairs();
  return sum.take();
}

}  // namespace nfold::forces
