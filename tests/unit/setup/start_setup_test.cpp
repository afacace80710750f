// First velocities with and without a thermostat, and starts with biases.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/setup/start_setup.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/temperature.hpp"
#include "input/input.hpp"
#include "model/start/initial_state.hpp"
#include "session/setup/system_setup.hpp"

namespace nfold::setup {
namespace {

struct Begun {
  topology::Topology topology;
  system::State state;
};

Begun begin(const std::string& dynamics) {
  const std::string input = NFOLD_INPUT "/ubiquitin.yaml";
  const auto settings = input::parse_input(input::read_input_text(input), input, {dynamics});
  const comm::Communicator alone;
  auto topology = build_system(alone, settings, input).topology;
  auto state = first_state(alone, settings, input, topology).state;
  return {std::move(topology), std::move(state)};
}

TEST(FirstVelocities, HaveNoDriftWithoutThermostat) {
  const auto langevin = begin("dynamics.friction_per_ps=1");
  const auto kept = begin("dynamics.integrator=velocity-verlet");
  const auto no_friction = begin("dynamics.friction_per_ps=0");
  EXPECT_FALSE(engine::is_centre_of_mass_at_rest(langevin.topology, langevin.state));
  EXPECT_TRUE(engine::is_centre_of_mass_at_rest(kept.topology, kept.state));
  EXPECT_TRUE(engine::is_centre_of_mass_at_rest(no_friction.topology, no_friction.state));
  // The thermostat keeps the drawn velocities.
  auto drawn = langevin.state;
  start::draw_velocities(langevin.topology, 100, 1, 0, drawn);
  EXPECT_EQ(langevin.state.velocity, drawn.velocity);
}

system::State make_first_state(const std::string& input, const std::string& file,
                               const std::vector<std::string>& keys) {
  const auto settings = input::parse_input(input, file, keys);
  const comm::Communicator alone;
  const auto topology = build_system(alone, settings, file).topology;
  return first_state(alone, settings, file, topology).state;
}

/// Each form of bias on each variable.
std::vector<std::vector<std::string>> biases_on(const std::string& ends) {
  std::vector<std::vector<std::string>> all;
  for (const auto* const variable : {"distance", "radius-of-gyration"}) {
    for (const auto* const form : {"harmonic", "flat-bottom", "linear"}) {
      const bool is_linear = std::string(form) == "linear";
      all.push_back({"bias.residues=" + ends, std::string("bias.variable=") + variable,
                     std::string("bias.form=") + form,
                     is_linear ? "bias.pull_kj_mol_nm=10" : "bias.centre_nm=4"});
    }
  }
  return all;
}

TEST(Starts, DoNotDependOnBiases) {
  const std::string file = NFOLD_INPUT "/ubiquitin.yaml";
  const auto input = input::read_input_text(file);
  for (const auto* const from : {"unfolded", "native"}) {
    std::vector<std::string> keys{std::string("start.from=") + from};
    const auto expected = make_first_state(input, file, keys);
    for (auto biased : biases_on("[A:1, A:76]")) {
      biased.push_back(keys.front());
      const auto found = make_first_state(input, file, biased);
      EXPECT_EQ(found.position, expected.position) << from << ' ' << biased[1] << ' ' << biased[2];
      EXPECT_EQ(found.velocity, expected.velocity) << from << ' ' << biased[1] << ' ' << biased[2];
    }
  }
}

TEST(Starts, SequenceStartsDoNotDependOnBiases) {
  const std::string input =
      "system:\n  species:\n    - {name: tail, sequence: GSGSRRKEDYFWGSGSRRKEDYFW, copies: 2}\n"
      "  box_nm: [12]\nforce_field:\n  model: calvados2\nstart:\n  from: random\n"
      "dynamics:\n  steps: 1\n  temperature_kelvin: 300\n";
  const auto expected = make_first_state(input, "tail.yaml", {});
  for (const auto& biased : biases_on("[\"tail.1:1\", \"tail.1:24\"]")) {
    EXPECT_EQ(make_first_state(input, "tail.yaml", biased).position, expected.position)
        << biased[2];
  }
}

}  // namespace
}  // namespace nfold::setup
