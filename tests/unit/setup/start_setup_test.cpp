// First velocities: with a bath as they are drawn, without one the centre of mass is at rest.
// SPDX-License-Identifier: BSD-3-Clause
#include "setup/start_setup.hpp"

#include <gtest/gtest.h>

#include <string>

#include "dynamics/temperature.hpp"
#include "input_files/input.hpp"
#include "setup/system_setup.hpp"
#include "start/initial_state.hpp"

namespace nfold::setup {
namespace {

struct Begun {
  topology::Topology topology;
  system::State state;
};

Begun begin(const std::string& dynamics) {
  const std::string input = NFOLD_INPUT "/ubiquitin.yaml";
  const auto settings =
      input_files::parse_input(input_files::read_input_text(input), input, {dynamics});
  const comm::Communicator alone;
  auto topology = build_system(alone, settings, input).topology;
  auto state = first_state(alone, settings, input, topology).state;
  return {std::move(topology), std::move(state)};
}

TEST(FirstVelocities, HaveNoDriftWithoutABath) {
  const auto bath = begin("dynamics.friction_per_ps=1");
  const auto kept = begin("dynamics.integrator=velocity-verlet");
  const auto no_friction = begin("dynamics.friction_per_ps=0");
  EXPECT_FALSE(dynamics::centre_of_mass_is_at_rest(bath.topology, bath.state));
  EXPECT_TRUE(dynamics::centre_of_mass_is_at_rest(kept.topology, kept.state));
  EXPECT_TRUE(dynamics::centre_of_mass_is_at_rest(no_friction.topology, no_friction.state));
  // Of the bath: the bits that were drawn.
  auto drawn = bath.state;
  start::draw_velocities(bath.topology, 100, 1, 0, drawn);
  EXPECT_EQ(bath.state.velocity, drawn.velocity);
}

}  // namespace
}  // namespace nfold::setup
