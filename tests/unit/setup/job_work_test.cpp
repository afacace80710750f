// Counted states of a run's reports, samples, frames and checkpoints.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/setup/job_work.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "input/input.hpp"
#include "session/setup/species_setup.hpp"

namespace nfold::setup {
namespace {

estimate::JobWork count_slab(const std::vector<std::string>& overrides) {
  const std::string file = std::string(NFOLD_INPUT) + "/hps-urry-slab.yaml";
  const auto settings = input::parse_input(input::read_input_text(file), file, overrides);
  auto part = build_part(comm::Communicator(), settings, file, 1000);
  const auto residues = part.residues;
  return count_job_work(settings, MemoryEstimator(settings, file, std::move(part)), residues);
}

TEST(CountEvents, CountsEachStepOnce) {
  EXPECT_EQ(count_events(100, 10, 0, 0), 11);
  EXPECT_EQ(count_events(100, 10, 20, 50), 11);
  EXPECT_EQ(count_events(100, 10, 15, 25), 11 + 6 + 4 - 3 - 2 - 1);
  EXPECT_EQ(count_events(100, 0, 0, 0), 0);
  constexpr auto rare = std::numeric_limits<std::int64_t>::max() / 2;
  EXPECT_EQ(count_events(100, 10, rare, rare - 1), 11);
}

TEST(CountJobWork, FollowsIntervalsOfTheInput) {
  const auto work = count_slab({"dynamics.steps=10000", "output.energies_every_steps=1000",
                                "output.trajectory_every_steps=2500", "observables.every_steps=100",
                                "observables.equilibration_steps=5000"});
  EXPECT_EQ(work.residues, 60 * 176);
  EXPECT_EQ(work.samples, 51);
  EXPECT_EQ(work.frames, 5);
  EXPECT_EQ(work.reports, 101 + 1);
  EXPECT_DOUBLE_EQ(work.root_observables, 1.6);
  EXPECT_TRUE(work.has_pressure);
  EXPECT_EQ(work.most_slices, 120);
  EXPECT_EQ(work.shared_search_nm, 1);
  EXPECT_EQ(work.pair_energy_nm, 0);
}

TEST(CountJobWork, LeavesOutWhatIsNotAskedFor) {
  const auto work = count_slab({"observables.every_steps=0", "output.trajectory_every_steps=0"});
  EXPECT_EQ(work.samples, 0);
  EXPECT_EQ(work.frames, 0);
  EXPECT_EQ(work.root_observables, 0);
  const auto energies = count_slab({"observables.contact_maps=false", "observables.clusters=false",
                                    "observables.residue_energies=true"});
  EXPECT_EQ(energies.shared_search_nm, 0);
  EXPECT_EQ(energies.root_search_nm, 0);
  EXPECT_GT(energies.pair_energy_nm, 1);
  EXPECT_EQ(energies.result_values, 0);
}

}  // namespace
}  // namespace nfold::setup
