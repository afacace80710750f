// nfold prepare for condensates: written settings, reports and refusals.
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "cli/prepare/prepare.hpp"
#include "core/input_error.hpp"
#include "input/input.hpp"
#include "session/setup/prepared_input.hpp"

namespace nfold::prepare {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string fasta = NFOLD_INPUT "/sequences.fasta";
const std::string ubiquitin = NFOLD_INPUT "/structures/1ubq.pdb.gz";

class PrepareCondensate : public testing::Test {
 protected:
  PrepareCondensate() { std::filesystem::create_directories(folder_); }
  ~PrepareCondensate() override { std::filesystem::remove_all(folder_); }

  /// The settings that the written file holds.
  input::Settings prepared(PrepareOptions options) {
    options.output = folder_ / "system.yaml";
    options.overwrite = true;
    prepare(options, report_);
    std::ifstream file(options.output);
    text_ = {std::istreambuf_iterator<char>(file), {}};
    return input::parse_input(text_, "system.yaml");
  }
  std::string refusal(const PrepareOptions& options) {
    try {
      (void)prepared(options);
    } catch (const core::InputError& error) {
      return error.what();
    }
    return "accepted";
  }

  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) /
      (std::string("condensate-") + testing::UnitTest::GetInstance()->current_test_info()->name());
  std::ostringstream report_;
  std::string text_;
};

TEST_F(PrepareCondensate, MakesASlabInTheGivenBox) {
  PrepareOptions options;
  options.inputs = {fasta + ":A1"};
  options.copies = {"40"};
  options.box_nm = {15, 15, 120};
  options.overrides = {"dynamics.temperature_kelvin=293"};
  const auto s = prepared(options);
  EXPECT_EQ(s.force_field.model, input::find_model("calvados2"));
  ASSERT_EQ(s.system.species.size(), 1U);
  EXPECT_EQ(s.system.species[0].name, "A1");
  EXPECT_EQ(s.system.species[0].copies, 40);
  EXPECT_THAT(s.system.box_nm, ElementsAre(15, 15, 120));
  EXPECT_EQ(s.start.from, input::StartFrom::slab);
  EXPECT_EQ(s.dynamics.temperature_kelvin, 293);
  EXPECT_EQ(s.dynamics.time_step_ps, 0.01);
  EXPECT_GT(s.observables.every_steps, 0);
  EXPECT_THAT(report_.str(), HasSubstr("A1: 40 molecules of 137 residues, 13.10 kDa, +8.00 e"));
  EXPECT_THAT(report_.str(), HasSubstr("net charge +320.00 e, box 15 x 15 x 120 nm"));
  EXPECT_THAT(report_.str(), HasSubstr("in all 5480 residues in 40 chains, 32.2"));
  EXPECT_THAT(report_.str(), HasSubstr("start chosen: a slab across z"));
  EXPECT_THAT(report_.str(), HasSubstr("2 residues/nm3"));
  EXPECT_THAT(text_, HasSubstr("# A1: 40 molecules of 137 residues"));
  EXPECT_THAT(text_, HasSubstr("  species:\n    - name: \"A1\"\n"));
  EXPECT_THAT(text_, testing::Not(HasSubstr("mass_amu")));           // a key of the go model
  EXPECT_THAT(text_, testing::Not(HasSubstr("bond_k_kj_mol_nm2")));  // a value of the model's table
}

TEST_F(PrepareCondensate, MixesSpeciesByCopiesAndConcentration) {
  PrepareOptions options;
  options.inputs = {fasta + ":FUS-LCD", "client=" + fasta + ":Hst5"};
  options.model = "hps-urry";
  options.box_nm = {30};
  options.copies = {"FUS-LCD=10"};
  options.molarities = {"client=0.5"};  // 27,000 nm3: 8.13 molecules
  const auto s = prepared(options);
  EXPECT_EQ(s.force_field.model, input::find_model("hps-urry"));
  EXPECT_EQ(s.start.from, input::StartFrom::random);
  EXPECT_THAT(report_.str(), HasSubstr("FUS-LCD: 10 molecules of 163 residues"));
  EXPECT_THAT(report_.str(), HasSubstr("client: 8 molecules of 24 residues"));
}

