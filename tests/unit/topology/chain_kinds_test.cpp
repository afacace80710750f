// Chain kinds: nucleotides of one and two beads, local pairs, networks over strands.
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "model/structure/fasta.hpp"
#include "model/topology/local_pairs.hpp"
#include "model/topology/residue_model.hpp"
#include "reference_energy.hpp"

namespace nfold::topology {
namespace {

using testing::HasSubstr;

/// Two beads a nucleotide, the backbone RP and a base, with the terms of CALVADOS-RNA.
input::ChainKind two_bead_kind(std::vector<input::Monomer> monomers, double stacking_factor) {
  input::ChainKind rna;
  rna.name = "rna";
  rna.roles = {"RP", "RB"};
  rna.monomers = std::move(monomers);
  const auto term = [](std::vector<int> beads, std::vector<int> offsets, double size, double k) {
    input::ChainTerm one;
    one.beads = std::move(beads);
    one.monomers = std::move(offsets);
    one.length_nm = one.theta0_rad = size;
    one.k = k;
    return one;
  };
  rna.bonds = {term({0, 1}, {0, 0}, 0.54, 2200), term({0, 0}, {0, 1}, 0.59, 1400)};
  rna.angles = {term({0, 0, 0}, {0, 1, 2}, 3.14, 4.2)};
  input::LocalPairTerm stacking;
  stacking.beads = {1, 1};
  stacking.monomers = {0, 1};
  stacking.sigma_nm = 0.4;
  stacking.factor = stacking_factor;
  stacking.shift_cutoff_nm = 2;
  rna.local_pairs = {stacking};
  rna.excluded.angle_ends = rna.excluded.local_pairs = true;
  rna.network.k_kj_mol_nm2 = 10;
  rna.network.cutoff_nm = 1.5;
  return rna;
}

/// CALVADOS 2 with backbone RP, flexible and structured bases RB and SB, and a base per nucleotide.
ResidueModel rna_model(double stacking_factor = 15) {
  ResidueModel model;
  model.file = input::read_force_field(
      "extends: calvados2\n"
      "beads:\n"
      "  RP: {mass_amu: 194.1, charge_e: -1, sigma_nm: 0.6954, lambda: 0}\n"
      "  RB: {mass_amu: 126.3, charge_e: 0, sigma_nm: 0.6238, lambda: 1.18}\n"
      "  SB: {mass_amu: 126.3, charge_e: 0, sigma_nm: 0.6238, lambda: 0.13}\n"
      "  RA: {mass_amu: 329.2, charge_e: -1, sigma_nm: 0.844, lambda: -0.054}\n",
      "rna.yaml");
  model.temperature_kelvin = 293;
  model.evaluate();
  const int proteins = model.force_field.find_bead("RP");
  model.force_field.chains.push_back(two_bead_kind(
      {{"s", {proteins, proteins + 2}}, {"", {proteins, proteins + 1}}}, stacking_factor));
  return model;
}

Topology strand(const std::string& sequence, const ResidueModel& model) {
  const auto s = structure::make_sequence_structure("r", sequence, "rna");
  return build_residue_model(s, std::vector<int>(sequence.size(), -1), model);
}

double local_energy(const Topology& t, const test::Positions& x) {
  double sum = 0;
  for (const LocalPair& pair : t.local_pairs) {
    sum += pair.value(test::distance(x, pair.i, pair.j)).energy;
  }
  return sum;
}

/// Sum of (i + 1)(j + 1) over the exclusions.
long exclusion_checksum(const Topology& t) {
  long sum = 0;
  for (const auto& [i, j] : t.exclusions) sum += long{i + 1} * long{j + 1};
  return sum;
}

double rounded(double x) { return std::round(x * 1e4) / 1e4; }

// models.md, section 10: six nucleotides, energies of the CALVADOS package.
TEST(ChainKinds, CalvadosRnaMatchesThePackage) {
  const Topology t = strand("AGCUAG", rna_model());
  test::Positions x;
  for (int k = 0; k < 6; ++k) {
    const double turn = 0.55 * k, base = turn + 0.15;
    x.push_back({rounded(0.9 * std::cos(turn)), rounded(0.9 * std::sin(turn)), rounded(0.32 * k)});
    x.push_back(
        {rounded(0.4 * std::cos(base)), rounded(0.4 * std::sin(base)), rounded(0.32 * k + 0.12)});
  }
  EXPECT_NEAR(test::total(t.bonds, x), 2.2512657404, 1e-10);
  EXPECT_NEAR(test::total(t.angles, x), 1.7527618628, 1e-9);
  EXPECT_NEAR(local_energy(t, x), 57.430133742, 1e-9);
  double contacts = 0, charges = 0;
  const auto& e = t.electrostatics;
  for (int i = 0; i < t.residue_count(); ++i) {
    for (int j = i + 1; j < t.residue_count(); ++j) {
      if (std::binary_search(t.exclusions.begin(), t.exclusions.end(), std::pair(i, j))) continue;
      const Residue a = t.residues[static_cast<std::size_t>(i)],
                    b = t.residues[static_cast<std::size_t>(j)];
      const double r = test::distance(x, i, j);
      contacts +=
          pair_forms::AshbaughHatch::value(t.short_range, {a.type, b.type, false}, r).energy;
      charges += a.charge_e * b.charge_e * e.coulomb_kj_mol_nm *
                 (std::exp(-e.kappa_per_nm * r) / r -
                  std::exp(-e.kappa_per_nm * e.cutoff_nm) / e.cutoff_nm);
    }
  }
  EXPECT_NEAR(contacts, 26.596697896, 1e-8);
  EXPECT_NEAR(charges, 0.54249786688, 1e-8);
}

TEST(ChainKinds, BeadsOfANucleotideAreConsecutive) {
  const Topology t = strand("AGC", rna_model());
  ASSERT_EQ(t.residue_count(), 6);
  EXPECT_EQ(t.chains[0].count, 6);
  EXPECT_EQ(t.residues[2].name.view(), "RP");
  EXPECT_EQ(t.residues[3].name.view(), "RB");
  EXPECT_EQ(t.residues[3].number, 2);
  EXPECT_EQ(t.residues[0].charge_e, -1);  // no charged ends
  EXPECT_EQ(t.residues[0].mass_amu, 194.1);
  EXPECT_EQ(t.chains[0].pieces, 1);
  const std::vector<std::pair<int, int>> excluded{{0, 1}, {0, 2}, {0, 4}, {1, 3},
                                                  {2, 3}, {2, 4}, {3, 5}, {4, 5}};
  EXPECT_EQ(t.exclusions.flat(), excluded);
  ASSERT_EQ(t.angles.size(), 1U);
  EXPECT_EQ(t.angles[0].k, 4);
}

// Counts and checksum of cases/calvados/rna-chains: two copies of 20 nucleotides and one of 12.
TEST(ChainKinds, ExclusionsMatchThePackage) {
  const auto model = rna_model();
  const Topology twenty = strand(std::string(20, 'A'), model),
                 twelve = strand("AAUUAUAAUUUA", model);
  EXPECT_EQ(2 * twenty.bonds.size(), 78U);
  EXPECT_EQ(2 * twenty.local_pairs.size(), 38U);
  EXPECT_EQ(2 * twenty.angles.size(), 36U);
  EXPECT_EQ(twelve.bonds.size(), 23U);
  EXPECT_EQ(2 * twenty.exclusions.size() + twelve.exclusions.size(), 196U);
}

TEST(ChainKinds, OneBeadANucleotideIsNamedByItsLetter) {
  auto model = rna_model();
  auto& kind = model.force_field.chains.back();
  kind = {};
  kind.name = "rna";
  kind.roles = {"bead"};
  kind.monomers = {{"A", {23}}, {"PSU", {21}}};
  input::ChainTerm bond;
  bond.beads = {0, 0};
  bond.monomers = {0, 1};
  bond.length_nm = 0.5;
  bond.k = 8368;
  kind.bonds = {bond};
  const Topology t = strand("Aa", model);
  ASSERT_EQ(t.residue_count(), 2);
  EXPECT_EQ(t.residues[1].name.view(), "RA");
  EXPECT_EQ(t.bonds[0].length_nm, 0.5);
  const auto s = structure::make_sequence_structure("r", "A[PSU]", "rna");
  EXPECT_EQ(build_residue_model(s, {-1, -1}, model).residues[1].type, 21);
  try {
    (void)strand("AG", model);
    FAIL() << "accepted";
  } catch (const structure::StructureError& error) {
    EXPECT_THAT(error.what(), HasSubstr("r: G 2 (chain A) is no monomer of the chain kind rna"));
    EXPECT_THAT(error.what(), HasSubstr("which has A, PSU"));
  }
}

TEST(ChainKinds, UnknownKindsAreRefused) {
  ResidueModel model;
  model.file = input::builtin_force_field("calvados2");
  model.evaluate();
  try {
    (void)strand("AG", model);
    FAIL() << "accepted";
  } catch (const structure::StructureError& error) {
    EXPECT_THAT(error.what(), HasSubstr("chain A is of the kind rna, which the force field lacks"));
    EXPECT_THAT(error.what(), HasSubstr("it has protein"));
  }
}

TEST(ChainKinds, SeparationExcludesPairsAlongTheChain) {
  auto model = rna_model();
  model.force_field.chains.back().excluded = {};
  model.force_field.chains.back().excluded.bonds = false;
  model.force_field.chains.back().excluded.separation_below = 2;
  const std::vector<std::pair<int, int>> excluded{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  EXPECT_EQ(strand("AG", model).exclusions.flat(), excluded);
  model.force_field.chains.back().excluded.separation_below = 0;
  EXPECT_TRUE(strand("AG", model).exclusions.empty());
}

/// Start of cases/calvados/dsrna-elastic [nm], by the package's top.pdb.
const test::Positions duplex_start{
    {4.1589, 9.0387, 6.8936},  {4.4938, 8.6468, 7.1260},  {3.6922, 9.1044, 7.2104},
    {4.1887, 8.9269, 7.4326},  {3.2590, 8.8676, 7.4680},  {3.7627, 8.9819, 7.7270},
    {3.0153, 8.4061, 7.7726},  {3.3530, 8.8020, 7.9755},  {3.0411, 7.9428, 8.0578},
    {3.1291, 8.4707, 8.3077},  {3.3535, 7.5306, 8.3449},  {3.1710, 8.0541, 8.5411},
    {3.8126, 7.3830, 8.6431},  {3.3663, 7.6771, 8.8262},  {4.3005, 7.4980, 8.8939},
    {3.7548, 7.5138, 9.1269},  {4.6164, 7.8656, 9.1455},  {4.2005, 7.5591, 9.4044},
    {4.7692, 8.3069, 9.4599},  {4.5170, 7.8217, 9.6727},  {4.5496, 8.8025, 9.7714},
    {4.6349, 8.2434, 9.9562},  {4.2037, 9.0772, 10.0193}, {4.4903, 8.6852, 10.2386},
    {4.1607, 7.4368, 10.7649}, {4.5039, 7.8337, 10.5733}, {3.6518, 7.4028, 10.4633},
    {4.1740, 7.5738, 10.2565}, {3.2384, 7.6628, 10.2173}, {3.7742, 7.5442, 9.9891},
    {3.0223, 8.0912, 9.9387},  {3.3638, 7.6975, 9.7224},  {3.0852, 8.5575, 9.6264},
    {3.1272, 8.0571, 9.4344},  {3.3533, 8.9577, 9.3762},  {3.1505, 8.4798, 9.1333},
    {3.8162, 9.1392, 9.0669},  {3.3898, 8.8339, 8.8508},  {4.2890, 9.0028, 8.7855},
    {3.7604, 9.0115, 8.6145},  {4.6277, 8.6495, 8.5388},  {4.1870, 8.9204, 8.2953},
    {4.7289, 8.1553, 8.2400},  {4.4952, 8.6340, 8.0578},  {4.5787, 7.7183, 7.9608},
    {4.6137, 8.2834, 7.7657},  {4.1738, 7.4484, 7.6734},  {4.4775, 7.8488, 7.4950}};

// cases/calvados/dsrna-elastic: terms, checksum and energies of the package; structured bases stand
// in the domain, flexible ones in the gap of four pairs.
TEST(ChainKinds, DoubleStrandMatchesThePackage) {
  auto s = structure::read_structure(NFOLD_TEST_DATA "/duplex.pdb", {1, {}, true});
  ASSERT_EQ(s.chains.size(), 2U);
  std::vector<int> domain_of;
  for (auto& chain : s.chains) {
    EXPECT_EQ(chain.kind, "rna");
    for (auto& residue : chain.residues) {
      const int place = static_cast<int>(domain_of.size()) + 1;
      domain_of.push_back(place <= 10 || place >= 15 ? 0 : -1);
      residue.name = residue.file_name = domain_of.back() == 0 ? "s" : "r";
    }
  }
  auto model = rna_model(136);
  model.options.domains = input::FoldedDomains::elastic_network;
  const Topology t = build_residue_model(s, domain_of, model);
  EXPECT_EQ(t.bonds.size(), 46U);
  EXPECT_EQ(t.local_pairs.size(), 22U);
  EXPECT_EQ(t.angles.size(), 20U);
  EXPECT_EQ(t.restraints.size(), 255U);
  EXPECT_EQ(t.exclusions.size(), 343U);
  EXPECT_EQ(exclusion_checksum(t), 214702);
  // The package keeps coordinates in single precision.
  EXPECT_NEAR(t.bonds[0].length_nm, 0.5654673723, 3e-7);
  EXPECT_NEAR(t.local_pairs[9].sigma_nm, 0.4647244213, 3e-7);
  EXPECT_NEAR(t.local_pairs[9].lambda, 0.655, 1e-12);
  EXPECT_NEAR(t.angles[0].theta0_rad, 2.583361626, 1e-6);
  const auto& x = duplex_start;
  EXPECT_NEAR(test::total(t.bonds, x), 11.088320743573355, 1e-5);
  EXPECT_NEAR(local_energy(t, x), -570.3705312927849, 1e-3);
  EXPECT_NEAR(test::total(t.restraints, x), 0, 1e-3);
}

TEST(ChainKinds, CentresOfBackboneAndBaseArePlaced) {
  auto s = structure::read_structure(NFOLD_TEST_DATA "/duplex.pdb", {1, {}, true});
  auto model = rna_model();
  model.options.bead = input::BeadPosition::centre_of_mass;
  const std::vector<int> no_domain(static_cast<std::size_t>(s.residue_count()), -1);
  const Topology t = build_residue_model(s, no_domain, model);
  // P and C1' of G 1: (2.903 x 30.974 + 7.042 x 12.011)/42.985 angstrom.
  EXPECT_NEAR(t.native_nm[0][0], 0.1 * (2.903 * 30.974 + 7.042 * 12.011) / 42.985, 1e-12);
  EXPECT_NEAR(t.native_nm[1][0], 0.6252, 1e-12);
  s.chains[0].residues[3].heavy_atoms.pop_back();
  model.options.bead = input::BeadPosition::calpha;
  try {
    (void)build_residue_model(s, no_domain, model);
    FAIL() << "accepted";
  } catch (const structure::StructureError& error) {
    EXPECT_THAT(error.what(), HasSubstr("duplex: U 4 (chain A) has neither an atom N9 nor N1"));
  }
}

TEST(ChainKinds, NamesOfTheInputNeedBeads) {
  auto model = rna_model();
  const auto build = [&model](const std::string& sequence) {
    const auto s = structure::make_sequence_structure("p", sequence);
    return build_residue_model(s, {-1, -1, -1}, model);
  };
  try {
    (void)build("G[SEP]G");
    FAIL() << "accepted";
  } catch (const structure::StructureError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("p: SEP 2 (chain A) is no bead of the force field, which has"));
    EXPECT_THAT(error.what(), HasSubstr("VAL"));
  }
  EXPECT_EQ(build("G[RB]G").residues[1].mass_amu, 126.3);
  EXPECT_EQ(build("G[ALA]G").residues[1].name.view(), "ALA");
  // A residue of a file counts as its parent.
  auto s = structure::make_sequence_structure("p", "GSG");
  s.chains[0].residues[1].file_name = "SEP";
  EXPECT_EQ(build_residue_model(s, {-1, -1, -1}, model).residues[1].name.view(), "SER");
}

TEST(ChainKinds, ProteinsAndStrandsShareAMolecule) {
  auto s = structure::make_sequence_structure("x", "AG", "rna");
  s.chains.push_back(structure::make_sequence_structure("p", "GKH").chains[0]);
  s.chains[1].name = "B";
  const Topology t = build_residue_model(s, {-1, -1, -1, -1, -1}, rna_model());
  ASSERT_EQ(t.residue_count(), 7);
  EXPECT_EQ(t.chains[1].first, 4);
  EXPECT_EQ(t.residues[4].charge_e, 1);  // first residue of the protein
  EXPECT_EQ(t.residues[4].name.view(), "GLY");
  EXPECT_EQ(t.bonds.size(), 5U);
  EXPECT_EQ(t.bonds.back().k_kj_mol_nm2, 8033);
}

// Rows of cases/calvados/domains-go: a pair of scale 0.13, of which a rest of both potentials is
// left.
TEST(WeightedContacts, KeepARestOfThePairTerms) {
  auto model = rna_model();
  auto s = structure::make_sequence_structure("p", "GKAKG");
  Topology t = build_residue_model(s, {-1, -1, -1, -1, -1}, model);
  for (int i = 0; i < 5; ++i) t.native_nm.items()[static_cast<std::size_t>(i)] = {0.35 * i, 0, 0};
  constexpr double weight = 0.13, rest = 0.0832;
  add_weighted_contacts(t, {{{0, 2, 0.7, 0.9, 0}, {1, 3, 0.7, weight, rest}}, {1, 1, rest, 0, 1}},
                        15, model.force_field);
  ASSERT_EQ(t.contacts_12_10.size(), 2U);
  EXPECT_DOUBLE_EQ(t.contacts_12_10[0].epsilon_kj_mol, 13.5);
  EXPECT_DOUBLE_EQ(t.contacts_12_10[1].epsilon_kj_mol, 1.95);
  ASSERT_EQ(t.local_pairs.size(), 1U);
  const LocalPair pair = t.local_pairs[0];
  EXPECT_NEAR(pair.sigma_nm, 0.636, 1e-15);
  EXPECT_NEAR(pair.lambda, 0.179021173899, 1e-15);
  const auto lennard_jones = [](double r) {
    return 4 * 0.8368 * (std::pow(0.636 / r, 12) - std::pow(0.636 / r, 6));
  };
  const auto& e = t.electrostatics;
  const auto screened = [&e](double r) { return std::exp(-e.kappa_per_nm * r) / r; };
  for (const double r : {0.5, 0.8, 3.0}) {
    const double contact =
        r < 0.7 ? lennard_jones(r) + 0.8368 * (1 - pair.lambda) : pair.lambda * lennard_jones(r);
    const double expected = rest * (contact - pair.lambda * lennard_jones(2)) +
                            rest * e.coulomb_kj_mol_nm * (screened(r) - screened(e.cutoff_nm));
    EXPECT_NEAR(pair.value(r).energy, expected, 1e-11) << r;
  }
  EXPECT_EQ(t.bonds[0].length_nm, 0.38);
  EXPECT_NEAR(t.bonds[2].length_nm, rest * 0.38 + (1 - rest) * 0.35, 1e-15);
  EXPECT_NEAR(t.bonds[3].length_nm, 0.35, 1e-15);
  const std::set<std::pair<int, int>> excluded(t.exclusions.begin(), t.exclusions.end());
  EXPECT_TRUE(excluded.contains({0, 2}) && excluded.contains({1, 3}));
}

TEST(WeightedContacts, OtherFormsAreRefused) {
  ResidueModel model;
  model.file = input::builtin_force_field("mpipi");
  model.evaluate();
  const auto s = structure::make_sequence_structure("p", "GKAKG");
  Topology t = build_residue_model(s, {-1, -1, -1, -1, -1}, model);
  for (int i = 0; i < 5; ++i) t.native_nm.items()[static_cast<std::size_t>(i)] = {0.35 * i, 0, 0};
  const std::vector<double> parts(5, 1);
  EXPECT_NO_THROW(add_weighted_contacts(t, {{{0, 2, 0.7, 0.9, 0}}, parts}, 15, model.force_field));
  EXPECT_THROW(add_weighted_contacts(t, {{{1, 3, 0.7, 0.13, 0.1}}, parts}, 15, model.force_field),
               structure::StructureError);
}

}  // namespace
}  // namespace nfold::topology
