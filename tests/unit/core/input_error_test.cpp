// Messages of input errors.
// SPDX-License-Identifier: BSD-3-Clause

#include "core/input_error.hpp"

#include <gtest/gtest.h>

namespace nfold::core {
namespace {

TEST(InputError, ReplacesControlCharacters) {
  const InputError error({"a\nb.yaml", 1, 2}, "key 'x\ty'", "try\x1b z");
  EXPECT_STREQ(error.what(), "a?b.yaml:1:2: key 'x?y' (try? z)");
}

}  // namespace
}  // namespace nfold::core
