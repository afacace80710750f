// Native contact maps of ubiquitin against counts from an independent program.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "model/structure/arctangent.hpp"
#include "model/structure/structure.hpp"

namespace nfold::structure {
namespace {

struct Case {
  const char* name;
  system::ContactMap map;
  double cutoff_nm;
  bool legacy_atan;
  int atom_pairs, residue_pairs;
};

class UbiquitinContacts : public testing::TestWithParam<Case> {};

// Reference counts: a separate implementation of the same rules in Python, 602 heavy atoms of 1UBQ,
// separation of at least 4; its Shadow map agrees with SMOG 2's own on 2CI2 pair by pair.
TEST_P(UbiquitinContacts, MatchReferenceCounts) {
  const Case& c = GetParam();
  const Structure ubiquitin = read_structure(NFOLD_STRUCTURES "/1ubq.pdb.gz");
  ContactOptions options;
  options.map = c.map;
  options.cutoff_nm = c.cutoff_nm;
  options.legacy_atan = c.legacy_atan;
  const auto contacts = native_contacts(ubiquitin, options);
  int atom_pairs = 0;
  for (const Contact& contact : contacts) atom_pairs += contact.atom_pairs;
  EXPECT_EQ(static_cast<int>(contacts.size()), c.residue_pairs);
  EXPECT_EQ(atom_pairs, c.atom_pairs);
}

INSTANTIATE_TEST_SUITE_P(
    Maps, UbiquitinContacts,
    testing::Values(Case{"ShadowAtan", system::ContactMap::shadow, 0.6, true, 848, 206},
                    Case{"ShadowAsin", system::ContactMap::shadow, 0.6, false, 757, 203},
                    Case{"HeavyAtom45", system::ContactMap::heavy_atom, 0.45, true, 864, 159},
                    Case{"HeavyAtom60", system::ContactMap::heavy_atom, 0.60, true, 3805, 251},
                    Case{"HeavyAtom65", system::ContactMap::heavy_atom, 0.65, true, 5247, 290},
                    Case{"Calpha80", system::ContactMap::calpha, 0.8, true, 151, 151},
                    Case{"Calpha65", system::ContactMap::calpha, 0.65, true, 99, 99}),
    [](const auto& each) { return each.param.name; });

// Distant copies keep their own contacts. A copy that touches another adds contacts between chains.
TEST(Contacts, CopiesKeepContactsAndAddInterfaces) {
  const Structure one = read_structure(NFOLD_STRUCTURES "/1ubq.pdb.gz");
  Structure many;
  const auto add_copy = [&](double shift_nm) {
    Chain chain = one.chains.at(0);
    for (Residue& r : chain.residues) {
      r.calpha_nm[0] += shift_nm;
      for (Atom& a : r.heavy_atoms) a.position_nm[0] += shift_nm;
    }
    many.chains.push_back(chain);
  };
  for (const double shift_nm : {0.0, 10.0, -20.0, 5000.0}) add_copy(shift_nm);
  EXPECT_EQ(native_contacts(many, {}).size(), 4 * native_contacts(one, {}).size());
  add_copy(12.5);
  bool between = false;
  std::array<std::size_t, 5> within{};  // contacts of each copy
  for (const Contact& c : native_contacts(many, {})) {
    between |= c.i / 76 != c.j / 76;
    ASSERT_TRUE(c.i >= 0 && c.j < 5 * 76);
    if (c.i / 76 == c.j / 76) ++within.at(static_cast<std::size_t>(c.i / 76));
    EXPECT_TRUE(c.i / 76 != c.j / 76 || c.j - c.i >= 4);
    EXPECT_LT(c.i, c.j);
  }
  EXPECT_TRUE(between);
  for (const std::size_t far : {0U, 2U, 3U}) {
    EXPECT_EQ(within.at(far), native_contacts(one, {}).size()) << far;
  }
  EXPECT_GT(within.at(4), 0U);
}

TEST(Contacts, RefusesImpossibleOptions) {
  const Structure ubiquitin = read_structure(NFOLD_STRUCTURES "/1ubq.pdb.gz");
  ContactOptions options;
  for (const double cutoff_nm : {0.0, -1.0, 1e9, std::numeric_limits<double>::quiet_NaN()}) {
    options.cutoff_nm = cutoff_nm;
    EXPECT_THROW((void)native_contacts(ubiquitin, options), StructureError) << cutoff_nm;
  }
}

// Reference: <cmath>. Values agree to rounding, and exact angles are exact.
TEST(Arctangent, AgreesWithStandardLibrary) {
  for (int i = -400; i <= 400; ++i) {
    for (int j = -40; j <= 40; ++j) {
      const double y = i * 0.0173, x = j * 0.31;
      if (x == 0 && y == 0) continue;
      EXPECT_NEAR(arctangent2(y, x), std::atan2(y, x), 1e-15 * 4) << y << " " << x;
    }
  }
  EXPECT_EQ(arctangent2(0, 1), 0);
  EXPECT_EQ(arctangent2(0, -1), pi);
  EXPECT_EQ(arctangent2(1, 0), pi / 2);
}

}  // namespace
}  // namespace nfold::structure
