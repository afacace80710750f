// pLDDT and PAE of every family of files, and their residues.
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "confidence_text.hpp"
#include "model/structure/npz.hpp"
#include "model/structure/structure.hpp"

namespace nfold::structure {
namespace {

using namespace nfold::test;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

Structure model_of(int count) { return parse_structure(pdb_text(predicted_helix(count)), "m.pdb"); }

Structure with_confidence(Structure model, const std::vector<std::string>& files) {
  ConfidenceSources sources;
  for (const std::string& bytes : files) sources.files.push_back({"c.json", bytes});
  set_confidence(model, sources);
  return model;
}

void expect_made_pae(const Confidence& confidence, int count, double tolerance = 0) {
  ASSERT_EQ(confidence.pae_angstrom.size(), static_cast<std::size_t>(count * count));
  for (int k = 0; k < count * count; ++k) {
    EXPECT_NEAR(confidence.pae_angstrom[static_cast<std::size_t>(k)],
                made_pae(k / count, k % count), tolerance)
        << k;
  }
}
void expect_made_plddt(const Confidence& confidence, int count, double tolerance = 0) {
  ASSERT_EQ(confidence.plddt.size(), static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    EXPECT_NEAR(confidence.plddt[static_cast<std::size_t>(i)], made_plddt(i), tolerance) << i;
  }
}

TEST(ConfidenceFiles, EveryFamilyGivesTheSamePae) {
  for (const std::string& bytes :
       {afdb_json(9), old_afdb_json(9), colabfold_scores_json(9), colabfold_pae_json(9),
        boltz_pae_npz(9), gzip(afdb_json(9)), gzip(boltz_pae_npz(9)),
        npy("<f8", "(9, 9)", pae_values(9)), npy(">f4", "(1, 9, 9)", pae_values(9)),
        zip({{"pae.npy", npy("<f8", "(9, 9)", pae_values(9))}}, false),
        "data_m\n" + metrics_head() + pairwise_metrics(9), "\xef\xbb\xbf " + afdb_json(9)}) {
    const auto model = with_confidence(model_of(9), {bytes});
    SCOPED_TRACE(bytes.substr(0, 40));
    expect_made_pae(model.confidence, 9, 1e-7);
    expect_made_plddt(model.confidence, 9, 1e-12);
  }
}

TEST(ConfidenceFiles, PlddtOfAFileReplacesBFactors) {
  auto atoms = helix(8);
  const auto plain = parse_structure(pdb_text(atoms), "m.pdb");  // B-factors are equal
  expect_made_plddt(with_confidence(plain, {colabfold_scores_json(8)}).confidence, 8);
  expect_made_plddt(with_confidence(plain, {boltz_plddt_npz(8), boltz_pae_npz(8)}).confidence, 8,
                    1e-5);
  const std::string scores = R"({"residueNumber":)" + list_json(8, [](int i) { return i + 1; }) +
                             R"(,"confidenceScore":)" + list_json(8, made_plddt) +
                             R"(,"confidenceCategory":["H","H"]})";
  expect_made_plddt(with_confidence(plain, {scores}).confidence, 8);
}

TEST(ConfidenceFiles, FractionsAreNoted) {
  const auto model = with_confidence(model_of(8), {boltz_plddt_npz(8)});
  expect_made_plddt(model.confidence, 8, 1e-5);
  EXPECT_THAT(model.notes, Contains(HasSubstr("pLDDT is given as fractions of 1")));
}

TEST(ConfidenceFiles, ColumnMajorArraysAreTransposed) {
  std::vector<double> columns;
  for (int k = 0; k < 36; ++k) columns.push_back(made_pae(k % 6, k / 6));
  const auto model = with_confidence(model_of(6), {npy("<f8", "(6, 6)", columns, true)});
  expect_made_pae(model.confidence, 6);
}

TEST(ConfidenceFiles, HalfAndIntegerNumbers) {
  EXPECT_EQ(parse_npy(npy("<i4", "(3,)", {-1, 0, 70000}), "a").values,
            (std::vector<double>{-1, 0, 70000}));
  std::string half = npy("<f4", "(1,)", {0});
  half.replace(half.find("<f4"), 3, "<f2");
  half.resize(half.size() - 2);
  half[half.size() - 2] = '\x00';
  half[half.size() - 1] = '\x4a';  // 0x4a00: 12
  EXPECT_EQ(parse_npy(half, "a").values, std::vector<double>{12});
}

TEST(ConfidenceFiles, PairsInOneOrderCountForBoth) {
  const auto model =
      with_confidence(model_of(6), {"data_m\n" + metrics_head() + pairwise_metrics(6, true)});
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) {
      EXPECT_EQ(model.confidence.pae_angstrom[static_cast<std::size_t>(6 * i + j)],
                made_pae(std::min(i, j), std::max(i, j)));
    }
  }
}

