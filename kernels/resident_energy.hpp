// Energies and native contacts of the replicas of a small system, in double and as exact sums.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/angle.hpp"
#include "kernels/bond.hpp"
#include "kernels/dihedral.hpp"
#include "kernels/exact_sum.hpp"
#include "kernels/resident_system.hpp"

namespace nfold::kernels {

/// Places of a replica's sums; the last counts native contacts that are formed.
struct ResidentSum {
  enum Place {
    bond,
    angle,
    dihedral,
    restraint,
    contact,
    short_range,
    on_step,
    half_step,
    formed,
    count
  };
};
using ResidentSums = ExactSums<ResidentSum::count>;

/// Work item: one part of one replica; parts share its residues in turn. Sums of all parts make
/// what Engine::energies() gives for the same state, bit for bit.
template <class Contact>
struct ResidentEnergyLoop {
  ResidentSystem<Contact> system;
  ExactResidentSystem<Contact> exact;
  ResidentReplicas replicas;
  int width;  // replicas of a group

  NFOLD_FUNCTION void operator()(int replica, int part, int parts, ResidentSums& sums) const {
    const std::int64_t first =
        static_cast<std::int64_t>(replica / width) * system.residues * 3 * width + replica % width;
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
      for (int k = system.contact_first[i]; k < system.contact_first[i + 1]; ++k) {
        const auto contact = exact.contact[k];
        double d[3];
        difference(first, contact.other, i, d);
        sums.add_energy(ResidentSum::contact, Contact::energy(d, contact.parameter));
        if (inner_product(d, d) <= exact.native_reach_squared[k]) {
          sums.sum[ResidentSum::formed] += std::int64_t{1};
        }
      }
      add_pairs(first, i, sums);
      add_kinetic(first, i, sums);
    }
  }

 private:
  [[nodiscard]] NFOLD_FUNCTION std::int64_t at(std::int64_t first, int i, int axis) const {
    return first + (static_cast<std::int64_t>(i) * 3 + axis) * width;
  }
  [[nodiscard]] NFOLD_FUNCTION std::int32_t coarse_difference(std::int64_t first, int i, int j,
                                                              int axis) const {
    return Mixed::difference(Mixed::coordinate(replicas.position[at(first, i, axis)]),
                             Mixed::coordinate(replicas.position[at(first, j, axis)]));
  }
  /// From j to i [nm], between rounded coordinates: what forces see.
  NFOLD_FUNCTION void difference(std::int64_t first, int i, int j, double* d) const {
    d[0] = Mixed::to_nm(coarse_difference(first, i, j, 0), exact.scale.x);
    d[1] = Mixed::to_nm(coarse_difference(first, i, j, 1), exact.scale.y);
    d[2] = Mixed::to_nm(coarse_difference(first, i, j, 2), exact.scale.z);
  }
  template <class Term>
  NFOLD_FUNCTION void add_term(std::int64_t first, int i, const double* p, int place,
                               ResidentSums& sums) const {
    double d[3 * (Term::ends - 1)];
    for (int e = 0; e < Term::ends - 1; ++e) difference(first, i + e + 1, i + e, d + 3 * e);
    sums.add_energy(place, Term::energy(d, p));
  }
  NFOLD_FUNCTION void add_pairs(std::int64_t first, int i, ResidentSums& sums) const {
    const Partners<Mixed> none{};
    for (int word = 0; word < system.mask_words; ++word) {
      std::uint32_t bits = system.looks_after[i * system.mask_words + word];
      for (int j = word * 32; bits != 0; ++j, bits >>= 1U) {
        if ((bits & 1U) == 0) continue;
        const auto dx = Mixed::to_nm(coarse_difference(first, i, j, 0), system.scale.x);
        const auto dy = Mixed::to_nm(coarse_difference(first, i, j, 1), system.scale.y);
        const auto dz = Mixed::to_nm(coarse_difference(first, i, j, 2), system.scale.z);
        if (!system.repulsion.in_range(squared_length(dx, dy, dz), {}, none, 0)) continue;
        double d[3];
        difference(first, i, j, d);
        sums.add_energy(
            ResidentSum::short_range,
            exact.repulsion.energy(d[0] * d[0] + d[1] * d[1] + d[2] * d[2], {}, none, 0));
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

/// Distance of an umbrella's residues, of rounded coordinates. Work item: one replica.
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
