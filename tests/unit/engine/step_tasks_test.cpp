// Order of the tasks of a step.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/step_tasks.hpp"

#include <gtest/gtest.h>

#include <string>

namespace nfold::engine {
namespace {

TEST(StepTasks, NeededTasksRunInOrderOfList) {
  std::string order;
  launch_in_order(StepTask{"integrate", true, [&] { order += "i"; }},
                  StepTask{"lists", false, [&] { order += "l"; }},
                  StepTask{"forces", true, [&] { order += "f"; }});
  EXPECT_EQ(order, "if");
}

}  // namespace
}  // namespace nfold::engine
