// Malformed CALVADOS folders, and what their files mean.
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cases.hpp"
#include "cli/calvados/translation.hpp"

namespace nfold::calvados {
namespace {

TEST(Folder, OtherFoldersAreNone) {
  EXPECT_TRUE(is_calvados_folder(case_folder("rna-chains")));
  EXPECT_FALSE(is_calvados_folder(NFOLD_CASES));
}

}  // namespace
}  // namespace nfold::calvados
