// Any bytes as a structure file: chains with finite coordinates and contacts, or a StructureError.
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "model/structure/structure.hpp"

namespace {

using nfold::structure::Chain;
using nfold::structure::Residue;
using nfold::structure::Structure;

void expect(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "a structure was accepted, but %s\n", what);
    std::abort();
  }
}

// Checks the properties that users of the reader rely on.
void expect_usable(const Structure& structure) {
  expect(structure.residue_count() > 0, "it has no residue");
  for (const Chain& chain : structure.chains) {
    expect(!chain.residues.empty(), "a chain is empty");
    expect(!chain.residues.back().bonded_to_next, "a chain's last residue is bonded onwards");
    for (const Residue& residue : chain.residues) {
      for (const double x : residue.calpha_nm) expect(std::isfinite(x), "a position is not finite");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const Structure structure = nfold::structure::parse_structure(bytes, "fuzz");
    expect_usable(structure);
    if (structure.residue_count() > 200) return 0;  // keeps a contact map cheap
    const int residues = structure.residue_count();
    for (const auto& contact : nfold::structure::native_contacts(structure, {})) {
      expect(contact.i >= 0 && contact.i < contact.j && contact.j < residues,
             "a contact names residues it does not have");
    }
  } catch (const nfold::structure::StructureError&) {
    return 0;
  }
  return 0;
}
