// Energies from the parameters of a topology: closed forms and the native state.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "model/topology/geometry.hpp"
#include "model/topology/go_model.hpp"
#include "reference_energy.hpp"

namespace nfold::topology {
namespace {

constexpr double degree = structure::pi / 180;

Topology ubiquitin_topology(
    system::ContactPotential potential = system::ContactPotential::lennard_jones_12_10) {
  GoModel model;
  model.contact_potential = potential;
  return build_go_model(structure::read_structure(NFOLD_STRUCTURES "/1ubq.pdb.gz"), model);
}

test::Positions apart(double r) { return {{0, 0, 0}, {r, 0, 0}}; }

// Numbers from physics.md, section H, computed there with 40-digit arithmetic.
TEST(Energies, PairTermsMatchClosedForms) {
  const Contact1210 contact{0, 1, 0.6, 1};
  EXPECT_NEAR(test::energy(contact, apart(0.6)), -1, 1e-14);
  EXPECT_NEAR(test::energy(contact, apart(0.63)), -0.8992924303567587, 1e-12);
  EXPECT_NEAR(test::energy(contact, apart(0.72)), -0.4082502234159989, 1e-12);
  const GoModel model;
  const ContactGaussian gaussian{0, 1, 0.6, 1, model.gaussian_sigma_nm, model.gaussian_a_nm12};
  EXPECT_NEAR(test::energy(gaussian, apart(0.55)), -0.5979151987460024, 1e-12);
  EXPECT_NEAR(test::energy(gaussian, apart(0.6)), -1, 1e-14);
  ShortRange repulsion;
  repulsion.epsilon_kj_mol = 1;
  EXPECT_NEAR(test::energy(repulsion, 0.5), 0.068719476736, 1e-14);
  EXPECT_EQ(test::energy(repulsion, 1.1), 0);
  EXPECT_NEAR(test::energy(Bond{0, 1, 0.38, model.bond_k}, apart(0.40)), 4, 1e-11);
}

TEST(Energies, AngleAndDihedralMatchClosedForms) {
  const GoModel model;
  const test::Positions bent{{0.38, 0, 0}, {0, 0, 0}, {-0.19, 0.33, 0.05}};
  EXPECT_NEAR(angle_at(bent[0], bent[1], bent[2]) / degree, 119.65114754263301, 1e-11);
  EXPECT_NEAR(test::energy(Angle{0, 1, 2, 110 * degree, model.angle_k}, bent), 0.5674696522342104,
              1e-12);
  const test::Positions turned{{0.12, 0.36, -0.05}, {0, 0, 0}, {0.38, 0, 0}, {0.50, -0.17, 0.31}};
  EXPECT_NEAR(dihedral_at(turned[0], turned[1], turned[2], turned[3]) / degree, 126.6469579946465,
              1e-11);
  const Dihedral dihedral{0, 1, 2, 3, 50 * degree, model.dihedral_k1, model.dihedral_k3};
  EXPECT_NEAR(test::energy(dihedral, turned), 1.5908383247446327, 1e-12);
  EXPECT_NEAR(dihedral_at({0, 1, 0}, {0, 0, 0}, {1, 0, 0}, {1, 0, 1}), structure::pi / 2, 1e-15);
}

// In the native state every bonded term is 0 and every contact is -1 epsilon.
TEST(Energies, NativeStateHasMinusOnePerContact) {
  const Topology t = ubiquitin_topology();
  EXPECT_NEAR(test::total(t.bonds, t.native_nm.flat()), 0, 1e-20);
  EXPECT_NEAR(test::total(t.angles, t.native_nm.flat()), 0, 1e-20);
  EXPECT_NEAR(test::total(t.dihedrals, t.native_nm.flat()), 0, 1e-20);
  EXPECT_NEAR(test::total(t.contacts_12_10, t.native_nm.flat()), -206, 1e-10);
  const Topology g = ubiquitin_topology(system::ContactPotential::gaussian);
  EXPECT_TRUE(g.contacts_12_10.empty());
  EXPECT_NEAR(test::total(g.contacts_gaussian, g.native_nm.flat()), -206, 1e-10);
}

TEST(Energies, ScaleWithEpsilon) {
  GoModel model;
  model.epsilon_kj_mol = 4.184;
  const Topology t =
      build_go_model(structure::read_structure(NFOLD_STRUCTURES "/1ubq.pdb.gz"), model);
  // genesis_cg_tool's "Clementi" model has epsilon = 1 kcal/mol (physics.md, section A).
  EXPECT_DOUBLE_EQ(t.bonds[0].k_kj_mol_nm2, 83680);
  EXPECT_DOUBLE_EQ(t.angles[0].k_kj_mol_rad2, 167.36);
  EXPECT_DOUBLE_EQ(t.dihedrals[0].k1_kj_mol, 4.184);
  EXPECT_DOUBLE_EQ(t.dihedrals[0].k3_kj_mol, 2.092);
  EXPECT_DOUBLE_EQ(t.contacts_12_10[0].epsilon_kj_mol, 4.184);
  EXPECT_DOUBLE_EQ(t.short_range.epsilon_kj_mol, 4.184);
}

}  // namespace
}  // namespace nfold::topology
