// Replicas that leave a slow rank during an ensemble run: all results stay the same.
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "comm/communicator.hpp"
#include "device/device_memory.hpp"
#include "input/input.hpp"
#include "session/ensemble/session.hpp"
#include "session/setup/species_setup.hpp"
#include "support/kokkos_scope.hpp"

namespace nfold::ensemble {
namespace {

namespace fs = std::filesystem;

const auto* const scope = test::start_kokkos();

/// Hairpin of 12 residues in more replicas than a CPU computes at once, with all ensemble
/// observables.
constexpr const char* input_text = R"(
system: {structure: structures/3al1.pdb.gz, chains: [A]}
force_field: {mass_amu: 100}
dynamics: {steps: 2000, time_step_ps: 0.01, friction_per_ps: 0.2}
ensemble:
  temperatures: 4
  lowest_kelvin: 80
  highest_kelvin: 120
  ladders: 16
  exchange_every_steps: 100
  sample_every_steps: 50
  starts: both-ends
  trajectory_replicas: [0, 7, 63]
)";

std::string read_bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class MovedReplicas : public testing::Test {
 protected:
  MovedReplicas() {
    const auto name = "nfold_moved_" + std::to_string(getpid());
    folder_ = fs::temp_directory_path() / world.broadcast(name);
    if (world.is_root()) fs::create_directories(folder_);
    world.barrier();
  }
  ~MovedReplicas() override {
    world.barrier();
    if (world.is_root()) fs::remove_all(folder_);
  }

  struct Result {
    io::Checkpoint checkpoint;
    std::string samples, table, log;
    double planned_bytes = 0, peak_bytes = 0;  // maximum over ranks
  };
  /// seconds_of_rank: duration of a block on this rank by the simulated clock [s].
  Result run(const std::string& name, double seconds_of_rank) {
    const fs::path input = fs::path(NFOLD_INPUT) / "hairpin.yaml";
    const auto settings = input::parse_input(input_text, input.string(), {});
    const auto system = setup::build_system(world, settings, input);
    const status::OutputPaths paths{folder_, name};
    job::RunLog log;
    if (world.is_root()) log = job::RunLog(paths.log(), true, false);
    double now = 0;
    telemetry::StepClock clock;
    device::forget_device_peaks();
    EnsembleSession session({.communicator = world,
                             .devices = std::make_shared<device::JobDevices>(world),
                             .settings = settings,
                             .topology = system.topology,
                             .paths = paths,
                             .log = log,
                             .clock = clock},
                            system, input,
                            [&now, seconds_of_rank] { return now += seconds_of_rank; });
    EXPECT_EQ(session.run(), core::ExitCode::done);
    log.flush();
    world.barrier();
    return {io::read_checkpoint(world, paths.checkpoint()),
            read_bytes(paths.samples()),
            read_bytes(paths.replica_table(7)),
            read_bytes(paths.log()),
            static_cast<double>(world.max(session.planned_memory().device_bytes())),
            static_cast<double>(world.max(device::device_bytes_peak()))};
  }

  const comm::Communicator world = comm::Communicator::world();
  fs::path folder_;
};

TEST_F(MovedReplicas, LeaveResultsUnchanged) {
  const auto even = run("even", 1);
  EXPECT_THAT(even.log, testing::Not(testing::HasSubstr("replicas move")));
  if (world.is_root()) {
    // A single rank has no other rank to share with.
    constexpr const char* expected_shares[] = {"64", "32 + 32", "21 + 21 + 22"};
    const auto shares =
        testing::HasSubstr(std::string("replicas are shared out by lowest-latency: ") +
                           expected_shares[world.size() - 1] + "; expected balance");
    EXPECT_EQ(testing::Matches(shares)(even.log), world.size() > 1) << even.log;
  }
  // The last rank appears ten times slower, so it loses replicas.
  const bool is_slow = world.size() > 1 && world.rank() == world.size() - 1;
  const auto moved = run("moved", is_slow ? 10 : 1);
  if (world.is_root() && world.size() > 1) {
    EXPECT_THAT(moved.log, testing::HasSubstr("replicas move from "));
    EXPECT_THAT(moved.log, testing::ContainsRegex("the fullest rank has had [0-9]+ replicas"));
    EXPECT_GT(moved.planned_bytes, even.planned_bytes);
  }
  EXPECT_THAT(even.log, testing::Not(testing::HasSubstr("the fullest rank")));
  for (const auto* one : {&even, &moved}) {
    EXPECT_NEAR(one->planned_bytes / one->peak_bytes, 1, 0.05);
  }
  EXPECT_EQ(even.checkpoint.state.position, moved.checkpoint.state.position);
  EXPECT_EQ(even.checkpoint.state.velocity, moved.checkpoint.state.velocity);
  EXPECT_EQ(even.checkpoint.header.accumulators, moved.checkpoint.header.accumulators);
  EXPECT_FALSE(even.samples.empty());
  EXPECT_EQ(even.samples, moved.samples);
  EXPECT_FALSE(even.table.empty());
  EXPECT_EQ(even.table, moved.table);
}

}  // namespace
}  // namespace nfold::ensemble