TEST_F(PrepareCondensate, AcceptsEveryModel) {
  for (const char* model : {"hps-kr", "hps-urry", "calvados2", "calvados3", "mpipi"}) {
    PrepareOptions options;
    options.inputs = {fasta + ":Hst5"};
    options.model = model;
    options.copies = {"9"};
    options.start = "lattice";
    options.box_nm = {12, 10, 11};
    const auto s = prepared(options);
    EXPECT_EQ(s.start.from, input::StartFrom::lattice);
    EXPECT_THAT(text_, HasSubstr(std::string("\n  model: ") + model + "\n"));
  }
}

TEST_F(PrepareCondensate, ChoosesBoxByConcentrationOrSlab) {
  PrepareOptions options;
  options.inputs = {fasta + ":DSS1"};
  options.copies = {"30"};
  EXPECT_THAT(refusal(options), HasSubstr("30 molecules, but no box (give --box"));
  options.concentrations = {"80"};
  EXPECT_EQ(prepared(options).system.concentration_mg_per_ml, 80);
  EXPECT_THAT(report_.str(), HasSubstr(" 80 mg/ml"));
  options.concentrations.clear();
  options.start = "slab";
  EXPECT_THAT(prepared(options).system.box_nm, testing::SizeIs(3));
  EXPECT_THAT(text_, HasSubstr("# box chosen for a slab"));
}

TEST_F(PrepareCondensate, FindsOrTakesFoldedDomains) {
  PrepareOptions options;
  options.inputs = {"ubq=" + ubiquitin};
  options.model = "calvados3";
  const auto found = prepared(options);
  EXPECT_THAT(found.system.species.at(0).domains, ElementsAre("auto"));
  EXPECT_THAT(report_.str(), HasSubstr("ubq: folded 1-7"));
  options.domains = {"2-70"};
  options.copies = {"5"};
  options.box_nm = {25};
  const auto given = prepared(options);
  EXPECT_THAT(given.system.species.at(0).domains, ElementsAre("2-70"));
  EXPECT_EQ(given.start.conformation, input::Conformation::unfolded);
  EXPECT_THAT(report_.str(), HasSubstr("ubq: folded 2-70 (69 residues)\n"));
}

TEST_F(PrepareCondensate, WritesEveryChangedKey) {
  const std::vector<std::string> overrides{
      "system.species=[{name: a, sequence: GGSGGRKRK, copies: 12}]",
      "system.box_nm=[20,20,0]",
      "force_field.model=hps-kr",
      "force_field.short_range_shifted=true",
      "force_field.dielectric_constant=74",
      "start.from=slab",
      "start.minimise_steps=0",
      "dynamics.steps=10",
      "dynamics.friction_per_ps=1",
      "partition.method=hilbert-curve",
      "observables.every_steps=5",
      "observables.profile_axis=z",
      "ensemble.analysis.contact_maps=true",
      "partition.balance.hot=0.7"};
  const auto settings = input::parse_input("", "a.yaml", overrides);
  const auto again = input::parse_input(setup::commented_input(settings, {"one", "two"}), "b.yaml");
  for (const auto& changed : input::changed_keys(settings, again)) {
    ADD_FAILURE() << changed.key << ": " << changed.before << " became " << changed.now;
  }
}

TEST_F(PrepareCondensate, ReportsStructuresWithoutDomains) {
  PrepareOptions options;
  options.inputs = {"ubq=" + ubiquitin};
  options.model = "calvados2";
  (void)prepared(options);
  EXPECT_THAT(report_.str(), HasSubstr("ubq: no folded domain, all of it is flexible (--domains"));
  options.inputs = {fasta + ":Hst5"};
  options.model = "go";
  EXPECT_THAT(refusal(options), HasSubstr("a sequence alone for the go model"));
}

TEST_F(PrepareCondensate, WritesNoInvalidInput) {
  PrepareOptions options;
  options.inputs = {fasta + ":A1"};
  options.copies = {"40"};
  options.box_nm = {10};  // 5.5 residues/nm3
  EXPECT_THAT(refusal(options), HasSubstr("no room for chain"));
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

}  // namespace
}  // namespace nfold::prepare
