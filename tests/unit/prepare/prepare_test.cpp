// nfold prepare: written inputs, and protection of existing files.
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/prepare/prepare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "core/input_error.hpp"
#include "input/input.hpp"
#include "model/structure/structure.hpp"

namespace nfold::prepare {
namespace {

using testing::HasSubstr;

class Prepare : public testing::Test {
 protected:
  Prepare() { std::filesystem::create_directories(folder_); }
  ~Prepare() override { std::filesystem::remove_all(folder_); }

  static std::filesystem::path ubiquitin_file() {
    return std::filesystem::path(NFOLD_INPUT) / "structures/1ubq.pdb.gz";
  }
  PrepareOptions ubiquitin() const {
    PrepareOptions options;
    options.inputs = {ubiquitin_file().string()};
    options.output = folder_ / "ubq.yaml";
    return options;
  }
  static std::string read_text(const std::filesystem::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string prepared(const PrepareOptions& options) {
    prepare(options, report_);
    return read_text(options.output);
  }

  std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) /
                                  testing::UnitTest::GetInstance()->current_test_info()->name();
  std::ostringstream report_;
};

TEST_F(Prepare, WrittenInputReadsBack) {
  const std::string text = prepared(ubiquitin());
  const input::Settings settings = input::parse_input(text, "ubq.yaml");
  EXPECT_EQ(settings.system.structure, ubiquitin_file().string());
  EXPECT_EQ(settings.dynamics.steps, 1000000);
  EXPECT_THAT(text, HasSubstr("# 1ubq: 76 residues in 1 chain (A 76)\n"));
  EXPECT_THAT(report_.str(), HasSubstr("206 native contacts, 0 of them between chains"));
  EXPECT_THAT(report_.str(), HasSubstr("water left out: 58"));
  for (std::istringstream lines(text); lines;) {
    std::string line;
    std::getline(lines, line);
    const bool path = line.find("structure:") != std::string::npos;  // paths may be longer
    EXPECT_TRUE(path || line.size() <= 100) << line;
  }
}

TEST_F(Prepare, SingleSequenceIsMeasured) {
  PrepareOptions options;
  options.inputs = {NFOLD_INPUT "/sequences.fasta:ACTR"};
  options.output = folder_ / "actr.yaml";
  options.overwrite = true;
  options.overrides = {"dynamics.temperature_kelvin=278"};
  const auto measured = input::parse_input(prepared(options), "actr.yaml");
  EXPECT_TRUE(measured.ensemble.analysis.chain);
  EXPECT_EQ(measured.ensemble.lowest_kelvin, 278);
  EXPECT_EQ(measured.ensemble.rg_error, 0.01);
  EXPECT_EQ(measured.ensemble.replicas(), 16);
  EXPECT_THAT(report_.str(), HasSubstr("16 replicas measure size and shape of the chain"));
  options.overrides = {"output.energies_every_steps=100"};
  EXPECT_FALSE(input::parse_input(prepared(options), "actr.yaml").ensemble.is_enabled());
  options.overrides = {};
  options.copies = {"2"};
  options.box_nm = {50};
  EXPECT_FALSE(input::parse_input(prepared(options), "actr.yaml").ensemble.is_enabled());
}

TEST_F(Prepare, OptionsAndOverridesBecomeKeys) {
  PrepareOptions options = ubiquitin();
  options.chains = {"A:1-72"};
  options.contacts = "heavy-atom";
  options.contact_potential = "gaussian";
  options.copies = {"3"};
  options.overrides = {"dynamics.temperature_kelvin=110", "force_field.repulsion.cutoff_nm=0.8"};
  const input::Settings s = input::parse_input(prepared(options), "ubq.yaml");
  EXPECT_THAT(s.system.chains, testing::ElementsAre("A:1-72"));
  EXPECT_EQ(s.system.copies, 3);
  EXPECT_EQ(s.force_field.contacts.map, system::ContactMap::heavy_atom);
  EXPECT_EQ(s.force_field.contacts.cutoff_nm, 0.45);  // default of the map
  EXPECT_EQ(s.force_field.contact_potential, system::ContactPotential::gaussian);
  EXPECT_EQ(s.force_field.repulsion.cutoff_nm, 0.8);  // a key that is not shown by default
  EXPECT_EQ(s.dynamics.temperature_kelvin, 110);
  EXPECT_THAT(report_.str(), HasSubstr("216 residues in 3 chains (A 72, A2 72, A3 72)"));
}

TEST_F(Prepare, StructurePathIsRelativeToInput) {
  const auto here = std::filesystem::current_path();
  std::filesystem::create_directories(folder_ / "structures");
  std::filesystem::create_directories(folder_ / "inputs");
  std::filesystem::copy(ubiquitin_file(), folder_ / "structures" / "1ubq.pdb.gz");
  std::filesystem::current_path(folder_);
  PrepareOptions options;
  options.inputs = {"structures/1ubq.pdb.gz"};
  options.output = "inputs/ubq.yaml";
  const input::Settings s = input::parse_input(prepared(options), "ubq.yaml");
  std::filesystem::current_path(here);
  EXPECT_EQ(s.system.structure, "../structures/1ubq.pdb.gz");
}

TEST_F(Prepare, KeepsExistingFileWithoutOverwrite) {
  const PrepareOptions options = ubiquitin();
  std::ofstream(options.output) << "mine";
  EXPECT_THROW(prepare(options, report_), core::InputError);
  EXPECT_EQ(read_text(options.output), "mine");
  PrepareOptions forced = options;
  forced.overwrite = true;
  forced.overrides = {"dynamics.steps=-5"};
  EXPECT_THROW(prepare(forced, report_), core::InputError);
  EXPECT_EQ(read_text(options.output), "mine");
  forced.overrides.clear();
  EXPECT_THAT(prepared(forced), HasSubstr("steps: 1000000"));
}

TEST_F(Prepare, WritesNothingOnErrors) {
  PrepareOptions options = ubiquitin();
  options.chains = {"Z"};
  EXPECT_THROW(prepare(options, report_), structure::StructureError);
  options.chains.clear();
  options.output = folder_ / "nowhere" / "ubq.yaml";
  EXPECT_THROW(prepare(options, report_), core::InputError);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST(ContactOrder, IsMeanSeparationOverLength) {
  topology::Topology t;
  t.residues.items().resize(20);
  for (std::size_t i = 10; i < 20; ++i) t.residues.items()[i].chain = 1;
  t.chains = {{"A", 0, 10}, {"B", 10, 10}};
  t.contacts_12_10 = {{0, 4, 0.5, 1}, {0, 8, 0.5, 1}, {0, 15, 0.5, 1}};  // the last between chains
  EXPECT_DOUBLE_EQ(relative_contact_order(t), 0.6);
  t.contacts_12_10.clear();
  EXPECT_EQ(relative_contact_order(t), 0);
}

}  // namespace
}  // namespace nfold::prepare
