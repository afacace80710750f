// nfold prepare of predicted structures: their confidence files, model and domains.
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/prepare/predicted.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "cli/prepare/prepare.hpp"
#include "input/input.hpp"
#include "support/confidence_text.hpp"

namespace nfold::prepare {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(ConfidenceNames, FollowEachPredictor) {
  const auto first = [](const char* structure) { return confidence_names(structure).front(); };
  EXPECT_THAT(first("x/AF-P04637-F1-model_v4.cif.gz"),
              ElementsAre("AF-P04637-F1-predicted_aligned_error_v4.json"));
  EXPECT_THAT(first("p53_unrelaxed_rank_001_alphafold2_ptm_model_3_seed_000.pdb"),
              ElementsAre("p53_scores_rank_001_alphafold2_ptm_model_3_seed_000.json"));
  EXPECT_THAT(confidence_names("p53_relaxed_rank_001_alphafold2_ptm_model_3_seed_000.pdb"),
              Contains(ElementsAre("p53_predicted_aligned_error_v1.json")));
  EXPECT_THAT(first("relaxed_model_1_pred_0.pdb"), ElementsAre("pae_model_1_pred_0.json"));
  EXPECT_THAT(first("fold_p53_model_0.cif"), ElementsAre("fold_p53_full_data_0.json"));
  EXPECT_THAT(confidence_names("p53_model.cif"), Contains(ElementsAre("p53_confidences.json")));
  EXPECT_THAT(confidence_names("p53_model_0.cif"),
              Contains(ElementsAre("pae_p53_model_0.npz", "plddt_p53_model_0.npz")));
  EXPECT_THAT(confidence_names("duo.pdb"), Contains(ElementsAre("duo.json")));
}

class PreparePredicted : public testing::Test {
 protected:
  PreparePredicted() { std::filesystem::create_directories(folder_); }
  ~PreparePredicted() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  /// Writes a model whose first 20 of 60 residues are disordered.
  void write_model(const std::string& name) {
    auto atoms = test::helix(60);
    for (auto& atom : atoms) atom.b_factor = atom.number <= 20 ? 35 + atom.number : 90;
    write(name, test::pdb_text(atoms));
  }
  /// Writes a PAE of 2 angstrom.
  void write_pae(const std::string& name, int side) {
    write(name, R"([{"predicted_aligned_error":)" +
                    test::rows_json(side, side, [](int, int) { return 2; }) + "}]");
  }
  input::Settings prepared(const std::string& structure, const std::string& model = "") {
    PrepareOptions options;
    options.inputs = {"p=" + (folder_ / structure).string()};  // an absolute path stays
    options.model = model;
    options.output = folder_ / "system.yaml";
    options.overwrite = true;
    report_.str("");
    prepare(options, report_);
    std::ifstream file(options.output);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return input::parse_input(text, "system.yaml");
  }

  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) /
      (std::string("predicted-") + testing::UnitTest::GetInstance()->current_test_info()->name());
  std::ostringstream report_;
};

TEST_F(PreparePredicted, ProposesDomainsAndConfidence) {
  write_model("AF-P1-F1-model_v4.pdb");
  write_pae("AF-P1-F1-predicted_aligned_error_v4.json", 60);
  const auto settings = prepared("AF-P1-F1-model_v4.pdb");
  EXPECT_EQ(input::model_name(settings.force_field.model), "calvados3");
  const auto& species = settings.system.species.at(0);
  EXPECT_THAT(species.domains, ElementsAre("auto"));
  EXPECT_THAT(species.confidence,
              ElementsAre(HasSubstr("AF-P1-F1-predicted_aligned_error_v4.json")));
  EXPECT_THAT(report_.str(), HasSubstr("a predicted model (B-factors equal within each residue), "
                                       "20 of 60 residues with pLDDT below 70"));
  EXPECT_THAT(report_.str(), HasSubstr("p: folded 21-60 (40 residues)"));
}

TEST_F(PreparePredicted, GoModelKeepsTheConfidence) {
  write_model("m.pdb");
  write_pae("m.json", 60);
  const auto settings = prepared("m.pdb", "go");
  EXPECT_THAT(settings.system.confidence, ElementsAre(HasSubstr("m.json")));
}

TEST_F(PreparePredicted, FilesThatDoNotFitAreReported) {
  write_model("m.pdb");
  write_pae("m.json", 59);
  const auto settings = prepared("m.pdb");
  EXPECT_THAT(settings.system.species.at(0).confidence, IsEmpty());
  EXPECT_THAT(report_.str(), HasSubstr("is of 59 residues or tokens, the file of m has 60"));
  EXPECT_THAT(report_.str(), HasSubstr("no PAE file beside it"));
}

TEST_F(PreparePredicted, ExperimentalStructuresKeepTheirModel) {
  const auto settings =
      prepared(std::filesystem::path(NFOLD_INPUT "/structures/1ubq.pdb.gz").string());
  EXPECT_EQ(input::model_name(settings.force_field.model), "go");
  EXPECT_THAT(report_.str(), testing::Not(HasSubstr("a predicted model")));
}

}  // namespace
}  // namespace nfold::prepare
