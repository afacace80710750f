// Boxes and starts that prepare chooses.
// SPDX-License-Identifier: BSD-3-Clause
#include "prepare/box.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "document/input_error.hpp"

namespace nfold::prepare {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

BoxQuestion hundred_chains(const std::string& start) {
  BoxQuestion question;
  question.start = start;
  question.is_condensate_model = true;
  question.molecules = 100;
  question.residues = 15000;
  question.longest_chain = 150;
  return question;
}

TEST(ChooseBox, MakesASlabBoxThatHoldsDenseSlabAndVacuum) {
  for (const long molecules : {1L, 20L, 100L, 5000L}) {
    BoxQuestion question = hundred_chains("slab");
    question.molecules = molecules;
    question.residues = 150 * molecules;
    const auto choice = choose_box(question);
    ASSERT_EQ(choice.box_nm.size(), 3U);
    const double width = choice.box_nm[0], length = choice.box_nm[2];
    EXPECT_EQ(width, choice.box_nm[1]);
    EXPECT_GE(width, 1.2 * std::sqrt(150));
    const double slab_nm = static_cast<double>(question.residues) / (2 * width * width);
    EXPECT_GE(length, 5 * slab_nm);
    EXPECT_GE(length, 3 * width);
    EXPECT_EQ(choice.start, "slab");
    EXPECT_EQ(choice.slab_axis, 'z');
    EXPECT_THAT(choice.reasons, ElementsAre(HasSubstr("box chosen for a slab")));
  }
}

TEST(ChooseBox, MakesADropletBoxOfThreeDiameters) {
  const auto choice = choose_box(hundred_chains("droplet"));
  const double diameter_nm = 24.29;  // (6 x 15000 / 2 / pi)^(1/3)
  EXPECT_THAT(choice.box_nm, testing::Each(testing::AllOf(testing::Ge(3 * diameter_nm),
                                                          testing::Le(3 * diameter_nm + 0.5))));
  EXPECT_THAT(choice.reasons, ElementsAre(HasSubstr("24.3 nm")));
}

TEST(ChooseBox, TakesAnElongatedBoxForASlab) {
  BoxQuestion question = hundred_chains("");
  question.box_nm = {100, 15, 15};
  const auto choice = choose_box(question);
  EXPECT_EQ(choice.start, "slab");
  EXPECT_EQ(choice.slab_axis, 'x');
  EXPECT_THAT(choice.box_nm, ElementsAre(100, 15, 15));
  EXPECT_THAT(choice.reasons, ElementsAre(HasSubstr("across x")));
  question.start = "random";  // said so
  EXPECT_EQ(choose_box(question).start, "random");
  question.start.clear();
  question.box_nm = {40, 15, 30};
  EXPECT_EQ(choose_box(question).start, "");
  question.box_nm = {15, 15, 100};
  question.is_condensate_model = false;
  EXPECT_EQ(choose_box(question).start, "");
}

TEST(ChooseBox, PutsASlabAcrossTheOpenAxis) {
  BoxQuestion question = hundred_chains("slab");
  question.box_nm = {30, 0, 15};
  EXPECT_EQ(choose_box(question).slab_axis, 'y');
  question.box_nm = {15, 15, 15};
  EXPECT_EQ(choose_box(question).slab_axis, 'z');
}

TEST(ChooseBox, LeavesASingleMoleculeAloneAndWantsABoxForMany) {
  BoxQuestion question = hundred_chains("");
  question.molecules = 1;
  EXPECT_THAT(choose_box(question).box_nm, IsEmpty());
  EXPECT_THROW((void)choose_box(hundred_chains("")), document::InputError);
  EXPECT_THROW((void)choose_box(hundred_chains("random")), document::InputError);
  question = hundred_chains("");
  question.concentration_mg_per_ml = 50;
  EXPECT_THAT(choose_box(question).box_nm, IsEmpty());
  question = hundred_chains("slab");
  question.molecules = 0;  // by a concentration
  EXPECT_THROW((void)choose_box(question), document::InputError);
}

}  // namespace
}  // namespace nfold::prepare
