// Malformed mmCIF files, damaged gzip files, and files of other formats.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "malformed.hpp"

namespace nfold::test {
namespace {

std::string good_cif() { return cif_text(helix(6)); }

std::string replaced_once(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("nothing to replace: " + from);
  return text.replace(at, from.size(), to);
}

// An mmCIF file whose second atom (line 21) has this row.
std::string with_atom(const std::string& row) {
  auto atoms = helix(6);
  std::string text = cif_head() + cif_line(atoms[0], 1) + row + "\n";
  for (std::size_t i = 2; i < atoms.size(); ++i)
    text += cif_line(atoms[i], static_cast<int>(i) + 1);
  return text;
}

std::string with_atom_again() {
  auto atoms = helix(6);
  atoms.push_back(atoms[0]);
  return cif_text(atoms);
}

std::string flipped(std::string packed) {
  packed[packed.size() / 2] = static_cast<char>(packed[packed.size() / 2] ^ 0x55);
  return packed;
}

std::string utf16(const std::string& text) {
  std::string wide = "\xff\xfe";
  for (const char c : text) wide += {c, '\0'};
  return wide;
}

const std::string rest = " 1.00 1 A 1";

INSTANTIATE_TEST_SUITE_P(
    MmcifRows, Malformed,
    testing::Values(
        Fault{"CoordinateNan", with_atom("ATOM 2 C CA . ALA A 1 . nan 0 0" + rest),
              "test.pdb:21: Cartn_x is 'nan'"},
        Fault{"CoordinateUnknown", with_atom("ATOM 2 C CA . ALA A 1 . 0 ? 0" + rest),
              "test.pdb:21: Cartn_y is '?'"},
        Fault{"CoordinateGarbled", with_atom("ATOM 2 C CA . ALA A 1 . 0 0 1.2.3" + rest),
              "test.pdb:21: Cartn_z is '1.2.3'"},
        Fault{"CoordinateAbsurd", with_atom("ATOM 2 C CA . ALA A 1 . 0 0 1e9" + rest),
              "beyond 100000 nm"},
        Fault{"CoordinateOverflow", with_atom("ATOM 2 C CA . ALA A 1 . 0 0 1e999" + rest),
              "'1e999'"},
        Fault{"NumberGarbled", with_atom("ATOM 2 C CA . ALA A 1 . 0 0 0 1.00 1x A 1"),
              "residue number '1x'"},
        Fault{"NumberHuge", with_atom("ATOM 2 C CA . ALA A 1 . 0 0 0 1.00 99999999999 A 1"),
              "'99999999999'"},
        Fault{"NumberMissing", with_atom("ATOM 2 C CA . ALA A 1 . 0 0 0 1.00 ? A 1"),
              "has no number"},
        Fault{"OccupancyGarbled", with_atom("ATOM 2 C CA . ALA A 1 . 0 0 0 full 1 A 1"),
              "occupancy 'full'"},
        Fault{"ChainMissing", with_atom("ATOM 2 C CA . ALA . 1 . 0 0 0 1.00 1 ? 1"),
              "test.pdb:21: an atom without"},
        Fault{"ResidueMissing", with_atom("ATOM 2 C CA . ? A 1 . 0 0 0" + rest),
              "test.pdb:21: an atom without"},
        Fault{"RowShort", with_atom("ATOM 2 C CA . ALA A 1 . 0 0 0 1.00 1 A"),
              "test.pdb:21: model number 'ATOM'"},
        Fault{"ResidueTwice", with_atom_again(), "test.pdb:38: residue ALA 1 (chain A)"},
        Fault{"CutInRow", good_cif().substr(0, good_cif().size() - 20), "the file is cut off"},
        Fault{"ModelBeyond", good_cif(), "model 2 is selected, the file has 1", {2, {}}},
        Fault{"ChainUnknown", good_cif(), "no chain 'B'; there are: A", {1, {"B"}}}),
    fault_name);

INSTANTIATE_TEST_SUITE_P(
    MmcifSyntax, Malformed,
    testing::Values(
        Fault{"NoAtoms", "data_X\n_entry.id X\n", "mmCIF without atoms"},
        Fault{"NoRows", cif_head(), "mmCIF without atoms"},
        Fault{"NameOnly", "data_X\n", "mmCIF without atoms"},
        Fault{"NoFirstLine", good_cif().substr(12), "mmCIF without its first line"},
        Fault{"NoZ", replaced_once(good_cif(), "_atom_site.Cartn_z", "_atom_site.Cartn_w"),
              "no _atom_site.cartn_z"},
        Fault{"NoChain",
              replaced_once(replaced_once(good_cif(), "label_asym_id", "label"), "auth_asym_id",
                            "auth"),
              "no _atom_site.auth_asym_id"},
        Fault{"QuoteOpen", replaced_once(good_cif(), "ATOM 2 C CA", "ATOM 2 C 'CA"), "test.pdb:21"},
        Fault{"TextFieldOpen", good_cif() + "_struct.title\n;cut here", "in mmCIF"},
        Fault{"ValueMissing", good_cif() + "_struct.title\n", "in mmCIF"},
        Fault{"ValueWithoutTag", "data_X\nstray\n", "test.pdb:2:1: parse error"},
        Fault{"TwoLoops", good_cif() + good_cif().substr(12), "a second _atom_site loop"},
        Fault{"NoLoop", "data_X\n_atom_site.Cartn_x 1.0\n",
              "test.pdb:2: _atom_site is not in a loop"}),
    fault_name);

INSTANTIATE_TEST_SUITE_P(
    OtherFiles, Malformed,
    testing::Values(
        Fault{"Empty", "", "the file is empty"}, Fault{"Blank", " \n\n\t\n", "the file is empty"},
        Fault{"Comment", "# nothing\n", "the file is empty"},
        Fault{"Binary", std::string("ATOM  \0\1\2\3", 10), "binary data (a zero at byte 6)"},
        Fault{"Utf16", utf16(good_cif()), "binary data"},
        Fault{"WebPage", "<!DOCTYPE html><html>404</html>", "a web page"},
        Fault{"Xml", "<?xml version=\"1.0\"?>", "XML"},
        Fault{"Json", "{\"data_1UBQ\": {}}", "JSON"},
        Fault{"Fasta", ">1UBQ\nMQIFVKTLTG\n", "FASTA"}, Fault{"Bzip2", "BZh91AY&SY", "bzip2"},
        Fault{"Zip", "PK\x03\x04", "zip"},
        Fault{"Prose", "Dear reviewer,\n", "the file begins 'Dear reviewer,'"},
        Fault{"Gro", "Protein\n    1\n    1ALA     CA    1   0.100   0.200   0.300\n",
              "no ATOM record"},
        Fault{"Yaml", "system:\n  structure: 1ubq.pdb\n", "no ATOM record"},
        Fault{"GzipCut", gzip(good_cif()).substr(0, 200), "the file is cut off at byte 200"},
        Fault{"GzipHeaderOnly", gzip(good_cif()).substr(0, 10), "the file is cut off"},
        Fault{"GzipFlipped", flipped(gzip(good_cif())), "damaged data"},
        Fault{"GzipThenGarbage", gzip(good_cif()) + "garbage", "bytes that are not gzip"},
        Fault{"GzipOfNothing", gzip(""), "the file is empty"},
        Fault{"GzipOfGzip", gzip(gzip(good_cif())), "packed twice"}),
    fault_name);

}  // namespace
}  // namespace nfold::test
