// Lists of slabs, their boxes, larger slabs, and critical points from rows.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "batch/phase_list.hpp"
#include "batch/phase_result.hpp"
#include "batch/target_size.hpp"
#include "core/input_error.hpp"
#include "core/read_text.hpp"
#include "input/batch_file.hpp"
#include "unit/io/temporary_folder.hpp"

namespace nfold::batch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(SlabDesign, IsThatOfPublishedSlabs) {
  const auto slab = design_slab(137, 4);
  EXPECT_THAT(slab.box_nm, ElementsAre(15, 15, 150));
  EXPECT_EQ(slab.copies, 93);
  // Short chains: twice the reach and 1 nm across.
  EXPECT_THAT(design_slab(10, 4).box_nm, ElementsAre(9, 9, 90));
}

TEST(Temperatures, AreRangeOrList) {
  EXPECT_THAT(parse_temperatures("280:320:10"), ElementsAre(280, 290, 300, 310, 320));
  EXPECT_THAT(parse_temperatures("280:285:2.5"), ElementsAre(280, 282.5, 285));
  EXPECT_THAT(parse_temperatures("300,280"), ElementsAre(300, 280));
  for (const char* wrong : {"", "280:320", "warm", "-3", "320:280:10", "280:320:0", "1:1e6:1",
                            "280,280", "280:320:10:5"}) {
    EXPECT_THROW((void)parse_temperatures(wrong), core::InputError) << wrong;
  }
}

TEST(PhaseList, HasSlabForEachSequenceAndTemperature) {
  const test::TemporaryFolder folder;
  test::write_file(folder / "a.fasta", ">one\nGGSEPT\n>two\nMK[SEP]V\n");
  PhaseRequest request;
  request.sequences = {folder / "a.fasta"};
  request.model = "pcalvados2";
  request.temperatures = "280,290";
  request.client = (folder / "a.fasta").string() + ":two";
  const auto made = make_phase_list(request, {"dynamics.steps=100"});
  const auto list = input::parse_batch(made.text, made.file.string());
  ASSERT_EQ(list.targets.size(), 2U);
  EXPECT_EQ(list.only_protocol, input::Protocol::phase);
  EXPECT_EQ(list.targets[1].name, "one-290K");
  const auto settings = first_settings(input::read_target_input(list, list.targets[1]), {});
  EXPECT_EQ(settings.dynamics.temperature_kelvin, 290);
  EXPECT_EQ(settings.start.from, input::StartFrom::slab);
  EXPECT_EQ(settings.observables.dilute_error, 0.1);
  ASSERT_EQ(settings.system.species.size(), 2U);
  EXPECT_EQ(settings.system.species[1].sequence, "MK[SEP]V");
  EXPECT_EQ(settings.system.species[1].copies, settings.system.species[0].copies / 10);
}

TEST(PhaseList, TableHasConditions) {
  const test::TemporaryFolder folder;
  test::write_file(folder / "a.csv",
                   "name,sequence,temperature_kelvin,ionic_strength_molar\nlow,MKV,310,0.05\n");
  PhaseRequest request;
  request.sequences = {folder / "a.csv"};
  request.copies = 7;
  const auto made = make_phase_list(request, {"system.box_nm=[9,9,40]"});
  const auto list = input::parse_batch(made.text, made.file.string());
  EXPECT_EQ(list.targets.at(0).name, "low");
  const auto settings =
      first_settings(input::read_target_input(list, list.targets[0]), {"system.box_nm=[9,9,40]"});
  EXPECT_EQ(settings.dynamics.temperature_kelvin, 310);
  EXPECT_EQ(settings.force_field.condensate.ionic_strength_molar, 0.05);
  EXPECT_EQ(settings.system.species.at(0).copies, 7);
  EXPECT_THAT(settings.system.box_nm, ElementsAre(9, 9, 40));
}

TEST(ExtendedSlab, HasMoreChainsOrLongerBox) {
  input::Settings settings;
  settings.system.species.resize(2);
  settings.system.species[0].copies = 50;
  settings.system.species[1].copies = 8;
  settings.system.box_nm = {15, 15, 150};
  EXPECT_FALSE(extend_slab(analysis::SlabState::two_phases, settings));
  EXPECT_FALSE(extend_slab(analysis::SlabState::one_phase, settings));
  EXPECT_TRUE(extend_slab(analysis::SlabState::thin_slab, settings));
  EXPECT_EQ(settings.system.species[0].copies, 100);
  EXPECT_EQ(settings.system.species[1].copies, 16);
  EXPECT_TRUE(extend_slab(analysis::SlabState::short_box, settings));
  EXPECT_THAT(settings.system.box_nm, ElementsAre(15, 15, 225));
}

TEST(Binodal, HasCriticalPointOfEachProtein) {
  const test::TemporaryFolder folder;
  const BatchFolder output{folder.path()};
  std::string list = "batch: {protocol: phase}\ntargets:\n";
  for (const auto& [kelvin, dilute] :
       std::vector<std::pair<double, double>>{{280, 2}, {300, 8}, {320, 25}}) {
    const auto name = fmt::format("p-{:g}K", kelvin);
    list += fmt::format("- {{name: {}}}\n", name);
    ResultRow row;
    row.set("target", name);
    row.set("protein", "p");
    row.set("temperature_kelvin", kelvin);
    row.set("dense_mg_ml", 400 - 5 * (kelvin - 280));
    row.set("dense_error_mg_ml", 10.0);
    // The coldest has an upper bound only.
    if (kelvin == 280) {
      row.set("dilute_upper_bound_mg_ml", dilute);
    } else {
      row.set("dilute_mg_ml", dilute);
      row.set("dilute_error_mg_ml", 0.1 * dilute);
    }
    std::filesystem::create_directory(output.of(name));
    test::write_file(output.result(name),
                     fmt::format("{}\n{}\n", phases_header, row.line(phases_header)));
  }
  write_binodal(output, input::parse_batch(list, "list.yaml"));
  const auto text = core::read_text(output.binodal()).value_or("");
  EXPECT_THAT(text, HasSubstr("protein,ionic_strength_molar,ph,client,temperatures,"));
  EXPECT_THAT(text, HasSubstr("\np,,,,3,3"));
  EXPECT_THAT(text, testing::Not(HasSubstr("no critical point")));
}

}  // namespace
}  // namespace nfold::batch
