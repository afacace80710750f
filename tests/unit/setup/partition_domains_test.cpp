// Residues named by partition.domains, and refusals.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/setup/partition_domains.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <exception>

namespace nfold::setup {
namespace {

using testing::HasSubstr;

/// Copies of chains A, of residues 1 to 4, and B, of 11 to 13.
topology::Topology copies(int count) {
  topology::Topology t;
  for (int copy = 0; copy < count; ++copy) {
    for (const auto& [name, first, residues] : {std::tuple{"A", 1, 4}, {"B", 11, 3}}) {
      topology::Chain chain{name, t.residue_count(), residues};
      chain.molecule = copy;
      for (int k = 0; k < residues; ++k) {
        topology::Residue residue{"GLY", first + k};
        residue.chain = static_cast<int>(t.chains.size());
        t.residues.push_back(residue);
      }
      t.chains.push_back(chain);
    }
  }
  return t;
}

TEST(PartitionDomains, ApplyToEachMolecule) {
  const auto t = copies(2);
  EXPECT_TRUE(given_domains(t, {}).empty());
  EXPECT_EQ(given_domains(t, {"A:1-2,4-4,B:11-11", "B:12-13"}),
            (std::vector<int>{0, 0, -1, 0, 0, 2, 2, 1, 1, -1, 1, 1, 3, 3}));
}

TEST(PartitionDomains, NeedNoNameForASingleChain) {
  auto t = copies(1);
  t.chains.resize(1);
  t.residues.items().resize(4);
  EXPECT_EQ(given_domains(t, {"2-3", "4-4"}), (std::vector<int>{-1, 0, 0, 1}));
}

TEST(PartitionDomains, ErrorsNameTheCause) {
  const auto t = copies(1);
  const auto refusal = [&](const std::vector<std::string>& texts) -> std::string {
    try {
      (void)given_domains(t, texts);
    } catch (const std::exception& refused) {
      return refused.what();
    }
    return "not refused";
  };
  EXPECT_THAT(refusal({"1-4"}), HasSubstr("which of the 2 chains? There are: A, B; write A:1-4"));
  EXPECT_THAT(refusal({"C:1-4"}), HasSubstr("no chain 'C'"));
  EXPECT_THAT(refusal({"A:5-9"}), HasSubstr("chain A has no residue 5-9"));
  EXPECT_THAT(refusal({"A:3-9"}), HasSubstr("the structure lacks residues of A:3-9"));
  EXPECT_THAT(refusal({"A:1-x"}), HasSubstr("'x' is not a residue number"));
  EXPECT_THAT(refusal({""}), HasSubstr("partition.domains ''"));
  EXPECT_THAT(refusal({"A:1-2,"}), HasSubstr("'' is not a residue number"));
  EXPECT_THAT(refusal({"A:1-3", "A:3-4"}), HasSubstr("is in a domain already"));
}

}  // namespace
}  // namespace nfold::setup