TEST(ConfidenceFiles, ModelCifHasItsOwnMetrics) {
  const std::string cif =
      cif_text(helix(7)) + metrics_head() + local_metrics(7) + pairwise_metrics(7);
  auto model = parse_structure(cif, "m.cif");
  set_confidence(model, {});
  expect_made_plddt(model.confidence, 7);
  expect_made_pae(model.confidence, 7);
  EXPECT_THAT(model.notes, Contains(HasSubstr("predicted model: ModelCIF with pLDDT")));
}

TEST(ConfidenceFiles, ModelCifMayLeaveOutLigands) {
  auto atoms = helix(7);
  AtomText ligand{"HETATM", "C1", ' ', "LIG", "B", 1};
  ligand.position = {50, 0, 0};
  atoms.push_back(ligand);
  auto model = parse_structure(cif_text(atoms) + metrics_head() + local_metrics(7), "m.cif");
  set_confidence(model, {});
  expect_made_plddt(model.confidence, 7);
}

// A complex of two chains, a modified residue of three atoms and a ligand of two: 3 + 3 + 1
// residues and 5 + 3 + 2 tokens.
std::vector<AtomText> complex_atoms() {
  auto atoms = predicted_helix(3, "A");
  for (AtomText& atom : atoms) {
    if (atom.number == 2) atom.residue = "SEP", atom.record = "HETATM";
  }
  for (AtomText& atom : predicted_helix(3, "B", 20)) atoms.push_back(atom);
  for (int k = 0; k < 2; ++k) {
    AtomText ligand{"HETATM", fmt::format("C{}", k + 1), ' ', "LIG", "C", 1};
    ligand.position = {50.0 + k, 0, 0};
    ligand.b_factor = 33;
    atoms.push_back(ligand);
  }
  return atoms;
}

TEST(ConfidenceOfComplexes, TokensOfAResidueAreAveraged) {
  const std::vector<std::pair<std::string, int>> tokens{{"A", 1}, {"A", 2}, {"A", 2}, {"A", 2},
                                                        {"A", 3}, {"B", 1}, {"B", 2}, {"B", 3},
                                                        {"C", 1}, {"C", 1}};
  std::vector<double> atom_plddts;
  for (int k = 0; k < 20; ++k) atom_plddts.push_back(60 + k);
  const std::string unlabelled =
      npy("<f8", "(10, 10)", pae_values(10));  // Boltz has no chains and numbers
  for (const std::string& bytes : {alphafold3_json(tokens, atom_plddts), unlabelled}) {
    auto model = parse_structure(pdb_text(complex_atoms()), "m.pdb");
    ASSERT_EQ(model.residue_count(), 6);
    set_confidence(model, {false, {{"c", bytes}}});
    const auto& pae = model.confidence.pae_angstrom;
    ASSERT_EQ(pae.size(), 36U);
    EXPECT_EQ(pae[0 * 6 + 2], made_pae(0, 4));
    EXPECT_NEAR(pae[0 * 6 + 1], (made_pae(0, 1) + made_pae(0, 2) + made_pae(0, 3)) / 3, 1e-12);
    EXPECT_NEAR(pae[1 * 6 + 5], (made_pae(1, 7) + made_pae(2, 7) + made_pae(3, 7)) / 3, 1e-12);
    if (bytes == unlabelled) continue;
    EXPECT_NEAR(model.confidence.plddt[0], 61, 1e-12);  // atoms 0 to 2
    EXPECT_NEAR(model.confidence.plddt[5], 76, 1e-12);  // atoms 15 to 17
  }
}

