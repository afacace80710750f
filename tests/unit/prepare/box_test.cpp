// Boxes and starts that prepare chooses.
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/prepare/box.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/input_error.hpp"

namespace nfold::prepare {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

BoxRequest hundred_chains(const std::string& start) {
  BoxRequest request;
  request.start = start;
  request.is_condensate_model = true;
  request.molecules = 100;
  request.residues = 15000;
  request.longest_chain = 150;
  return request;
}

TEST(ChooseBox, SlabBoxHoldsSlabAndVacuum) {
  for (const long molecules : {1L, 20L, 100L, 5000L}) {
    BoxRequest request = hundred_chains("slab");
    request.molecules = molecules;
    request.residues = 150 * molecules;
    const auto choice = choose_box(request);
    ASSERT_EQ(choice.box_nm.size(), 3U);
    const double width = choice.box_nm[0], length = choice.box_nm[2];
    EXPECT_EQ(width, choice.box_nm[1]);
    EXPECT_GE(width, 1.2 * std::sqrt(150));
    const double slab_nm = static_cast<double>(request.residues) / (2 * width * width);
    EXPECT_GE(length, 5 * slab_nm);
    EXPECT_GE(length, 3 * width);
    EXPECT_EQ(choice.start, "slab");
    EXPECT_EQ(choice.slab_axis, 'z');
    EXPECT_THAT(choice.reasons, ElementsAre(HasSubstr("box chosen for a slab")));
  }
}

TEST(ChooseBox, DropletBoxIsThreeDiameters) {
  const auto choice = choose_box(hundred_chains("droplet"));
  const double diameter_nm = 24.29;  // (6 x 15000 / 2 / pi)^(1/3)
  EXPECT_THAT(choice.box_nm, testing::Each(testing::AllOf(testing::Ge(3 * diameter_nm),
                                                          testing::Le(3 * diameter_nm + 0.5))));
  EXPECT_THAT(choice.reasons, ElementsAre(HasSubstr("24.3 nm")));
}

TEST(ChooseBox, ElongatedBoxBecomesSlab) {
  BoxRequest request = hundred_chains("");
  request.box_nm = {100, 15, 15};
  const auto choice = choose_box(request);
  EXPECT_EQ(choice.start, "slab");
  EXPECT_EQ(choice.slab_axis, 'x');
  EXPECT_THAT(choice.box_nm, ElementsAre(100, 15, 15));
  EXPECT_THAT(choice.reasons, ElementsAre(HasSubstr("across x")));
  request.start = "random";  // given explicitly
  EXPECT_EQ(choose_box(request).start, "random");
  request.start.clear();
  request.box_nm = {40, 15, 30};
  EXPECT_EQ(choose_box(request).start, "");
  request.box_nm = {15, 15, 100};
  request.is_condensate_model = false;
  EXPECT_EQ(choose_box(request).start, "");
}

TEST(ChooseBox, SlabCrossesOpenAxis) {
  BoxRequest request = hundred_chains("slab");
  request.box_nm = {30, 0, 15};
  EXPECT_EQ(choose_box(request).slab_axis, 'y');
  request.box_nm = {15, 15, 15};
  EXPECT_EQ(choose_box(request).slab_axis, 'z');
}

TEST(ChooseBox, RequiresABoxForManyMolecules) {
  BoxRequest request = hundred_chains("");
  request.molecules = 1;
  EXPECT_THAT(choose_box(request).box_nm, IsEmpty());
  EXPECT_THROW((void)choose_box(hundred_chains("")), core::InputError);
  EXPECT_THROW((void)choose_box(hundred_chains("random")), core::InputError);
  request = hundred_chains("");
  request.concentration_mg_per_ml = 50;
  EXPECT_THAT(choose_box(request).box_nm, IsEmpty());
  request = hundred_chains("slab");
  request.molecules = 0;  // by a concentration
  EXPECT_THROW((void)choose_box(request), core::InputError);
}

}  // namespace
}  // namespace nfold::prepare
