// Properties common to all refusals, and files cut or flipped anywhere.
// SPDX-License-Identifier: BSD-3-Clause
#include "malformed.hpp"

#include <gmock/gmock.h>

#include <cstdint>

namespace nfold::test {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

TEST_P(Malformed, IsRefusedInOneLineWithPlaceAndRemedy) {
  const std::string message = refusal_message(GetParam());
  EXPECT_THAT(message, HasSubstr(GetParam().place));
  EXPECT_THAT(message, AnyOf(HasSubstr("test.pdb"), HasSubstr("chain selection")));
  EXPECT_THAT(message, Not(HasSubstr("\n")));
  // expected value or remedy
  EXPECT_THAT(message, AnyOf(HasSubstr("expected"), HasSubstr("; "), HasSubstr("the file has")));
  EXPECT_LT(message.size(), 400U);
}

// Parses the bytes and returns 1 if they are refused. Only a StructureError may be thrown.
int count_refusal(const std::string& bytes) {
  try {
    (void)structure::parse_structure(bytes, "test.pdb");
  } catch (const structure::StructureError& error) {
    EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
    return 1;
  }
  return 0;
}

TEST(Cut, AnywhereThrowsStructureErrorOnly) {
  for (const std::string& text :
       {pdb_text(helix(3)), cif_text(helix(3)), gzip(pdb_text(helix(3)))}) {
    int refusals = 0;
    for (std::size_t length = 0; length < text.size(); ++length)
      refusals += count_refusal(text.substr(0, length));
    EXPECT_GT(refusals, 0);
  }
}

TEST(Cut, InsideGzipIsAlwaysRefused) {
  const std::string packed = gzip(pdb_text(helix(3)));
  for (std::size_t length = 0; length < packed.size(); ++length) {
    EXPECT_THROW((void)structure::parse_structure(packed.substr(0, length), "test.pdb"),
                 structure::StructureError)
        << length;
  }
}

TEST(FlippedByte, AnywhereThrowsStructureErrorOnly) {
  std::uint64_t state = 1;  // linear congruential generator with the constants of Knuth's MMIX
  const auto random = [&state](std::size_t below) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::size_t>(state >> 33) % below;
  };
  for (const std::string& text :
       {pdb_text(helix(3)), cif_text(helix(3)), gzip(pdb_text(helix(3)))}) {
    int refusals = 0;
    for (int i = 0; i < 1500; ++i) {
      std::string mutant = text;
      for (std::size_t flips = 1 + random(3); flips > 0; --flips) {
        mutant[random(mutant.size())] = static_cast<char>(random(256));
      }
      refusals += count_refusal(mutant);
    }
    EXPECT_GT(refusals, 0);
  }
}

}  // namespace
}  // namespace nfold::test
