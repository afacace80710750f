// Messages of wrong input.
// SPDX-License-Identifier: BSD-3-Clause

#include "document/input_error.hpp"

#include <gtest/gtest.h>

namespace nfold::document {
namespace {

TEST(InputError, IsOneLineWhateverStandsInIt) {
  const InputError error({"a\nb.yaml", 1, 2}, "key 'x\ty'", "try\x1b z");
  EXPECT_STREQ(error.what(), "a?b.yaml:1:2: key 'x?y' (try? z)");
}

}  // namespace
}  // namespace nfold::document
