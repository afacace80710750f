// Any bytes as a confidence file: usable values, or a StructureError.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "model/structure/structure.hpp"

namespace {

using nfold::structure::Structure;

void expect(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "a confidence file was accepted, but %s\n", what);
    std::abort();
  }
}

/// A predicted model of C-alpha atoms whose residues differ in pLDDT.
Structure model_of(std::size_t residues) {
  std::string text;
  char line[96];
  for (std::size_t i = 0; i < residues; ++i) {
    std::snprintf(line, sizeof line,
                  "ATOM  %5zu  CA  ALA A%4zu    %8.3f%8.3f%8.3f  1.00%6.2f           C\n", i + 1,
                  i + 1, 3.8 * static_cast<double>(i), 0.0, 0.0, 50 + static_cast<double>(i));
    text += line;
  }
  return nfold::structure::parse_structure(text, "model.pdb");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const auto table = nfold::structure::parse_confidence(bytes, "fuzz");
    expect(!table.is_empty(), "it has no values");
    expect(table.pae_angstrom.size() == table.side * table.side, "the matrix is not square");
    const std::size_t residues = table.side > 0 ? table.side : table.plddt.size();
    if (residues > 40) return 0;
    Structure model = model_of(residues);
    nfold::structure::set_confidence(model, {false, {{"fuzz", std::string(bytes)}}});
    for (const double p : model.confidence.plddt) expect(p >= 0 && p <= 100, "a pLDDT is odd");
    for (const double e : model.confidence.pae_angstrom) expect(e >= 0, "a PAE is negative");
  } catch (const nfold::structure::StructureError&) {
    return 0;
  }
  return 0;
}
