// Any bytes as a FASTA file: records of known residues, or a StructureError.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "model/structure/fasta.hpp"

namespace {

using nfold::structure::FastaRecord;

void expect(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "a FASTA file was accepted, but %s\n", what);
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const auto records = nfold::structure::parse_fasta(bytes, "fuzz");
    expect(!records.empty(), "it has no record");
    for (const FastaRecord& record : records) {
      expect(!record.sequence.empty(), "a sequence is empty");
      expect(record.line > 0, "a record stands nowhere");
      // Accepted sequences must build: an error here is a defect and ends the run.
      const auto structure = nfold::structure::make_sequence_structure("fuzz", record.sequence);
      expect(structure.residue_count() == static_cast<int>(record.sequence.size()),
             "its chain has another length");
    }
  } catch (const nfold::structure::StructureError&) {
    return 0;
  }
  return 0;
}
