// Systems of several species: ids, names, domains, molecules, concentrations.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/topology/assembly.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "model/structure/fasta.hpp"
#include "model/topology/amounts.hpp"
#include "model/topology/residue_model.hpp"

namespace nfold::topology {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

Topology molecule(const std::string& sequence, int chains = 1, int domain = -1) {
  ResidueModel model;
  model.file = input::builtin_force_field("hps-kr");
  model.evaluate();
  auto s = structure::make_sequence_structure("p", sequence);
  for (int c = 1; c < chains; ++c) {
    s.chains.push_back(s.chains[0]);
    s.chains.back().name = std::string(1, static_cast<char>('A' + c));
  }
  return build_residue_model(
      s, std::vector<int>(sequence.size() * static_cast<std::size_t>(chains), domain), model);
}

std::vector<std::string> chain_names(const Topology& t) {
  std::vector<std::string> names;
  names.reserve(t.chains.size());
  for (const Chain& chain : t.chains) names.push_back(chain.name);
  return names;
}

TEST(Assembly, ShiftsEveryIdOfEveryCopy) {
  const auto t = assemble({{molecule("GGG", 1, 0), "a", 2}, {molecule("KD", 2), "b", 3}}, 0);
  EXPECT_EQ(t.residue_count(), 2 * 3 + 3 * 4);
  EXPECT_THAT(chain_names(t),
              ElementsAre("a.1", "a.2", "b.A.1", "b.B.1", "b.A.2", "b.B.2", "b.A.3", "b.B.3"));
  ASSERT_EQ(t.species.size(), 2U);
  EXPECT_EQ(t.species[1].name, "b");
  EXPECT_EQ(t.species[1].chains, 6);
  EXPECT_EQ(t.chains[5].first, 6 + 4 + 2);
  EXPECT_EQ(t.chains[5].species, 1);
  EXPECT_EQ(t.chains[4].molecule, 3);
  EXPECT_EQ(t.chains[5].molecule, 3);
  EXPECT_EQ(t.residues[5].domain, 1);  // a domain of each copy
  EXPECT_EQ(t.residues[6].domain, -1);
  EXPECT_EQ(t.residues[17].chain, 7);
  std::set<int> segments;
  for (const Residue& r : t.residues) segments.insert(r.segment);
  EXPECT_EQ(segments.size(), 8U);
  ASSERT_EQ(t.bonds.size(), 2U * 2 + 3U * 2);
  EXPECT_EQ(t.bonds.back().j, 17);
  EXPECT_EQ(t.exclusions.size(), t.bonds.size());
  EXPECT_TRUE(std::is_sorted(t.exclusions.begin(), t.exclusions.end()));
}

TEST(Assembly, ShiftsSiteFactorsOfEachSpecies) {
  ResidueModel model;
  model.file = input::builtin_force_field("cocomo2");
  model.evaluate();
  const auto part = [&model](const std::string& sequence, std::vector<double> areas_nm2) {
    auto s = structure::make_sequence_structure("p", sequence);
    s.areas_nm2 = std::move(areas_nm2);
    return build_residue_model(s, std::vector<int>(sequence.size(), 0), model);
  };
  const auto t =
      assemble({{part("AAA", {0.1, 9, 0.2}), "a", 2}, {part("AA", {9, 0.3}), "b", 2}}, 0);
  std::vector<int> sites;
  for (const Residue& residue : t.residues) sites.push_back(residue.site);
  EXPECT_THAT(sites, ElementsAre(0, -1, 1, 0, -1, 1, -1, 2, -1, 2));
  const auto& factors = t.short_range.site_factors;
  ASSERT_EQ(factors.size(), 3U);
  EXPECT_DOUBLE_EQ(factors[1] / factors[0], std::sqrt(2));
  EXPECT_DOUBLE_EQ(factors[2] / factors[0], std::sqrt(3));
}

TEST(Assembly, NamesStayUnique) {
  const auto t = assemble({{molecule("GG", 2), "a", 1}, {molecule("GG"), "a.A", 1}}, 0);
  const auto names = chain_names(t);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), 3U);
  EXPECT_THAT(names, Contains("a.A_"));
}

TEST(Assembly, ManyChainsHaveUniqueNames) {
  const auto t = assemble({{molecule("GGGG"), "a", 10'000}}, 0);
  const auto names = chain_names(t);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), 10'000U);
  EXPECT_EQ(names.back(), "a.10000");
  EXPECT_EQ(t.chains.back().molecule, 9'999);
}

TEST(Assembly, RefusesInvalidCopyCounts) {
  EXPECT_THROW((void)assemble({{molecule("GGGG"), "a", 2'000'000'000}}, 0),
               structure::StructureError);
  EXPECT_THROW((void)assemble({{molecule("GGGG"), "a", 0}}, 0), structure::StructureError);
}

TEST(Amounts, FollowFromMassAndVolume) {
  const system::Box box{{20, 20, 20}};
  // 8000 nm^3 of 1 mmol/l: 8000e-24 l x 6.02214076e20/l
  EXPECT_EQ(copies_at_millimolar(1, box), 5);
  // One molecule of 10 kDa in it makes 10000 x 1.66053906660 / 8000 mg/ml.
  EXPECT_NEAR(mass_concentration(1e4, box.volume_nm3()), 2.07567383325, 1e-12);
  EXPECT_EQ(copies_at_mg_per_ml(20.7567, 1e4, box), 10);
  EXPECT_NEAR(mass_concentration(5e5, cube_at_mg_per_ml(80, 5e5).volume_nm3()), 80, 1e-7);
  EXPECT_EQ(mass_concentration(1e4, system::Box{}.volume_nm3()), 0);
}

TEST(Amounts, DescriptionListsSpecies) {
  auto t = assemble({{molecule("KKG", 2, 0), "a", 2}, {molecule("D"), "b", 1}}, 0);
  t.box = {{10, 10, 20}};
  const auto lines = describe_amounts(t);
  EXPECT_THAT(lines, Contains(HasSubstr("a: 2 molecules of 6 residues in 2 chains, 1 folded "
                                        "domain, 0.63 kDa, +4.00 e; 1.04")));
  EXPECT_THAT(lines, Contains(HasSubstr("b: 1 molecule of 1 residues, 0.12 kDa, -1.00 e; ")));
  EXPECT_THAT(lines, Contains("net charge +7.00 e, box 10 x 10 x 20 nm"));
  EXPECT_DOUBLE_EQ(total_charge(t), 7);
  EXPECT_EQ(longest_range_nm(t), 3.5);
}

}  // namespace
}  // namespace nfold::topology
