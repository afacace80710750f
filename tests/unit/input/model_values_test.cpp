// Built-in force fields: their numbers against sources, their energies against published programs.
// SPDX-License-Identifier: BSD-3-Clause
//
// Energies were computed with the authors' code in OpenMM (Mpipi-Recharged, COCOMO, CALVADOS with
// RNA), or anew from the articles' equations with 40 digits. Sums are those of the sources' files.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "force_field_parts.hpp"
#include "input/force_field.hpp"

namespace nfold::input {
namespace {

using Point = std::array<double, 3>;

/// Beads of a configuration: positions [nm], names and chains.
struct Configuration {
  std::vector<Point> at;
  std::vector<std::string> names;
  std::vector<int> chain;
  void add(const Point& point, std::string name, int of_chain) {
    // Coordinates of the references are rounded.
    constexpr double grid = 1e4;
    at.push_back({std::nearbyint(point[0] * grid) / grid, std::nearbyint(point[1] * grid) / grid,
                  std::nearbyint(point[2] * grid) / grid});
    names.push_back(std::move(name));
    chain.push_back(of_chain);
  }
  [[nodiscard]] double distance_nm(std::size_t i, std::size_t j) const {
    return std::hypot(at[i][0] - at[j][0], at[i][1] - at[j][1], at[i][2] - at[j][2]);
  }
};

ForceField model(std::string_view name, const Conditions& conditions = {300, 0.15, 7}) {
  return evaluate(*builtin_force_field(name), conditions);
}

double energy(const ForceField& field, const std::string& name, const std::string& a,
              const std::string& b, double r_nm) {
  const auto& found = maybe(field, name, a, b);
  return found ? found->at(r_nm).energy : 0;
}

double charge(const ForceField& field, const std::string& name) {
  return bead(field, name).charge_e;
}

/// Returns the Debye-Hueckel energy [kJ/mol] of two unit charges.
double unit_energy(const ChargeTerm& charges, double r_nm) {
  if (charges.unit) return charges.unit->at(r_nm).energy;
  const auto at = [&](double r) {
    return charges.coulomb_kj_mol_nm / charges.dielectric_constant *
           std::exp(-charges.inverse_debye_length_per_nm * r) / r;
  };
  if (r_nm >= charges.cutoff_nm) return 0;
  return at(r_nm) - (charges.shifted ? at(charges.cutoff_nm) : 0);
}

/// Calls visit(i, j, r) for pairs of different chains and of a chain's beads that are not bonded.
void for_each_pair(const Configuration& all,
                   const std::function<void(std::size_t, std::size_t, double)>& visit) {
  for (std::size_t i = 0; i < all.at.size(); ++i) {
    for (std::size_t j = i + 1; j < all.at.size(); ++j) {
      if (all.chain[i] != all.chain[j] || j - i > 1) visit(i, j, all.distance_nm(i, j));
    }
  }
}

/// Two chains with all twenty residues, and an RNA of six nucleotides.
Configuration proteins_with_rna(const std::array<std::string, 6>& rna) {
  constexpr std::array sequence{"MET", "GLY", "LYS", "THR", "ARG", "ALA", "ASP",
                                "GLU", "TYR", "VAL", "LEU", "GLN", "TRP", "PHE",
                                "SER", "HIS", "ASN", "PRO", "CYS", "ILE"};
  Configuration all;
  const auto helix = [](std::size_t k, double x, double z) {
    const double turn = 0.62 * static_cast<double>(k);
    return Point{0.6 * std::cos(turn) + x, 0.6 * std::sin(turn), 0.1 * static_cast<double>(k) + z};
  };
  for (std::size_t k = 0; k < 20; ++k) all.add(helix(k, 0, 0), sequence[k], 0);
  for (std::size_t k = 0; k < 20; ++k) all.add(helix(k, 1.6, 0.05), sequence[19 - k], 1);
  for (std::size_t k = 0; k < 6; ++k) {
    all.add({-1.5, -1.25 + 0.5 * static_cast<double>(k), 0.9}, rna[k], 2);
  }
  return all;
}

/// A number of a term summed over all pairs of beads in the order of their names, once with equal
/// weights and once with 1, 2, 3, ...: a wrong or exchanged number changes one of the two.
struct Sums {
  int rows = 0;
  double plain = 0, weighted = 0;
};
Sums sum_over_pairs(const ForceField& field, const std::string& name, std::size_t number,
                    const std::function<bool(std::string_view, std::string_view)>& has_row) {
  std::map<std::pair<std::string, std::string>, double> sorted;
  for (const BeadType& a : field.beads) {
    for (const BeadType& b : field.beads) {
      const auto& found = maybe(field, name, a.name, b.name);
      if (a.name <= b.name && found && has_row(a.name, b.name)) {
        sorted[{a.name, b.name}] = found->numbers[number];
      }
    }
  }
  Sums sums;
  for (const auto& [names, value] : sorted) {
    sums.plain += value;
    sums.weighted += ++sums.rows * value;
  }
  return sums;
}
Sums sum_over_pairs(const ForceField& field, const std::string& name, std::size_t number) {
  return sum_over_pairs(field, name, number, [](auto, auto) { return true; });
}

bool is_nucleotide(std::string_view name) { return name.size() == 2; }

void expect_sums(const Sums& sums, int rows, double plain, double weighted) {
  EXPECT_EQ(sums.rows, rows);
  EXPECT_NEAR(sums.plain, plain, 1e-12 * std::abs(plain));
  EXPECT_NEAR(sums.weighted, weighted, 1e-12 * std::abs(weighted));
}

void expect_close(double value, double reference) {
  EXPECT_NEAR(value, reference, 2e-10 * std::abs(reference));
}

TEST(BuiltinForceFields, StateTheirFacts) {
  EXPECT_EQ(builtin_force_field_names().size(), 20U);
  for (const auto name : builtin_force_field_names()) {
    const auto facts = model(name).facts;
    for (const auto& text : {facts.name, facts.article, facts.fitted_for, facts.temperature,
                             facts.salt, facts.cannot, facts.mixtures}) {
      EXPECT_FALSE(text.empty()) << name;
    }
  }
}

TEST(MpipiRecharged, NumbersMatchOpenMpipi) {
  const auto field = model("mpipi-recharged");
  expect_sums(sum_over_pairs(field, "contact", 0), 231, 237.9018216, 28237.36165944);
  expect_sums(sum_over_pairs(field, "contact", 1), 231, 144.801169, 17052.574324);
  expect_sums(sum_over_pairs(field, "contact", 2), 231, 795, 93329);
  expect_sums(sum_over_pairs(field, "charges", 0), 21, 2.7650164832919994, 51.257476277116);
  EXPECT_NEAR(maybe(field, "charges", "LYS", "ASP")->numbers[1], 0.78402, 5e-6);
}

TEST(MpipiRecharged, EnergyMatchesOpenMpipi) {
  const auto field = model("mpipi-recharged");
  expect_close(energy(field, "contact", "ARG", "ASP", 0.6), 0.96194031448);
  expect_close(energy(field, "charges", "ARG", "ASP", 0.6), -1.5989879817);
  expect_close(energy(field, "contact", "TYR", "RU", 0.9), -1.3098864544);
  const auto all = proteins_with_rna({"RU", "RU", "RU", "RU", "RU", "RU"});
  double contacts = 0, charges = 0;
  for_each_pair(all, [&](std::size_t i, std::size_t j, double r) {
    contacts += energy(field, "contact", all.names[i], all.names[j], r);
    charges += energy(field, "charges", all.names[i], all.names[j], r);
  });
  expect_close(contacts, -46.681252433);
  expect_close(charges, -1.0286031397);
}

TEST(MpipiRecharged, FoldedResiduesAttractLess) {
  const auto field = model("mpipi-recharged");
  ASSERT_TRUE(field.has_folded_types);
  const int tyr = field.find_bead("TYR"), lys = field.find_bead("LYS");
  const auto& contact = term(field, "contact");
  const auto at = [&](int a, int b) { return field.function(contact, a, b)->at(0.65).energy; };
  const double free = at(tyr, lys);
  EXPECT_NEAR(at(field.folded_type(tyr), lys), std::sqrt(0.7) * free, 1e-11 * std::abs(free));
  EXPECT_NEAR(at(field.folded_type(tyr), field.folded_type(lys)), 0.7 * free,
              1e-12 * std::abs(free));
}

TEST(MpipiWithRna, NumbersMatchOpenAbc) {
  const auto field = model("mpipi-rna");
  const auto has_row = [](std::string_view a, std::string_view b) {
    return is_nucleotide(a) || is_nucleotide(b);
  };
  expect_sums(sum_over_pairs(field, "contact", 0, has_row), 90, 110.93198611, 5189.60567352);
  expect_sums(sum_over_pairs(field, "contact", 1, has_row), 90, 66.3684868, 3061.1126656);
  expect_sums(sum_over_pairs(field, "contact", 2, has_row), 90, 270, 12285);
  EXPECT_EQ(charge(field, "RG"), -0.75);
  EXPECT_EQ(bead(field, "RU").mass_amu, 306.2);
  EXPECT_EQ(field.chain_kind("rna").bonds.front().length_nm, 0.5);
  // 3 sigma of the largest bead is longer than the 2.5 nm of the authors' script.
  EXPECT_NEAR(maybe(field, "contact", "RG", "RG")->cutoff_nm, 2.553, 1e-12);
}

TEST(Cocomo, NumbersMatchFeiglab) {
  const auto first = model("cocomo"), second = model("cocomo2");
  ASSERT_EQ(first.beads.size(), 24U);
  std::map<std::string, std::array<double, 5>> sorted;
  for (const BeadType& bead : first.beads) {
    const auto one = maybe(first, "contact", bead.name, bead.name)->numbers;
    const auto two = maybe(second, "contact", bead.name, bead.name)->numbers;
    const bool is_aromatic = bead.name == "PHE" || bead.name == "TRP" || bead.name == "TYR";
    sorted[bead.name] = {bead.mass_amu, bead.charge_e, one[1], one[0],
                         two[0] - (is_aromatic ? 0.1 : 0)};
  }
  std::array<Sums, 5> sums;
  for (const auto& [name, numbers] : sorted) {
    for (std::size_t k = 0; k < 5; ++k) {
      sums[k].plain += numbers[k];
      sums[k].weighted += ++sums[k].rows * numbers[k];
    }
  }
  constexpr std::array<std::array<double, 2>, 5> expected{{{3649.994, 50565.39},
                                                           {-4, -67},
                                                           {14.577063005955859, 187.4921297490452},
                                                           {9.74, 122.11},
                                                           {6.4707535, 86.5786561}}};
  for (std::size_t k = 0; k < 5; ++k) expect_sums(sums[k], 24, expected[k][0], expected[k][1]);
  // The reference area is where 0.7 of it gives a factor of 1.
  const int tyr = second.find_bead("TYR");
  EXPECT_NEAR(second.site_factor(tyr, 0.35 * 2.018), std::sqrt(0.5), 1e-12);
  EXPECT_EQ(second.site_factor(tyr, 2), 1);
}

/// Energies [kJ/mol] of both terms with the references' plain cutoff of 3 nm.
std::pair<double, double> cocomo_energies(const ForceField& field, bool has_areas) {
  const auto all = proteins_with_rna({"RU", "RA", "RG", "RC", "RU", "RA"});
  const auto factor = [&](std::size_t i) {
    const double area_nm2 = 0.05 * static_cast<double>(i + 1);
    return has_areas && i < 40 ? field.site_factor(field.find_bead(all.names[i]), area_nm2) : 1;
  };
  double contacts = 0, charges = 0;
  for_each_pair(all, [&](std::size_t i, std::size_t j, double r) {
    const auto plain = [&](const std::string& name) {
      auto one = *maybe(field, name, all.names[i], all.names[j]);
      EXPECT_EQ(one.cutoff_form, pair_forms::CutoffForm::force_matched);
      EXPECT_EQ(one.cutoff_nm, 3.1);
      EXPECT_EQ(one.switch_nm, 2.9);
      one.cutoff_form = pair_forms::CutoffForm::truncated;
      one.cutoff_nm = 3;
      return factor(i) * factor(j) * one.at(r).energy;
    };
    contacts += plain("contact");
    charges += plain("charges");
  });
  return {contacts, charges};
}

TEST(Cocomo, EnergyMatchesFeiglab) {
  const auto [contacts, charges] = cocomo_energies(model("cocomo"), false);
  expect_close(contacts, -44.066256862);
  expect_close(charges, 9.3365839936);
}

TEST(Cocomo2, EnergyMatchesFeiglab) {
  const auto field = model("cocomo2");
  EXPECT_TRUE(term(field, "contact").has_site_factor);
  EXPECT_TRUE(term(field, "charges").has_site_factor);
  const auto [contacts, charges] = cocomo_energies(field, true);
  expect_close(contacts, -19.904515576);
  expect_close(charges, 1.8555015354);
}

TEST(HpsT, LambdaFollowsTemperature) {
  const auto lambda = [](double kelvin, const std::string& bead) {
    return maybe(model("hps-t", {kelvin, 0.1, 7}), "contact", bead, bead)->numbers[2];
  };
  for (const auto& [bead, at_300, at_320] :
       {std::tuple{"VAL", 0.9749, 1.394984}, std::tuple{"SER", 0.55656, 0.3699936},
        std::tuple{"LYS", 0.47874, 0.3003024}}) {
    EXPECT_NEAR(lambda(300, bead), at_300, 1e-13);
    EXPECT_NEAR(lambda(320, bead), at_320, 1e-13);
  }
  EXPECT_TRUE(model("hps-t").uses_temperature);
}

TEST(HpsWithRna, EnergyMatchesArticle) {
  const auto field = model("hps-rna");
  expect_close(energy(field, "contact", "RA", "RG", 1.0), 0.094855489301);
  expect_close(energy(field, "contact", "LYS", "RU", 0.8), -0.191352804583);
  EXPECT_EQ(field.chain_kind("rna").bonds.front().k, 8368);
}

TEST(HpsModified, NumbersMatchArticle) {
  const auto field = model("hps-ptm");
  struct Row {
    const char* name;
    double mass, charge, sigma, lambda;
  };
  for (const Row& row :
       {Row{"SEP", 165.03, -2, 0.636, 0.162}, Row{"TPO", 179.05, -2, 0.662, 0.0081},
        Row{"PTR", 241.15, -2, 0.738, 0.189}, Row{"ALY", 170.2, 0, 0.681, 0.7567}}) {
    EXPECT_EQ(bead(field, row.name).mass_amu, row.mass);
    EXPECT_EQ(bead(field, row.name).charge_e, row.charge);
    const auto& contact = pair(field, "contact", row.name, row.name);
    EXPECT_EQ(contact.numbers[1], row.sigma);
    EXPECT_EQ(contact.numbers[2], row.lambda);
  }
}

TEST(HpsCationPi, EnergyMatchesArticle) {
  const auto field = model("hps-cation-pi");
  const double cation_pi = energy(field, "cation_pi", "ARG", "TYR", 0.7);
  expect_close(cation_pi, -2.8668000567);
  expect_close(cation_pi + energy(field, "contact", "ARG", "TYR", 0.7), -3.1563960718);
  EXPECT_FALSE(maybe(field, "cation_pi", "ARG", "LYS"));
  EXPECT_FALSE(maybe(field, "cation_pi", "GLU", "TYR"));
}

TEST(PhosphoCalvados, ChargesFollowPh) {
  const auto field = model("pcalvados2", {298, 0.19, 7.5});
  EXPECT_NEAR(charge(field, "SEP"), -1.9686549405, 1e-10);
  EXPECT_NEAR(charge(field, "TPO"), -1.9406490569, 1e-10);
  EXPECT_NEAR(charge(field, "PTR"), -1.9790678995, 1e-10);
}

TEST(PhosphoCalvados, EnergyMatchesPackage) {
  const auto field = model("pcalvados2", {298, 0.19, 7});
  expect_close(energy(field, "contact", "SEP", "ARG", 0.7), -0.34123376017);
  expect_close(charge(field, "SEP") * charge(field, "ARG") * unit_energy(field.charges, 0.7),
               -1.7659190475);
}

TEST(CalvadosWithPeg, EnergyMatchesPackage) {
  const auto field = model("calvados2-peg");
  expect_close(energy(field, "contact", "PEG", "PEG", 0.45), -0.16728683936);
  expect_close(energy(field, "contact", "PEG", "TYR", 0.7), -0.095978330376);
  const auto& bond = field.chain_kind("peg").bonds.front();
  EXPECT_EQ(bond.length_nm, 0.33);
  EXPECT_EQ(bond.k, 8033);
}

TEST(Moff, NumbersMatchOpenAbc) {
  const auto field = model("moff");
  expect_sums(sum_over_pairs(field, "contact", 0), 210, 1.0856906802502024, 141.42934956585736);
  expect_sums(sum_over_pairs(field, "contact", 1), 210, 241.24366769096014, 31528.001974088613);
  EXPECT_EQ(charge(field, "HIS"), 0.25);
  EXPECT_EQ(field.chain_kind("protein").excluded.separation_below, 4);
  EXPECT_EQ(field.chain_kind("protein").excluded.native, NativePairs::charges);
}

TEST(Moff, EnergyMatchesOpenAbc) {
  const auto field = model("moff");
  expect_close(energy(field, "contact", "CYS", "CYS", 0.6), -3.2746834527);
  // The reference has eight digits.
  EXPECT_NEAR(energy(field, "contact", "LYS", "GLU", 0.7), 0.96525427, 5e-9);
  expect_close(-unit_energy(field.charges, 0.7), -1.4525186297);
  EXPECT_NEAR(unit_energy(field.charges, 1.4999), 0, 1e-9);
}

TEST(CalvadosWithRna, EnergyMatchesPackage) {
  const auto field = model("calvados2-rna", {293, 0.15, 7});
  const auto& kind = field.chain_kind("rna");
  Configuration rna;  // P1 B1 P2 B2 ...
  for (int k = 0; k < 6; ++k) {
    const double turn = 0.55 * k;
    rna.add({0.9 * std::cos(turn), 0.9 * std::sin(turn), 0.32 * k}, "RP", 0);
    rna.add({0.4 * std::cos(turn + 0.15), 0.4 * std::sin(turn + 0.15), 0.32 * k + 0.12}, "RB", 0);
  }
  ASSERT_EQ(kind.bonds.size(), 2U);
  double bonds = 0;
  for (const ChainTerm& bond : kind.bonds) {
    for (int k = 0; k + bond.monomers[1] < 6; ++k) {
      const auto end = [&](std::size_t one) {
        return static_cast<std::size_t>(2 * (k + bond.monomers[one]) + bond.beads[one]);
      };
      bonds += bond.k / 2 * std::pow(rna.distance_nm(end(0), end(1)) - bond.length_nm, 2);
    }
  }
  expect_close(bonds, 2.2512657404);
  ASSERT_EQ(kind.angles.size(), 1U);
  EXPECT_EQ(kind.angles.front().theta0_rad, 3.14);
  EXPECT_EQ(kind.angles.front().k, 4.2);

  ASSERT_EQ(kind.local_pairs.size(), 1U);
  const auto& local = kind.local_pairs.front();
  auto stacked = *maybe(field, "contact", "RB", "RB");
  stacked.numbers[1] = local.sigma_nm;
  stacked.factor *= local.factor;
  EXPECT_EQ(local.shift_cutoff_nm, stacked.cutoff_nm);
  double stacking = 0, contacts = 0, charges = 0;
  for (std::size_t k = 0; k < 5; ++k) {
    stacking += stacked.at(rna.distance_nm(2 * k + 1, 2 * k + 3)).energy;
  }
  expect_close(stacking, 57.430133742);

  EXPECT_TRUE(kind.excluded.bonds && kind.excluded.angle_ends && kind.excluded.local_pairs);
  for (std::size_t i = 0; i < 12; ++i) {
    for (std::size_t j = i + 1; j < 12; ++j) {
      const bool is_base = i % 2 == 1, same_role = i % 2 == j % 2;
      const std::size_t apart = j / 2 - i / 2;
      if (same_role ? apart <= (is_base ? 1U : 2U) : apart == 0) continue;
      const double r = rna.distance_nm(i, j);
      contacts += energy(field, "contact", rna.names[i], rna.names[j], r);
      charges +=
          charge(field, rna.names[i]) * charge(field, rna.names[j]) * unit_energy(field.charges, r);
    }
  }
  expect_close(contacts, 26.596697896);
  expect_close(charges, 0.54249786688);
}

}  // namespace
}  // namespace nfold::input
