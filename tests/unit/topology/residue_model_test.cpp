// Condensate models: types, charges, masses, bonds, networks, exclusions and pair potentials.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/topology/residue_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "model/structure/fasta.hpp"
#include "model/structure/point.hpp"
#include "model/topology/flexible_angles.hpp"
#include "model/topology/folded_domains.hpp"
#include "model/topology/monomer_beads.hpp"
#include "ubiquitin.hpp"

namespace nfold::topology {
namespace {

using input::ForceFieldModel;
using testing::HasSubstr;

ResidueModel make_model(ForceFieldModel model, const input::CondensateSettings& options = {}) {
  ResidueModel result;
  result.file = input::builtin_force_field(input::model_name(model));
  result.options = options;
  result.temperature_kelvin = 293;
  result.evaluate();
  return result;
}

Topology sequence_topology(const std::string& sequence, const ResidueModel& model) {
  const auto s = structure::make_sequence_structure("p", sequence);
  return build_residue_model(s, std::vector<int>(sequence.size(), -1), model);
}

Topology ubiquitin_with(input::FoldedDomains domains, ForceFieldModel model,
                        input::BeadPosition bead = input::BeadPosition::by_model) {
  input::CondensateSettings options;
  options.domains = domains;
  options.bead = bead;
  const auto s = ubiquitin();
  return build_residue_model(s, folded_domains(s, {"1-40,45-71"}), make_model(model, options));
}

const structure::Residue& residue_at(const structure::Structure& s, int i) {
  return s.chains[0].residues[static_cast<std::size_t>(i)];
}

double pair_energy(const Topology& t, const std::string& a, const std::string& b, double r) {
  const auto& s = t.short_range;
  const auto type = [&s](const std::string& name) {
    return static_cast<std::size_t>(std::find(s.type_names.begin(), s.type_names.end(), name) -
                                    s.type_names.begin());
  };
  if (s.form == ShortRangeForm::wang_frenkel) {
    const auto& p = s.pair(static_cast<int>(type(a)), static_cast<int>(type(b)));
    const double x = std::pow(3, 2 * p.shape), y = std::pow(p.sigma_nm / r, 2 * p.shape);
    return p.epsilon_kj_mol * 6.75 * std::pow(1 - 1 / x, -3) * (y - 1) * std::pow(y - 1 / x, 2);
  }
  const double sigma = (s.type_sigma_nm[type(a)] + s.type_sigma_nm[type(b)]) / 2;
  const double lambda = (s.type_lambda[type(a)] + s.type_lambda[type(b)]) / 2;
  const auto lj = [&](double d) {
    const double q6 = std::pow(sigma / d, 6);
    return 4 * s.epsilon_kj_mol * (q6 * q6 - q6);
  };
  const double energy =
      r <= std::pow(2, 1.0 / 6) * sigma ? lj(r) + s.epsilon_kj_mol * (1 - lambda) : lambda * lj(r);
  return s.shifted ? energy - lambda * lj(s.cutoff_nm) : energy;
}

// Analytic values, computed with 40 digits.
TEST(PairPotentials, MatchAnalyticValues) {
  const auto calvados = sequence_topology("GG", make_model(input::find_model("calvados2")));
  EXPECT_NEAR(pair_energy(calvados, "TYR", "ARG", 0.65), 0.1567790943055985, 1e-13);
  EXPECT_NEAR(pair_energy(calvados, "TYR", "ARG", 0.75), -0.6963719036203139, 1e-13);
  EXPECT_NEAR(pair_energy(calvados, "GLU", "ASP", 0.7), -0.0150259475966182, 1e-13);
  const auto urry = sequence_topology("GG", make_model(input::find_model("hps-urry")));
  EXPECT_NEAR(pair_energy(urry, "GLU", "GLU", 0.7), 0.06212740010947793, 1e-13);
  EXPECT_NEAR(pair_energy(urry, "GLU", "GLU", 0.55), 3.793060893291735, 1e-12);
  const auto mpipi = sequence_topology("GG", make_model(input::find_model("mpipi")));
  EXPECT_NEAR(pair_energy(mpipi, "ARG", "TYR", 0.7), -1.5769864197199104, 1e-12);
  EXPECT_NEAR(pair_energy(mpipi, "TYR", "ARG", 0.8), -2.1950336962880788, 1e-12);
  EXPECT_NEAR(pair_energy(mpipi, "ILE", "ILE", 0.8), -1.8301709024102677e-05, 1e-15);
  EXPECT_NEAR(pair_energy(mpipi, "ILE", "VAL", 0.7), -0.012244231775558313, 1e-14);
}

// epsilon [kcal/mol] with its sign as published KH-D inputs have it, to their six digits.
TEST(PairPotentials, KimHummerMatchesPublishedValues) {
  const auto t = sequence_topology("GG", make_model(input::find_model("kim-hummer")));
  const auto& s = t.short_range;
  const auto pair = [&s](const std::string& a, const std::string& b) {
    const auto type = [&s](const std::string& name) {
      return static_cast<int>(std::find(s.type_names.begin(), s.type_names.end(), name) -
                              s.type_names.begin());
    };
    EXPECT_EQ(s.pair(type(a), type(b)).epsilon_kj_mol, s.pair(type(b), type(a)).epsilon_kj_mol);
    return s.pair(type(a), type(b));
  };
  struct Published {
    const char *first, *second;
    double kcal_mol;
  };
  for (const auto& [first, second, kcal_mol] :
       {Published{"LEU", "LEU", -0.770663}, Published{"PHE", "PHE", -0.755790},
        Published{"CYS", "CYS", -0.509719}, Published{"ALA", "ALA", -0.141964},
        Published{"LYS", "LYS", 0.209566}, Published{"LYS", "ARG", 0.146020},
        Published{"GLU", "GLU", 0.102755}, Published{"ASP", "ASP", 0.062194}}) {
    const auto found = pair(first, second);
    EXPECT_NEAR(found.epsilon_kj_mol, 4.184 * std::abs(kcal_mol), 4.184 * 1e-6) << first << second;
    EXPECT_EQ(found.shape, kcal_mol < 0 ? 1 : -1) << first << second;
  }
  // On the offset: a repulsion of 0.001 kcal/mol is left.
  EXPECT_EQ(pair("SER", "SER").epsilon_kj_mol, 0.004184);
  EXPECT_EQ(pair("SER", "SER").shape, -1);
  EXPECT_DOUBLE_EQ(pair("ALA", "TRP").sigma_nm, 0.5 * (0.504 + 0.678));
  EXPECT_EQ(s.cutoff_nm, 2);
}

TEST(PairPotentials, TakeCutoffsAndShiftsOfTheModel) {
  const auto hps = sequence_topology("GG", make_model(input::find_model("hps-kr"))).short_range;
  EXPECT_EQ(hps.cutoff_nm, 2);
  EXPECT_FALSE(hps.shifted);
  input::CondensateSettings open_abc;
  open_abc.short_range_cutoff_over_sigma = 4;
  open_abc.short_range_shifted = input::ModelFlag::yes;
  const auto by_sigma =
      sequence_topology("GG", make_model(input::find_model("hps-kr"), open_abc)).short_range;
  EXPECT_EQ(by_sigma.cutoff_over_sigma, 4);
  EXPECT_DOUBLE_EQ(by_sigma.cutoff_nm, 4 * 0.678);  // tryptophan's
  EXPECT_TRUE(by_sigma.shifted);
  const auto mpipi = sequence_topology("GG", make_model(input::find_model("mpipi"))).short_range;
  EXPECT_EQ(mpipi.cutoff_over_sigma, 3);
  EXPECT_DOUBLE_EQ(mpipi.cutoff_nm, 3 * 0.706654796174626);  // TRP TRP
}

TEST(Electrostatics, MatchesAnalyticValues) {
  const auto c = sequence_topology("GG", make_model(input::find_model("calvados2"))).electrostatics;
  const auto energy = [](const Electrostatics& e, double qq, double r) {
    const double shift = e.shifted ? std::exp(-e.kappa_per_nm * e.cutoff_nm) / e.cutoff_nm : 0;
    return qq * e.coulomb_kj_mol_nm * (std::exp(-e.kappa_per_nm * r) / r - shift);
  };
  EXPECT_NEAR(energy(c, -1, 0.6), -1.3432740477712084, 1e-13);
  EXPECT_NEAR(energy(c, -1, 3.9), -0.00044299084789934, 1e-15);
  const auto mpipi = sequence_topology("GG", make_model(input::find_model("mpipi"))).electrostatics;
  EXPECT_NEAR(energy(mpipi, -0.5625, 0.7), -0.5776966680422846, 1e-13);
  EXPECT_EQ(mpipi.cutoff_nm, 3.5);
}

TEST(Electrostatics, RefusesInvalidTemperatures) {
  auto model = make_model(input::find_model("calvados2"));
  for (const double kelvin : {0.0, 1e4}) {
    model.temperature_kelvin = kelvin;
    model.evaluate();
    EXPECT_THROW((void)sequence_topology("GG", model), structure::StructureError) << kelvin;
  }
  model.options.dielectric_constant = 80;
  model.options.inverse_debye_length_per_nm = 1;
  model.temperature_kelvin = 0;
  model.evaluate();
  EXPECT_EQ(sequence_topology("GG", model).electrostatics.kappa_per_nm, 1);
}

// Source: scipy.interpolate.CubicSpline(bc_type='natural') on the published nodes, minus the lowest
// value on 1.31 to 2.87 rad.
TEST(FlexibleAngles, MatchSplinesOfTheTable) {
  input::CondensateSettings options;
  options.flexible_angles = true;
  const auto t = sequence_topology("GAPGA", make_model(input::find_model("calvados2"), options));
  ASSERT_EQ(t.tabulated_angles.size(), 3);
  struct Value {
    double theta_rad, energy, slope;
  };
  const std::vector<std::vector<Value>> expected{
      {{1.4, 8.5713730815058, -91.15040935644927},
       {1.75, 1.3681102205867806, 9.450826766174862},
       {2.0, 0.3287785190636541, -5.708346329020298},
       {2.4, 2.4084314061589707, 5.321022293520226}},
      {{1.4, 9.095981025090023, -93.69679575550003},
       {2.0, 0.4267345974428469, -13.572047083166936},
       {2.75, 21.87608814228621, 108.88088170535205}},
      {{1.4, 10.381796739228314, -83.73598642386047}, {2.4, 2.39100176954822, 4.985523277566918}}};
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const auto& term = t.tabulated_angles[k];
    EXPECT_EQ(term.j, static_cast<int>(k) + 1);
    for (const auto& [theta, energy, slope] : expected[k]) {
      const auto found = term.spline_at(theta);
      EXPECT_NEAR(found.energy, energy, 1e-6) << k << " at " << theta;
      EXPECT_NEAR(found.slope, slope, 1e-9) << k << " at " << theta;
    }
  }
}

// Source: rule of GENESIS 2.1 (setup_enefunc_angl) on scipy's natural splines: from 1.31 to 2.87
// rad in steps of 1e-4, a line of 30 kcal/mol/rad beyond the first angle where the spline is
// steeper.
TEST(FlexibleAngles, OuterLinesMatchGenesis) {
  struct Line {
    const char* residue;
    double low_energy, high_rad;
  };
  for (const auto& [residue, low_energy, high_rad] :
       {Line{"ALA", 17.674833, 2.7293}, Line{"GLY", 18.506191, 2.7231},
        Line{"MET", 17.23138, 2.743}, Line{"PRO", 18.467959, 2.7804}}) {
    const auto term = flexible_angles::make_flexible_angle(residue);
    EXPECT_EQ(term.low_rad, 1.31) << residue;
    EXPECT_NEAR(term.spline_at(term.low_rad).energy, low_energy, 1e-6) << residue;
    EXPECT_NEAR(term.high_rad, high_rad, 1e-9) << residue;
    EXPECT_EQ(term.outer_slope_kj_mol_rad, 125.52) << residue;
  }
}

TEST(FlexibleAngles, SkipFoldedDomains) {
  input::CondensateSettings options;
  options.flexible_angles = true;
  options.domains = input::FoldedDomains::elastic_network;
  const auto s = ubiquitin();
  const auto t = build_residue_model(s, folded_domains(s, {"1-40,45-71"}),
                                     make_model(input::find_model("calvados3"), options));
  ASSERT_EQ(t.tabulated_angles.size(), 5);  // residues 41 to 44 and 72 to 76
  EXPECT_EQ(t.tabulated_angles.front().i, 40);
  EXPECT_EQ(t.tabulated_angles.back().k, 75);
}

TEST(Residues, EndsAddChargeAndMass) {
  const auto t = sequence_topology("KGD", make_model(input::find_model("calvados2")));
  EXPECT_EQ(t.residues[0].charge_e, 2);
  EXPECT_EQ(t.residues[2].charge_e, -2);
  EXPECT_EQ(t.residues[0].mass_amu, 128.17 + 2);
  EXPECT_EQ(t.residues[1].mass_amu, 57.05);
  EXPECT_EQ(t.residues[2].mass_amu, 115.09 + 16);
  const auto one = sequence_topology("G", make_model(input::find_model("calvados3")));
  EXPECT_EQ(one.residues[0].charge_e, 0);
  EXPECT_EQ(one.residues[0].mass_amu, 57.05 + 18);
  const auto hps = sequence_topology("KGD", make_model(input::find_model("hps-kr")));
  EXPECT_EQ(hps.residues[0].charge_e, 1);
  EXPECT_EQ(hps.residues[0].mass_amu, 128.20);
}

// CALVADOS (components.py:176, sequence.py:92-148) adds +1 e and 2 amu to an end that
// charge_termini names as N, -1 e and 16 amu to one that it names as C.
TEST(Residues, OnlyChargedEndsAddMass) {
  struct Expected {
    input::ChargedEnds ends;
    double first_e, last_e, first_amu, last_amu;
  };
  using input::ChargedEnds;
  const double lysine = 128.17, aspartate = 115.09;
  for (const auto& [ends, first_e, last_e, first_amu, last_amu] :
       {Expected{ChargedEnds::none, 1, -1, 0, 0}, Expected{ChargedEnds::first, 2, -1, 2, 0},
        Expected{ChargedEnds::last, 1, -2, 0, 16}, Expected{ChargedEnds::both, 2, -2, 2, 16}}) {
    input::CondensateSettings options;
    options.charged_ends = ends;
    const auto t = sequence_topology("KGD", make_model(input::find_model("calvados2"), options));
    EXPECT_EQ(t.residues[0].charge_e, first_e);
    EXPECT_EQ(t.residues[2].charge_e, last_e);
    EXPECT_EQ(t.residues[0].mass_amu, lysine + first_amu);
    EXPECT_EQ(t.residues[2].mass_amu, aspartate + last_amu);
  }
}

TEST(Residues, HistidineFollowsThePh) {
  EXPECT_NEAR(input::histidine_charge(5.5, 6), 0.7597469266479578, 1e-12);
  EXPECT_NEAR(input::histidine_charge(7.4, 6), 0.038286503882254734, 1e-12);
  input::CondensateSettings options;
  options.ph = 7;
  const auto charge = [&](ForceFieldModel model) {
    return sequence_topology("GHG", make_model(model, options)).residues[1].charge_e;
  };
  EXPECT_NEAR(charge(input::find_model("calvados2")), 0.09090909090909091, 1e-12);
  EXPECT_EQ(charge(input::find_model("hps-kr")), 0.5);
  EXPECT_EQ(charge(input::find_model("hps-urry")), 0);
  EXPECT_EQ(charge(input::find_model("mpipi")), 0.375);
}

TEST(Residues, ErrorNamesUnknownResidue) {
  auto s = structure::make_sequence_structure("p", "GGG");
  s.chains[0].residues[1].name = "UNK";
  try {
    (void)build_residue_model(s, {-1, -1, -1}, make_model(input::find_model("mpipi")));
    FAIL() << "accepted";
  } catch (const structure::StructureError& error) {
    EXPECT_THAT(error.what(), HasSubstr("p: UNK 2 (chain A) is none of the residues"));
  }
}

TEST(Bonds, JoinNeighboursAndExcludeThem) {
  auto s = structure::make_sequence_structure("p", "GGGGGG");
  s.chains[0].residues[2].bonded_to_next = false;
  const auto t =
      build_residue_model(s, std::vector<int>(6, -1), make_model(input::find_model("mpipi")));
  ASSERT_EQ(t.bonds.size(), 4U);
  EXPECT_EQ(t.bonds[0].length_nm, 0.381);
  EXPECT_EQ(t.bonds[0].k_kj_mol_nm2, 8033.28);
  EXPECT_EQ(t.bonds[2].i, 3);
  EXPECT_EQ(t.exclusions.size(), 4U);
  EXPECT_FALSE(t.has_native_structure());
  EXPECT_EQ(t.native_nm.size(), 6U);
}

// Checked pair by pair against the rule: same domain, at least two apart, nearer than 0.9 nm.
TEST(ElasticNetwork, JoinsNearPairsOfADomain) {
  const auto s = ubiquitin();
  const auto t =
      ubiquitin_with(input::FoldedDomains::elastic_network, input::find_model("calvados3"));
  std::set<std::pair<int, int>> expected, found;
  for (int i = 0; i < 71; ++i) {
    for (int j = i + 2; j < 71; ++j) {
      if ((i >= 40 && i < 44) || (j >= 40 && j < 44)) continue;
      if (structure::distance(centre_of_mass_nm(residue_at(s, i)),
                              centre_of_mass_nm(residue_at(s, j))) < 0.9) {
        expected.emplace(i, j);
      }
    }
  }
  for (const Bond& b : t.restraints) {
    found.emplace(b.i, b.j);
    EXPECT_EQ(b.k_kj_mol_nm2, 700);
    EXPECT_LT(b.length_nm, 0.9);
  }
  EXPECT_EQ(found, expected);
  EXPECT_GT(found.size(), 200U);
  EXPECT_EQ(t.exclusions.size(), 75U + found.size());
  EXPECT_TRUE(std::is_sorted(t.exclusions.begin(), t.exclusions.end()));
}

TEST(ElasticNetwork, BondsOfADomainKeepTheirLength) {
  const auto t =
      ubiquitin_with(input::FoldedDomains::elastic_network, input::find_model("calvados3"));
  const auto length = [&t](int i) { return t.bonds[static_cast<std::size_t>(i)].length_nm; };
  const auto distance = [&t](int i) {
    return structure::distance(t.native_nm[static_cast<std::size_t>(i)],
                               t.native_nm[static_cast<std::size_t>(i) + 1]);
  };
  EXPECT_EQ(length(10), distance(10));
  EXPECT_EQ(length(39), distance(39));  // residue 40 is in the domain, 41 is not
  EXPECT_EQ(length(43), distance(43));
  EXPECT_EQ(length(41), 0.38);
  EXPECT_EQ(length(74), 0.38);
  EXPECT_EQ(t.bonds[10].k_kj_mol_nm2, 8033);
  const auto none = ubiquitin_with(input::FoldedDomains::none, input::find_model("calvados3"));
  EXPECT_EQ(none.bonds[10].length_nm, 0.38);
  EXPECT_TRUE(none.restraints.empty());
}

TEST(Beads, PositionsFollowTheModel) {
  const auto s = ubiquitin();
  const auto elastic = input::FoldedDomains::elastic_network;
  const auto three = ubiquitin_with(elastic, input::find_model("calvados3"));
  EXPECT_EQ(three.native_nm[10], centre_of_mass_nm(residue_at(s, 10)));
  EXPECT_EQ(three.native_nm[74], residue_at(s, 74).calpha_nm);
  const auto two = ubiquitin_with(elastic, input::find_model("calvados2"));
  EXPECT_EQ(two.native_nm[10], residue_at(s, 10).calpha_nm);
  const auto all =
      ubiquitin_with(elastic, input::find_model("calvados2"), input::BeadPosition::centre_of_mass);
  EXPECT_EQ(all.native_nm[74], centre_of_mass_nm(residue_at(s, 74)));
}

TEST(Beads, CentreOfMassWeighsTheElements) {
  structure::Residue residue;
  residue.heavy_atoms = {{"CA", {0, 0, 0}}, {"O", {1, 0, 0}}};
  EXPECT_DOUBLE_EQ(centre_of_mass_nm(residue)[0], 15.999 / (12.011 + 15.999));
  residue.heavy_atoms.clear();
  residue.calpha_nm = {1, 2, 3};
  EXPECT_EQ(centre_of_mass_nm(residue)[2], 3);
}

TEST(Domains, AreRefusedWithoutStructure) {
  const auto s = structure::make_sequence_structure("tail", "GGGG");
  input::CondensateSettings options;
  options.domains = input::FoldedDomains::elastic_network;
  try {
    (void)build_residue_model(s, {-1, 0, 0, -1},
                              make_model(input::find_model("calvados3"), options));
    FAIL() << "accepted";
  } catch (const structure::StructureError& error) {
    EXPECT_THAT(error.what(), HasSubstr("tail: GLY 2 (chain A) is in a folded domain"));
  }
}

TEST(GoDomains, HaveGoTermsInsideOnly) {
  const auto s = ubiquitin();
  const auto t = ubiquitin_with(input::FoldedDomains::go, input::find_model("calvados3"));
  const auto whole = build_go_model(s, {});
  const auto inside = [&t](int i) { return t.residues[static_cast<std::size_t>(i)].domain == 0; };
  const auto contacts =
      std::count_if(whole.contacts_12_10.begin(), whole.contacts_12_10.end(),
                    [&](const Contact1210& c) { return inside(c.i) && inside(c.j); });
  EXPECT_EQ(t.contacts_12_10.size(), static_cast<std::size_t>(contacts));
  EXPECT_LT(contacts, static_cast<long>(whole.contacts_12_10.size()));
  EXPECT_EQ(t.angles.size(), 38U + 25U);  // residues 1-40 and 45-71
  EXPECT_EQ(t.dihedrals.size(), 37U + 24U);
  EXPECT_EQ(t.bonds.size(), 75U);
  EXPECT_EQ(t.bonds[10].k_kj_mol_nm2, 20000);
  EXPECT_EQ(t.bonds[39].k_kj_mol_nm2, 8033);
  EXPECT_TRUE(t.short_range.domains_only_repel);
  EXPECT_EQ(t.native_nm[10], residue_at(s, 10).calpha_nm);  // the contacts' atoms
  EXPECT_EQ(t.residues[10].mass_amu, 128.17);
  const std::set<std::pair<int, int>> excluded(t.exclusions.begin(), t.exclusions.end());
  EXPECT_EQ(excluded.size(), 75U + t.angles.size() + t.dihedrals.size() + t.contacts_12_10.size());
  EXPECT_FALSE(excluded.contains({39, 41}));
}

TEST(GoDomains, NativeContactsKeepTheChargesOfMoff) {
  using PairSet = std::set<std::pair<int, int>>;
  const auto s = ubiquitin();
  input::CondensateSettings options;
  options.domains = input::FoldedDomains::go;
  auto model = make_model(input::find_model("moff"), options);
  const auto build = [&] { return build_residue_model(s, folded_domains(s, {"1-76"}), model); };
  const auto t = build();
  PairSet contacts;
  for (const Contact1210& c : t.contacts_12_10) contacts.emplace(c.i, c.j);
  EXPECT_GT(contacts.size(), 100U);
  EXPECT_EQ(PairSet(t.charged_exclusions.begin(), t.charged_exclusions.end()), contacts);
  const PairSet excluded(t.exclusions.begin(), t.exclusions.end());
  EXPECT_EQ(excluded.size(), 75U + 74U + 73U + contacts.size());
  // Contacts of neighbours up to 1-4 remain without charges.
  model.go.contacts.min_sequence_separation = 3;
  const auto near = build();
  EXPECT_GT(near.contacts_12_10.size(), contacts.size());
  EXPECT_EQ(PairSet(near.charged_exclusions.begin(), near.charged_exclusions.end()), contacts);
  model.force_field.chains.front().excluded.native = input::NativePairs::all;
  const auto all = build();
  EXPECT_EQ(all.exclusions.size(), 75U + 74U + 73U);
  EXPECT_TRUE(all.charged_exclusions.empty());
}

// Areas by MDTraj 1.11, shrake_rupley() with 1920 points, which has 49 factors below 1 too.
TEST(SiteFactors, FollowAreasOfFoldedResidues) {
  const auto t =
      ubiquitin_with(input::FoldedDomains::elastic_network, input::find_model("cocomo2"));
  const auto factor = [&t](int number) {
    const int site = Residue(t.residues[static_cast<std::size_t>(number - 1)]).site;
    return site < 0 ? 1 : t.short_range.site_factors.at(static_cast<std::size_t>(site));
  };
  EXPECT_EQ(factor(3), 0);
  EXPECT_NEAR(factor(6), std::sqrt(1.0019 / (0.7 * 1.923)), 1e-3);
  EXPECT_EQ(factor(60), 1);
  EXPECT_NEAR(factor(71), std::sqrt(0.8132 / (0.7 * 1.519)), 1e-3);
  for (const int free : {41, 42, 43, 44, 72, 76}) EXPECT_EQ(factor(free), 1) << free;
  EXPECT_EQ(t.short_range.site_factors.size(), 49U);
  EXPECT_THAT(t.notes, testing::Contains("1ubq: 49 of 67 folded residues have a factor below 1 by "
                                         "their open surface"));
}

TEST(SiteFactors, TakeGivenAreas) {
  auto s = structure::make_sequence_structure("p", "GAVLK");
  s.areas_nm2 = {0, 0.1, 0.2, 9, 0.3};
  const auto t =
      build_residue_model(s, {-1, 0, 0, 0, -1}, make_model(input::find_model("cocomo2")));
  EXPECT_THAT(t.short_range.site_factors,
              testing::ElementsAre(std::sqrt(0.1 / (0.7 * 0.796)), std::sqrt(0.2 / (0.7 * 1.232))));
  std::vector<int> sites;
  for (const Residue& residue : t.residues) sites.push_back(residue.site);
  EXPECT_EQ(sites, (std::vector{-1, 0, 1, -1, -1}));
}

TEST(SiteFactors, NeedAtoms) {
  auto s = ubiquitin();
  for (auto& residue : s.chains[0].residues) residue.heavy_atoms.resize(1);
  const auto model = make_model(input::find_model("cocomo2"));
  std::vector<int> domains(76, -1);
  EXPECT_TRUE(build_residue_model(s, domains, model).short_range.site_factors.empty());
  domains[4] = 0;
  try {
    (void)build_residue_model(s, domains, model);
    FAIL() << "accepted";
  } catch (const structure::StructureError& error) {
    EXPECT_THAT(error.what(), HasSubstr("1ubq: VAL 5 (chain A) is in a folded domain, whose pairs "
                                        "the force field scales by their open surface, but has 1 "
                                        "of its atoms in the structure; give a structure with"));
  }
}

}  // namespace
}  // namespace nfold::topology
