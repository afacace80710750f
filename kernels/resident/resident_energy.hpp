// Energies and native contacts of a small system's replicas, in double, as exact sums.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/arithmetic/exact_sum.hpp"
#include "kernels/potentials/angle.hpp"
#include "kernels/potentials/bond.hpp"
#include "kernels/potentials/dihedral.hpp"
#include "kernels/resident/resident_system.hpp"

namespace nfold::kernels {

/// Indices of a replica's sums; the last one counts formed native contacts.
struct ResidentSum {
  enum Place {
    bond,
    angle,
    dihedral,
    restraint,
    contact,
    short_range,
    electrostatic,
    on_step,
    half_step,
    formed,
    count
  };
};
using ResidentSums = ExactSums<ResidentSum::count>;

/// Positions and pairs of the replicas.
template <class Contact>
struct ResidentReplicaView {
  ResidentSystem<Contact> system;
  ExactResidentSystem<Contact> exact;
  ResidentReplicas replicas;
  int width;  // replicas per group

  /// Returns the offset of a replica's first component.
  [[nodiscard]] NFOLD_FUNCTION std::int64_t first_of(int replica) const {
    return static_cast<std::int64_t>(replica / width) * system.residues * 3 * width +
           replica % width;
  }
  [[nodiscard]] NFOLD_FUNCTION std::int64_t at(std::int64_t first, int i, int axis) const {
    return first + (static_cast<std::int64_t>(i) * 3 + axis) * width;
  }
  [[nodiscard]] NFOLD_FUNCTION std::int32_t coarse_difference(std::int64_t first, int i, int j,
                                                              int axis) const {
    return Mixed::difference(Mixed::coordinate(replicas.position[at(first, i, axis)]),
                             Mixed::coordinate(replicas.position[at(first, j, axis)]));
  }
  /// Computes the vector from j to i [nm] between rounded coordinates, as for forces.
  NFOLD_FUNCTION void difference(std::int64_t first, int i, int j, double* d) const {
    d[0] = Mixed::to_nm(coarse_difference(first, i, j, 0), exact.scale.x);
    d[1] = Mixed::to_nm(coarse_difference(first, i, j, 1), exact.scale.y);
    d[2] = Mixed::to_nm(coarse_difference(first, i, j, 2), exact.scale.z);
  }
  [[nodiscard]] NFOLD_FUNCTION Partners<Mixed> partner(int i) const {
    if constexpr (ResidentModel<Contact>::is_sticky) return system.residue[i].as_partner();
    return {};
  }
  /// Calls each(r2, exact_own, partner) for the pairs of i in a mask that are in range of `pair`,
  /// as for forces.
  template <class Pair, class ExactPair, class Each>
  NFOLD_FUNCTION void for_each_pair(std::int64_t first, int i, const std::uint32_t* mask,
                                    const Pair& pair, const ExactPair& exact_pair,
                                    const Each& each) const {
    const Partners<Mixed> mine = partner(i);
    const auto own = pair.own(mine);
    const auto exact_own = exact_pair.own(mine);
    for (int word = 0; word < system.mask_words; ++word) {
      std::uint32_t bits = mask[i * system.mask_words + word];
      for (int j = word * 32; bits != 0; ++j, bits >>= 1U) {
        if ((bits & 1U) == 0) continue;
        const auto dx = Mixed::to_nm(coarse_difference(first, i, j, 0), system.scale.x);
        const auto dy = Mixed::to_nm(coarse_difference(first, i, j, 1), system.scale.y);
        const auto dz = Mixed::to_nm(coarse_difference(first, i, j, 2), system.scale.z);
        const Partners<Mixed> other = partner(j);
        if (!pair.in_range(squared_length(dx, dy, dz), own, other, 0)) continue;
        double d[3];
        difference(first, i, j, d);
        each(d[0] * d[0] + d[1] * d[1] + d[2] * d[2], exact_own, other);
      }
    }
  }
  /// Adds the energies of the charge pairs kept by i, with this potential.
  template <int n>
  NFOLD_FUNCTION void add_charges(int replica, int i, const DebyeHueckel<double>& potential,
                                  int place, ExactSums<n>& sums) const {
    for_each_pair(first_of(replica), i, system.kept_charge_pairs, replicas.electrostatics[replica],
                  potential, [&](double r2, const auto& own, const auto& other) {
                    sums.add_energy(place, potential.energy(r2, own, other, 0));
                  });
  }
};

/// Energy of a replica. The sums over all parts equal Engine::energies() of the same state, bit for
/// bit. Work item: one part of one replica; residues are dealt to the parts in turn.
template <class Contact>
struct ResidentEnergyLoop : ResidentReplicaView<Contact> {
  using Base = ResidentReplicaView<Contact>;
  using Base::system, Base::exact, Base::replicas, Base::at, Base::difference;
  const DebyeHueckel<double>* electrostatics;  // (groups * width) null: no charges

