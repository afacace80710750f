// Any bytes as a file of a CALVADOS folder or a molecule: values, or an InputError.
// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "cli/calvados/external_force.hpp"
#include "cli/calvados/pdb.hpp"
#include "cli/calvados/system_xml.hpp"
#include "cli/calvados/tables.hpp"
#include "core/input_error.hpp"
#include "model/topology/molecule_file.hpp"

namespace {

using namespace nfold;

constexpr std::array<void (*)(std::string_view), 8> readers{
    [](std::string_view text) { (void)calvados::parse_residues(text, "a.csv"); },
    [](std::string_view text) { (void)calvados::find_sequence(text, "a", "a.fasta"); },
    [](std::string_view text) { (void)calvados::parse_domains(text, "a", 9, "a.yaml"); },
    [](std::string_view text) { (void)calvados::parse_custom_restraints(text, "a.txt"); },
    [](std::string_view text) {
      const auto structure = calvados::parse_pdb(text, "a.pdb");
      (void)calvados::protein_positions(structure, true, "a.pdb");
      (void)calvados::rna_positions(structure, false, "a.pdb");
    },
    [](std::string_view text) { (void)calvados::compare_with_system({}, text, "a.xml"); },
    [](std::string_view text) { (void)calvados::to_external_field(text); },
    [](std::string_view text) { (void)topology::parse_molecule(text, "a.molecule"); }};

}  // namespace

// The first byte selects the reader.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    readers[data[0] % readers.size()](text);
  } catch (const core::InputError&) {
    return 0;
  }
  return 0;
}