TEST(ConfidenceOfComplexes, SelectionTakesRowsOfTheWholeFile) {
  auto model = parse_structure(pdb_text(complex_atoms()), "m.pdb", {1, {"B:2-3"}});
  set_confidence(model, {false, {{"c", npy("<f8", "(10, 10)", pae_values(10))}}});
  ASSERT_EQ(model.confidence.plddt.size(), 2U);
  EXPECT_EQ(model.confidence.pae_angstrom,
            (std::vector<double>{made_pae(6, 6), made_pae(6, 7), made_pae(7, 6), made_pae(7, 7)}));
  EXPECT_NEAR(model.confidence.plddt[0], made_plddt(21), 1e-12);
}

TEST(PredictedModels, AreRecognisedByHeaderAndBFactors) {
  const auto recognised = [](const std::string& text) {
    return parse_structure(text, "m.pdb").file.is_predicted();
  };
  const std::string model = pdb_text(predicted_helix(8)), plain = pdb_text(helix(8));
  EXPECT_TRUE(recognised(model));
  EXPECT_FALSE(recognised(plain));
  EXPECT_TRUE(recognised("TITLE     ALPHAFOLD MONOMER V2.0 PREDICTION FOR NFOLD (P0)\n" + plain));
  EXPECT_TRUE(recognised("CRYST1    1.000    1.000    1.000  90.00  90.00  90.00\n" + model));
  EXPECT_FALSE(recognised("EXPDTA    X-RAY DIFFRACTION\n" + model));
  EXPECT_FALSE(
      recognised("EXPDTA    X-RAY DIFFRACTION\nREMARK 200 STARTING MODEL: ALPHAFOLD\n" + model));
  EXPECT_FALSE(recognised("CRYST1   50.840   42.770   28.950  90.00  90.00  90.00\n" + model));
  EXPECT_TRUE(recognised("EXPDTA    THEORETICAL MODEL\n" + model));
  auto atoms = predicted_helix(8);
  atoms[4].b_factor += 1;  // an experiment's B-factors differ within a residue
  EXPECT_FALSE(recognised(pdb_text(atoms)));
  EXPECT_TRUE(recognised(cif_text(helix(4)) + metrics_head()));
  EXPECT_FALSE(recognised(cif_text(helix(4)) + "_exptl.method 'X-RAY DIFFRACTION'\n"
                                               "_struct.title 'Structure by AlphaFold'\n"));
  EXPECT_TRUE(recognised(cif_text(helix(4)) + "_software.name AlphaFold\n"));
}

TEST(PredictedModels, ExperimentalStructuresHaveNoConfidence) {
  for (const char* prefix : {"EXPDTA    SOLUTION NMR\n", ""}) {
    auto model = parse_structure(prefix + pdb_text(helix(8)), "m.pdb");
    const auto notes = model.notes;
    set_confidence(model, {});
    EXPECT_FALSE(model.confidence.has_plddt());
    EXPECT_EQ(model.notes, notes);
  }
}

TEST(PredictedModels, BFactorsAreMeansOverAtoms) {
  auto atoms = predicted_helix(8);
  for (std::size_t k = 0; k < 3; ++k) atoms[k].b_factor = 70 + 10.0 * static_cast<double>(k);
  auto model = parse_structure(pdb_text(atoms), "m.pdb");
  set_confidence(model, {true, {}});
  EXPECT_NEAR(model.confidence.plddt[0], 80, 1e-12);
  EXPECT_THAT(model.notes, Contains(HasSubstr("pLDDT from B-factors")));
}

TEST(ConfidenceFiles, LargeMatricesAreReadFast) {
  constexpr int side = 1500;
  const std::string text = afdb_json(side);
  const auto begin = std::chrono::steady_clock::now();
  const auto table = parse_confidence(text, "large");
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(table.side, static_cast<std::size_t>(side));
  EXPECT_LT(seconds.count(), 10);
  RecordProperty("seconds", std::to_string(seconds.count()));
  std::printf("%d residues, %.1f MB of JSON: %.2f s\n", side,
              1e-6 * static_cast<double>(text.size()), seconds.count());
}

}  // namespace
}  // namespace nfold::structure
