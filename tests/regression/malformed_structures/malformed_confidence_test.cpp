// Malformed confidence files, and files that do not fit the structure: one clear line each.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "confidence_text.hpp"
#include "model/structure/structure.hpp"

namespace nfold::test {
namespace {

/// A confidence file for a model of eight residues, with the expected part of its error message.
struct Misfit {
  std::string name;
  std::string bytes;
  std::string message;
};
std::ostream& operator<<(std::ostream& out, const Misfit& misfit) { return out << misfit.name; }

std::string with_replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("nothing to replace: " + from);
  return text.replace(at, from.size(), to);
}

std::string pae_json(const std::string& value) { return R"({"pae": )" + value + "}"; }

std::string cif(const std::string& tables) { return "data_m\n" + metrics_head() + tables; }

std::string flipped_at(std::string bytes, std::size_t at) {
  bytes[at] = static_cast<char>(bytes[at] ^ 0x55);
  return bytes;
}

std::string npy_with(const std::string& from, const std::string& to) {
  return with_replaced(npy("<f4", "(8, 8)", pae_values(8)), from, to);
}

std::vector<std::pair<std::string, int>> tokens(int count) {
  std::vector<std::pair<std::string, int>> all;
  for (int i = 0; i < count; ++i) all.emplace_back("A", i + 1);
  return all;
}

class MalformedConfidence : public testing::TestWithParam<Misfit> {};

TEST_P(MalformedConfidence, IsRefusedWithOneLine) {
  auto model = structure::parse_structure(pdb_text(predicted_helix(8)), "model.pdb");
  std::string message;
  try {
    structure::set_confidence(model, {false, {{"pae.json", GetParam().bytes}}});
  } catch (const structure::StructureError& error) {
    message = error.what();
  }
  EXPECT_NE(message.find("pae.json"), std::string::npos) << message;
  EXPECT_NE(message.find(GetParam().message), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  EXPECT_FALSE(model.confidence.has_plddt());
}

std::string misfit_name(const testing::TestParamInfo<Misfit>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(
    Json, MalformedConfidence,
    testing::Values(
        Misfit{"CutOff", afdb_json(8).substr(0, 200), "pae.json:1: not valid JSON"},
        Misfit{"CutInSecondLine", "{\"pae\":\n[[1, 2", "pae.json:2: not valid JSON"},
        Misfit{"NotANumber", pae_json("[[1, NaN]]"), "pae.json:1: not valid JSON"},
        Misfit{"Overflow", pae_json("[[1, 1e999]]"), "not valid JSON"},
        Misfit{"Null", pae_json("[[1, 2], [3, null]]"), "pae[1][1] is null, expected a number"},
        Misfit{"Text", pae_json("[[1, \"two\"]]"), "pae[0][1] is 'two', expected a number"},
        Misfit{"Flag", pae_json("[[true]]"), "pae[0][0] is true"},
        Misfit{"Object", pae_json("[[{}]]"), "pae[0][0] is an object"},
        Misfit{"Scalar", pae_json("5"), "pae is one value, expected a list"},
        Misfit{"Flat", pae_json("[1, 2, 3]"), "pae is a flat list, expected a row"},
        Misfit{"EmptyMatrix", pae_json("[]"), "pae is empty, expected a row"},
        Misfit{"EmptyRow", pae_json("[[]]"), "pae is 1 x 0, expected a square matrix"},
        Misfit{"Ragged", pae_json("[[1, 2], [3]]"), "row 2 of pae has 1 numbers, the first row 2"},
        Misfit{"NotSquare", pae_json("[[1, 2, 3], [4, 5, 6]]"), "pae is 2 x 3, expected a square"},
        Misfit{"TooDeep", pae_json("[[[1]]]"), "pae has lists within rows"},
        Misfit{"MixedRowFirst", pae_json("[[1], 2]"), "pae mixes numbers and rows"},
        Misfit{"MixedNumberFirst", pae_json("[1, [2]]"), "pae mixes numbers and rows"},
        Misfit{"Twice", R"({"pae": [[1]], "pae": [[1]]})", "pae comes a second time"},
        Misfit{"SeveralRecords", "[{\"pae\": [[1]]}, {\"pae\": [[1]]}]", "several records"},
        Misfit{"NoRecord", "[1, 2]", "the file has no record"},
        Misfit{"Summary", R"({"ptm": 0.8, "iptm": 0.7, "ranking_score": 0.9})",
               "no pLDDT or PAE of residues"},
        Misfit{"Negative", with_replaced(afdb_json(8), "0.2", "-0.2"),
               "the PAE of row 1, column 1 is -0.2, expected an error of 0 to 1000"},
        Misfit{"Absurd", with_replaced(afdb_json(8), "0.2", "4000"), "row 1, column 1 is 4000"},
        Misfit{"TooSmall", afdb_json(7),
               "the PAE is of 7 residues or tokens, the file of model has 8 residues"},
        Misfit{"TooLarge", afdb_json(9), "is of 9 residues or tokens, the file of model has 8"},
        Misfit{"PlddtBeyond", with_replaced(colabfold_scores_json(8), "[41,", "[141,"),
               "pLDDT 1 is 141, expected 0 to 100"},
        Misfit{"PlddtShort", R"({"plddt": [50, 60, 70]})", "pLDDT is of 3 residues or tokens"},
        Misfit{"PlddtRows", R"({"plddt": [[50, 60]]})", "plddt is a list of rows"},
        Misfit{"PlddtEmpty", R"({"plddt": []})", "plddt is empty"},
        Misfit{"OldShort", with_replaced(old_afdb_json(8), "\"distance\":[0.2,", "\"distance\":["),
               "residue1, residue2 and distance have 64, 64 and 63 numbers"},
        Misfit{"OldNoSquare", R"([{"residue1":[1,1],"residue2":[1,2],"distance":[1,2]}])",
               "distance has 2 numbers, expected the square"},
        Misfit{"OldZero", with_replaced(old_afdb_json(8), "[1,1,", "[0,1,"),
               "residue1[0] is 0, expected a residue from 1 to 8"},
        Misfit{"OldTwice",
               with_replaced(old_afdb_json(8), "\"residue2\":[1,2,", "\"residue2\":[1,1,"),
               "the pair of residues 1 and 1 comes a second time"},
        Misfit{"OldWithoutPairs", R"([{"distance":[1]}])", "residue1, residue2 and distance"}),
    misfit_name);

INSTANTIATE_TEST_SUITE_P(
    Tokens, MalformedConfidence,
    testing::Values(Misfit{"TokensShort", alphafold3_json(tokens(7), std::vector<double>(24, 50)),
                           "7 residues or tokens"},
                    Misfit{
                        "TokenOfOtherChain",
                        with_replaced(alphafold3_json(tokens(8), std::vector<double>(24, 50)),
                                      "\"token_chain_ids\":[\"A\"", "\"token_chain_ids\":[\"Q\""),
                        "residue 1 of chain Q, which model does not have"},
                    Misfit{"TokenOfOtherNumber",
                           with_replaced(alphafold3_json(tokens(8), std::vector<double>(24, 50)),
                                         "\"token_res_ids\":[1", "\"token_res_ids\":[99"),
                           "residue 99 of chain A, which model does not have"},
                    Misfit{"TokenTwice",
                           with_replaced(alphafold3_json(tokens(8), std::vector<double>(24, 50)),
                                         "\"token_res_ids\":[1", "\"token_res_ids\":[2"),
                           "7 residues or tokens"},
                    Misfit{"TokenFraction",
                           with_replaced(alphafold3_json(tokens(8), std::vector<double>(24, 50)),
                                         "\"token_res_ids\":[1", "\"token_res_ids\":[1.5"),
                           "token_res_ids[0] is 1.5, expected an integer"},
                    Misfit{"TokenNames",
                           with_replaced(alphafold3_json(tokens(8), std::vector<double>(24, 50)),
                                         "\"token_chain_ids\":[\"A\"", "\"token_chain_ids\":[1"),
                           "token_chain_ids[0] is 1, expected a chain's name"},
                    Misfit{"TokenCounts",
                           with_replaced(alphafold3_json(tokens(8), std::vector<double>(24, 50)),
                                         "\"token_res_ids\":[1,", "\"token_res_ids\":["),
                           "have 8, 7 and 8 tokens"},
                    Misfit{"AtomsShort", alphafold3_json(tokens(8), std::vector<double>(23, 50)),
                           "atom_plddts is of 23 residues or tokens"}),
    misfit_name);

INSTANTIATE_TEST_SUITE_P(
    Numpy, MalformedConfidence,
    testing::Values(
        Misfit{"ZipCut", boltz_pae_npz(8).substr(0, 100), "no directory at the end"},
        Misfit{"ZipOnlyHead", "PK\3\4", "no directory at the end"},
        Misfit{"ZipChecksum",
               flipped_at(zip({{"pae.npy", npy("<f4", "(8, 8)", pae_values(8))}}, false), 300),
               "the checksum of pae.npy is wrong"},
        Misfit{"ZipDamaged", flipped_at(boltz_pae_npz(8), 60), "pae.npy"},
        Misfit{"ZipMethod",
               [] {
                 std::string archive = boltz_pae_npz(8);
                 archive[archive.find("PK\1\2") + 10] = '\x0e';
                 return archive;
               }(),
               "packed by method 14"},
        Misfit{"ZipEncrypted",
               [] {
                 std::string archive = boltz_pae_npz(8);
                 archive[archive.find("PK\1\2") + 8] = '\x01';
                 return archive;
               }(),
               "is encrypted"},
        Misfit{"ZipBomb",
               [] {
                 std::string archive = boltz_pae_npz(8);
                 archive.replace(archive.find("PK\1\2") + 24, 4, "\xff\xff\xff\x3f");
                 return archive;
               }(),
               "more than it can"},
        Misfit{"ZipOffset",
               [] {
                 std::string archive = boltz_pae_npz(8);
                 archive.replace(archive.find("PK\1\2") + 42, 4, "\xff\xff\xff\x7f");
                 return archive;
               }(),
               "ends beyond the file's"},
        Misfit{"ZipOfOthers", zip({{"pde.npy", npy("<f4", "(1,)", {1})}}),
               "an archive with pde; expected an array pae or plddt"},
        Misfit{"NpyCut", npy("<f4", "(8, 8)", pae_values(8)).substr(0, 300), "cut off or damaged"},
        Misfit{"NpyHead", "\x93NUMPY\1", "ends beyond the file's"},
        Misfit{"NpyObject", npy_with("<f4", "|O8"), "numbers of type '|O8'"},
        Misfit{"NpyNoShape", npy_with("'shape'", "'shqpe'"), "has no 'shape'"},
        Misfit{"NpyShapeText", npy_with("(8, 8)", "(8, x)"), "not a list of integers"},
        Misfit{"NpyShapeHuge", npy_with("(8, 8)", "(99999999999, 8)"), "cut off or damaged"},
        Misfit{"NpyNotSquare", npy("<f4", "(4, 16)", pae_values(8)), "the shape (4, 16)"},
        Misfit{"NpyScalar", npy("<f4", "()", {1}), "the shape ()"},
        Misfit{"NpyNan", npy("<f4", "(1, 1)", {std::nan("")}), "column 1 is nan"}),
    misfit_name);

INSTANTIATE_TEST_SUITE_P(
    Mmcif, MalformedConfidence,
    testing::Values(
        Misfit{"NoMetrics", "data_m\n_entry.id m\n", "mmCIF without pLDDT"},
        Misfit{"OtherMetrics",
               with_replaced(cif(local_metrics(8)), "2 local pLDDT pLDDT", "2 local QMEAN 'other'"),
               "mmCIF without pLDDT"},
        Misfit{"MetricText", with_replaced(cif(local_metrics(8)), "41.00", "high"),
               "metric_value is 'high', expected a number"},
        Misfit{"MetricNumber", with_replaced(cif(local_metrics(8)), "ALA 1 2", "ALA one 2"),
               "label_seq_id is 'one', expected an integer"},
        Misfit{"PairsMissing", cif(pairwise_metrics(8).substr(0, 1200)), "pae.json"},
        Misfit{"LoopCut", cif(local_metrics(8)).substr(0, 500), "pae.json"},
        Misfit{"ResidueShort", cif(local_metrics(7)), "pLDDT is of 7 residues or tokens"},
        Misfit{"OtherChain", cif(local_metrics(8, "B")), "residue 1 of chain B"}),
    misfit_name);

INSTANTIATE_TEST_SUITE_P(
    OtherFiles, MalformedConfidence,
    testing::Values(Misfit{"Empty", "", "the file is empty"},
                    Misfit{"Blank", " \n", "the file is empty"},
                    Misfit{"Pickle", "\x80\x04\x95", "a Python pickle"},
                    Misfit{"WebPage", "<!DOCTYPE html>", "a web page"},
                    Misfit{"Coordinates", pdb_text(helix(3)), "PDB coordinates"},
                    Misfit{"Prose", "Dear reviewer,\n", "the file begins 'Dear reviewer,'"},
                    Misfit{"GzipCut", gzip(afdb_json(8)).substr(0, 60),
                           "the file is cut off at byte 60"},
                    Misfit{"GzipTwice", gzip(gzip(afdb_json(8))), "packed twice"}),
    misfit_name);

TEST(MalformedBFactors, AreRefusedIfTheyAreAskedFor) {
  auto atoms = predicted_helix(8);
  for (std::size_t k = 3; k < 6; ++k) atoms[k].b_factor = 120;
  auto model = structure::parse_structure(pdb_text(atoms), "model.pdb");
  EXPECT_FALSE(model.file.is_predicted());
  try {
    structure::set_confidence(model, {true, {}});
    FAIL();
  } catch (const structure::StructureError& error) {
    EXPECT_NE(std::string(error.what()).find("but pLDDT is from 0 to 100"), std::string::npos);
  }
  auto equal = structure::parse_structure(pdb_text(helix(8)), "model.pdb");
  EXPECT_THROW(structure::set_confidence(equal, {true, {}}), structure::StructureError);
}

TEST(MalformedConfidences, SecondFileWithTheSameValues) {
  auto model = structure::parse_structure(pdb_text(predicted_helix(8)), "model.pdb");
  try {
    structure::set_confidence(model, {false, {{"a", afdb_json(8)}, {"b", boltz_pae_npz(8)}}});
    FAIL();
  } catch (const structure::StructureError& error) {
    EXPECT_NE(std::string(error.what()).find("PAE comes a second time, after a"),
              std::string::npos);
  }
}

TEST(MalformedConfidences, EveryCutIsRefusedOrWhole) {
  for (const std::string& bytes : {afdb_json(5), boltz_pae_npz(5), old_afdb_json(3),
                                   cif(local_metrics(5) + pairwise_metrics(5))}) {
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      try {
        (void)structure::parse_confidence(bytes.substr(0, size), "cut");
      } catch (const structure::StructureError&) {
      }
    }
  }
}

TEST(MalformedConfidences, ChangedBytesAreRefusedOrUsable) {
  std::mt19937 random(7);
  for (const std::string& whole :
       {afdb_json(5), boltz_pae_npz(5), old_afdb_json(3), colabfold_scores_json(5),
        alphafold3_json(tokens(5), std::vector<double>(15, 50)),
        zip({{"pae.npy", npy("<f8", "(5, 5)", pae_values(5))}}, false),
        npy("<f4", "(5, 5)", pae_values(5)), cif(local_metrics(5) + pairwise_metrics(5))}) {
    for (int round = 0; round < 2000; ++round) {
      std::string bytes = whole;
      for (unsigned changes = 1 + random() % 4; changes > 0; --changes) {
        bytes[random() % bytes.size()] = static_cast<char>(random());
      }
      auto model = structure::parse_structure(pdb_text(predicted_helix(5)), "model.pdb");
      try {
        structure::set_confidence(model, {false, {{"changed", bytes}}});
        for (const double p : model.confidence.plddt) ASSERT_TRUE(p >= 0 && p <= 100);
        for (const double e : model.confidence.pae_angstrom) ASSERT_TRUE(e >= 0 && e <= 1000);
      } catch (const structure::StructureError&) {
      }
    }
  }
}

}  // namespace
}  // namespace nfold::test
