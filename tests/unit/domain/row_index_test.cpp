// Rows by id against a linear search.
// SPDX-License-Identifier: BSD-3-Clause
#include "domain/row_index.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace nfold::domain {
namespace {

void expect_rows(const std::vector<int>& ids, std::size_t partners, int residues) {
  const RowIndex index(ids, partners, static_cast<std::size_t>(residues));
  for (int id = 0; id < residues; ++id) {
    const auto found = std::find(ids.begin(), ids.end(), id);
    const int expected = found == ids.end() ? -1 : static_cast<int>(found - ids.begin());
    EXPECT_EQ(index[id], expected) << id << " of " << residues;
  }
}

TEST(RowIndex, FindsOwnedAndPartnerRows) {
  std::mt19937 random(5);
  for (const int residues : {1, 63, 64, 65, 128, 1000}) {
    for (const unsigned one_of : {1U, 2U, 7U, 400U}) {
      std::vector<int> ids, partners;
      for (int id = 0; id < residues; ++id) {
        if (random() % one_of == 0) {
          ids.push_back(id);
        } else if (random() % 5 == 0) {
          partners.push_back(id);
        }
      }
      ids.insert(ids.end(), partners.begin(), partners.end());
      expect_rows(ids, partners.size(), residues);
    }
  }
}

TEST(RowIndex, HandlesMissingOwnedRows) {
  expect_rows({}, 0, 100);
  expect_rows({3, 70}, 2, 100);
}

}  // namespace
}  // namespace nfold::domain
