// Structures of very many residues: hybrid-36 numbers in PDB, and mmCIF.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "model/structure/structure.hpp"
#include "model/topology/go_model.hpp"
#include "structure_text.hpp"

namespace nfold::structure {
namespace {

int residues_per_chain = 51000;
constexpr int chains = 2;

// C-alpha atoms in rows of helices that do not touch. Each chain is numbered from 1, so numbers
// exceed 9999 and serials 99999.
std::vector<test::AtomText> many_residues() {
  constexpr int helix_length = 500;
  std::vector<test::AtomText> atoms;
  int row = 0;
  for (int chain = 0; chain < chains; ++chain) {
    for (int first = 1; first <= residues_per_chain; first += helix_length, ++row) {
      const int line = row / 60;
      const auto part = test::helix(helix_length, std::string(1, static_cast<char>('A' + chain)),
                                    first, {row % 60 * 15.0, line * 15.0, 0});
      std::copy_if(part.begin(), part.end(), std::back_inserter(atoms),
                   [](const test::AtomText& atom) { return atom.name == "CA"; });
    }
  }
  return atoms;
}

void expect_all(const Structure& s) {
  ASSERT_EQ(s.chains.size(), static_cast<std::size_t>(chains));
  for (const Chain& chain : s.chains) {
    ASSERT_EQ(chain.residues.size(), static_cast<std::size_t>(residues_per_chain));
    for (int i = 0; i < residues_per_chain; ++i) {
      ASSERT_EQ(chain.residues[static_cast<std::size_t>(i)].number, i + 1);
    }
  }
}

TEST(Large, PdbAndMmcifGiveSameModel) {
  const auto atoms = many_residues();
  const Structure pdb = parse_structure(test::pdb_text(atoms), "large.pdb");
  expect_all(pdb);
  EXPECT_EQ(pdb.chains[1].residues.back().calpha_nm[2], pdb.chains[0].residues.back().calpha_nm[2]);
  const Structure cif = parse_structure(test::cif_text(atoms), "large.cif");
  expect_all(cif);
  topology::GoModel model;
  model.contacts.map = system::ContactMap::calpha;
  model.contacts.cutoff_nm = 0.8;
  const auto from_pdb = topology::build_go_model(pdb, model);
  EXPECT_EQ(from_pdb.residue_count(), chains * residues_per_chain);
  EXPECT_GT(from_pdb.contacts_12_10.size(), static_cast<std::size_t>(residues_per_chain));
  EXPECT_EQ(topology::hash_topology(from_pdb),
            topology::hash_topology(topology::build_go_model(cif, model)));
}

}  // namespace
}  // namespace nfold::structure

// Argument: the number of residues, for example 1000000.
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc > 1)
    nfold::structure::residues_per_chain = std::atoi(argv[1]) / nfold::structure::chains;
  return RUN_ALL_TESTS();
}