  NFOLD_FUNCTION void operator()(int replica, int part, int parts, ResidentSums& sums) const {
    const std::int64_t first = this->first_of(replica);
    if (part == 0 && system.umbrella_first >= 0) {
      double d[3];
      difference(first, system.umbrella_second, system.umbrella_first, d);
      sums.add_energy(ResidentSum::restraint, Bond::energy(d, replicas.umbrella[replica].exact));
    }
    for (int i = part; i < system.residues; i += parts) {
      const ChainTerms<double> terms = exact.chain[i];
      if (terms.bond[Bond::k] != 0) add_term<Bond>(first, i, terms.bond, ResidentSum::bond, sums);
      if (terms.angle[Angle::k] != 0) {
        add_term<Angle>(first, i, terms.angle, ResidentSum::angle, sums);
      }
      if (terms.dihedral[Dihedral::k1] != 0 || terms.dihedral[Dihedral::k3] != 0) {
        add_term<Dihedral>(first, i, terms.dihedral, ResidentSum::dihedral, sums);
      }
      if constexpr (!ResidentModel<Contact>::is_sticky) add_contacts(first, i, sums);
      this->for_each_pair(first, i, system.kept_pairs, system.pair, exact.pair,
                          [&](double r2, const auto& own, const auto& other) {
                            sums.add_energy(ResidentSum::short_range,
                                            exact.pair.energy(r2, own, other, 0));
                          });
      if (electrostatics != nullptr) {
        this->add_charges(replica, i, electrostatics[replica], ResidentSum::electrostatic, sums);
      }
      add_kinetic(first, i, sums);
    }
  }

 private:
  template <class Term>
  NFOLD_FUNCTION void add_term(std::int64_t first, int i, const double* p, int place,
                               ResidentSums& sums) const {
    double d[3 * (Term::ends - 1)];
    for (int e = 0; e < Term::ends - 1; ++e) difference(first, i + e + 1, i + e, d + 3 * e);
    sums.add_energy(place, Term::energy(d, p));
  }
  NFOLD_FUNCTION void add_contacts(std::int64_t first, int i, ResidentSums& sums) const {
    for (int k = system.contact_first[i]; k < system.contact_first[i + 1]; ++k) {
      const auto contact = exact.contact[k];
      double d[3];
      difference(first, contact.other, i, d);
      sums.add_energy(ResidentSum::contact, Contact::energy(d, contact.parameter));
      if (inner_product(d, d) <= exact.native_reach_squared[k]) {
        sums.sum[ResidentSum::formed] += std::int64_t{1};
      }
    }
  }
  NFOLD_FUNCTION void add_kinetic(std::int64_t first, int i, ResidentSums& sums) const {
    const double mass = exact.mass[i];
    const double half = system.half_kick[system.mass_class[i]];
    double v[3], u[3];
    for (int axis = 0; axis < 3; ++axis) {
      v[axis] = replicas.velocity[at(first, i, axis)];
      u[axis] = v[axis] - to_double(replicas.force[at(first, i, axis)]) * half;
    }
    sums.add_energy(ResidentSum::on_step, 0.5 * mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    sums.add_energy(ResidentSum::half_step, 0.5 * mass * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]));
  }
};

/// Energy of all charge pairs with this potential, divided into parts like ResidentEnergyLoop.
template <class Contact>
struct ResidentChargeEnergyLoop : ResidentReplicaView<Contact> {
  DebyeHueckel<double> potential;

  NFOLD_FUNCTION void operator()(int replica, int part, int parts, ExactSums<1>& sums) const {
    for (int i = part; i < this->system.residues; i += parts) {
      this->add_charges(replica, i, potential, 0, sums);
    }
  }
};

/// Distance of an umbrella's residues, between rounded coordinates. Work item: one replica.
struct UmbrellaDistances {
  ResidentReplicas replicas;
  int first, second;
  int residues, width;
  Scale<double> scale;
  double* distance;  // (replicas) [nm]

  NFOLD_FUNCTION void operator()(int replica) const {
    const std::int64_t start =
        static_cast<std::int64_t>(replica / width) * residues * 3 * width + replica % width;
    const double nm[3] = {scale.x, scale.y, scale.z};
    double d[3];
    for (int axis = 0; axis < 3; ++axis) {
      const auto at = [&](int i) {
        return Mixed::coordinate(
            replicas.position[start + (static_cast<std::int64_t>(i) * 3 + axis) * width]);
      };
      d[axis] = Mixed::to_nm(Mixed::difference(at(second), at(first)), nm[axis]);
    }
    distance[replica] = Kokkos::sqrt(inner_product(d, d));
  }
};

}  // namespace nfold::kernels
