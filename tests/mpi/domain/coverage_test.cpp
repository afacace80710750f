// Coverage check: a term that no rank or the wrong rank computes is named on all ranks.
// SPDX-License-Identifier: BSD-3-Clause
#include "domain/coverage.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/random_topology.hpp"

namespace nfold::domain {
namespace {

constexpr int residues = 60;

class Coverage : public testing::TestWithParam<std::size_t> {
 protected:
  comm::Communicator world_ = comm::Communicator::world();
  topology::Topology topology_ = testing_support::random_topology(residues, 40, 4);
  Ownership owner_ = random_owners(residues, world_.size(), 8);
  LocalTerms terms_ = local_terms(topology_, owner_, world_.rank(), world_.size());

  /// Message that check_coverage() throws on this rank; empty if none.
  std::string coverage_message() {
    try {
      check_coverage(world_, topology_, owner_, terms_,
                     covered_ends(topology_, owner_, terms_, world_.rank()));
    } catch (const CoverageError& error) {
      return error.what();
    }
    return "";
  }
  /// Removes the middle term of the kind on the owner of its last residue, or on all ranks.
  /// Returns that owner.
  int remove_middle_term(std::size_t kind, bool everywhere) {
    int index = 0, last = 0, count = 0;
    for_each_term(topology_, kind, [&count](int, const auto&) { ++count; });
    for_each_term(topology_, kind, [&](int term, const auto& ids) {
      if (term != count / 2) return;
      index = term;
      last = ids.back();
    });
    const int rank = owner_[static_cast<std::size_t>(last)];
    auto& mine = terms_.kind[kind];
    if (everywhere || world_.rank() == rank) {
      mine.erase(std::remove(mine.begin(), mine.end(), index), mine.end());
    }
    label_ = topology::residue_label(topology_, last);
    return rank;
  }
  std::string label_;
};

TEST_P(Coverage, AcceptsCompleteTerms) { EXPECT_EQ(coverage_message(), ""); }

TEST_P(Coverage, NamesTermMissingOnAllRanks) {
  remove_middle_term(GetParam(), true);
  const std::string text = coverage_message();
  std::string name;
  topology::BondedKinds::at(GetParam(), [&name](auto kind) { name = kind.name; });
  EXPECT_EQ(text.rfind(name + " ", 0), 0U) << text;
  EXPECT_NE(text.find(label_), std::string::npos) << text;
  EXPECT_NE(text.find("not computed"), std::string::npos) << text;
}

TEST_P(Coverage, NamesRankThatOmitsATerm) {
  const int rank = remove_middle_term(GetParam(), false);
  const std::string text = coverage_message();
  EXPECT_NE(text.find("not computed by rank " + std::to_string(rank)), std::string::npos) << text;
}

TEST_P(Coverage, FindsRepeatedTermBesideMissingOne) {
  auto& mine = terms_.kind[GetParam()];
  EXPECT_TRUE(world_.any(mine.size() > 1));
  if (mine.size() > 1) mine[1] = mine[0];
  EXPECT_NE(coverage_message(), "");
  terms_ = local_terms(topology_, owner_, world_.rank(), world_.size());
  const bool has_term = !mine.empty();
  EXPECT_TRUE(world_.any(has_term));
  if (has_term) mine.insert(mine.begin(), mine.front());
  const std::string text = coverage_message();
  EXPECT_NE(text.find("computed too often"), std::string::npos) << text;
}

INSTANTIATE_TEST_SUITE_P(Kinds, Coverage, testing::Range(std::size_t{0}, term_kinds));

TEST(CoverageLabel, NamesEveryResidueOfTheTerm) {
  const auto world = comm::Communicator::world();
  const auto topology = testing_support::random_topology(3, 0, 1);
  const Ownership owner(3, world.size() - 1);
  auto terms = local_terms(topology, owner, world.rank(), world.size());
  if (world.rank() == world.size() - 1) terms.kind[0].erase(terms.kind[0].begin());
  std::string text;
  try {
    check_coverage(world, topology, owner, terms,
                   covered_ends(topology, owner, terms, world.rank()));
  } catch (const CoverageError& error) {
    text = error.what();
  }
  EXPECT_EQ(text.rfind("bond ALA 1 (chain A) - ALA 2 (chain A) is not computed by rank " +
                           std::to_string(world.size() - 1),
                       0),
            0U)
      << text;
}

}  // namespace
}  // namespace nfold::domain
