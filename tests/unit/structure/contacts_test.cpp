// Native contact maps of ubiquitin against counts from an independent program.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "structure/structure.hpp"

namespace nfold::structure {
namespace {

struct Case {
  const char* name;
  ContactMap map;
  double cutoff_nm;
  bool legacy_atan;
  int atom_pairs, residue_pairs;
};

class UbiquitinContacts : public testing::TestWithParam<Case> {};

// Reference counts: a separate implementation of the same rules in Python, 602 heavy atoms of 1UBQ,
// separation of at least 4; its Shadow map agrees with SMOG 2's own on 2CI2 pair by pair.
TEST_P(UbiquitinContacts, HaveTheReferenceCounts) {
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
    testing::Values(Case{"ShadowAtan", ContactMap::shadow, 0.6, true, 848, 206},
                    Case{"ShadowAsin", ContactMap::shadow, 0.6, false, 757, 203},
                    Case{"HeavyAtom45", ContactMap::heavy_atom, 0.45, true, 864, 159},
                    Case{"HeavyAtom60", ContactMap::heavy_atom, 0.60, true, 3805, 251},
                    Case{"HeavyAtom65", ContactMap::heavy_atom, 0.65, true, 5247, 290},
                    Case{"Calpha80", ContactMap::calpha, 0.8, true, 151, 151},
                    Case{"Calpha65", ContactMap::calpha, 0.65, true, 99, 99}),
    [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace nfold::structure
