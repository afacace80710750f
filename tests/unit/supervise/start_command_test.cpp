// Command lines of launchers.
// SPDX-License-Identifier: BSD-3-Clause
#include "supervise/start_command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "supervise/launch.hpp"

namespace nfold::supervise {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

const Launcher mpirun{LauncherKind::open_mpi, {"mpirun"}};
const Launcher srun{LauncherKind::srun, {"srun", "--mpi=pmix"}};
const std::vector<std::string> program{"nfold", "run", "x.yaml"};
const HostInfo user{false, 8, Scheduler::none};

TEST(StartCommand, SingleRankNeedsNoLauncher) {
  EXPECT_THAT(start_command(mpirun, {{{"", 1, {}}}}, program, user).words,
              ElementsAre("nfold", "run", "x.yaml"));
}

TEST(StartCommand, OpenMpiOnOneNode) {
  EXPECT_THAT(start_command(mpirun, {{{"", 4, {}}}}, program, user).words,
              ElementsAre("mpirun", "--bind-to", "none", "-np", "4", "nfold", "run", "x.yaml"));
  const auto crowded = start_command(mpirun, {{{"", 9, {}}}}, program, {true, 8, Scheduler::none});
  EXPECT_THAT(crowded.words, ElementsAre("mpirun", "--allow-run-as-root", "--bind-to", "none",
                                         "--oversubscribe", "-np", "9", "nfold", "run", "x.yaml"));
}

TEST(StartCommand, KeepsBindingOfTheSite) {
  const Launcher bound{LauncherKind::open_mpi, {"mpirun", "--bind-to", "numa"}};
  EXPECT_THAT(start_command(bound, {{{"", 2, {}}}}, program, user).words,
              ElementsAre("mpirun", "--bind-to", "numa", "-np", "2", "nfold", "run", "x.yaml"));
}

TEST(StartCommand, DevicesGoIntoTheEnvironment) {
  const auto command = start_command(mpirun, {{{"", 2, {"GPU-a", "GPU-b"}}}}, program, user);
  EXPECT_THAT(command.environment, ElementsAre(Pair("CUDA_VISIBLE_DEVICES", "GPU-a,GPU-b")));
}

TEST(StartCommand, EachNodeSeesItsOwnDevices) {
  const Placement placement{{{"n1", 1, {"GPU-b"}}, {"n2", 2, {}}}};
  const auto command = start_command(mpirun, placement, {"nfold", "run"}, user);
  EXPECT_THAT(command.environment, IsEmpty());
  EXPECT_THAT(command.words, ElementsAre("mpirun", "--bind-to", "none", "-np", "1", "--host",
                                         "n1:1", "-x", "CUDA_VISIBLE_DEVICES=GPU-b", "nfold", "run",
                                         ":", "-np", "2", "--host", "n2:2", "nfold", "run"));
}

TEST(StartCommand, SlurmAndOtherLaunchers) {
  const Placement placement{{{"n1", 4, {}}, {"n2", 4, {}}}};
  EXPECT_THAT(start_command(srun, placement, {"nfold"}, {false, 8, Scheduler::slurm}).words,
              ElementsAre("srun", "--mpi=pmix", "--kill-on-bad-exit=1", "-n", "8", "-N", "2", "-w",
                          "n1,n2", "nfold"));
  const Launcher hydra{LauncherKind::other, {"mpiexec"}};
  EXPECT_THAT(start_command(hydra, placement, {"nfold"}, user).words,
              ElementsAre("mpiexec", "-n", "8", "nfold"));
}

TEST(StartCommand, DetectsLauncherKinds) {
  EXPECT_EQ(detect_launcher_kind("/usr/bin/srun", ""), LauncherKind::srun);
  EXPECT_EQ(detect_launcher_kind("mpirun", "mpirun (Open MPI) 4.1.4\n"), LauncherKind::open_mpi);
  EXPECT_EQ(detect_launcher_kind("mpiexec", "HYDRA build details:\n"), LauncherKind::other);
}

TEST(StartCommand, SplitsArguments) {
  EXPECT_THAT(split_arguments("mpirun  --mca btl '^openib, x' \"\""),
              ElementsAre("mpirun", "--mca", "btl", "^openib, x", ""));
  EXPECT_THAT(split_arguments(" "), IsEmpty());
  EXPECT_THAT(split_arguments("a'b c'd"), ElementsAre("ab cd"));
}

TEST(ResumeArguments, DropOverwriteAndResume) {
  WatchedCommand command;
  command.words = {"run", "--overwrite", "x.yaml", "--resume", "never", "--quiet"};
  command.resume = "never";
  EXPECT_EQ(resume_arguments(command, false, false), command.words);
  EXPECT_THAT(resume_arguments(command, true, false), ElementsAre("run", "x.yaml", "--quiet"));
  command.words = {"run", "x.yaml", "--resume=old.h5"};
  command.resume = "old.h5";
  EXPECT_EQ(resume_arguments(command, true, false), command.words);
  EXPECT_THAT(resume_arguments(command, true, true), ElementsAre("run", "x.yaml"));
  command.words = {"batch", "list.yaml", "--resume", "--quiet"};
  command.resume = "";
  EXPECT_THAT(resume_arguments(command, true, true), ElementsAre("batch", "list.yaml", "--quiet"));
}

TEST(ResumeArguments, UseInputOfTheFolder) {
  WatchedCommand command;
  command.words = {"run", "x.yaml", "--set", "dynamics.steps=9", "--quiet"};
  command.folder = "x.out";
  command.name = "x";
  command.options = {"--quiet"};
  EXPECT_THAT(folder_resume_arguments(command, false),
              ElementsAre("run", "x.out/x.input.yaml", "--output", "x.out", "--quiet"));
  command.resume = "old.h5";
  EXPECT_THAT(
      folder_resume_arguments(command, false),
      ElementsAre("run", "x.out/x.input.yaml", "--output", "x.out", "--quiet", "--resume=old.h5"));
}

TEST(ResumeArguments, ReduceTheTimeLimit) {
  EXPECT_THAT(with_time_left({"run", "x.yaml", "--time-limit", "2h", "--quiet"}, 3599.6),
              ElementsAre("run", "x.yaml", "--time-limit", "3600s", "--quiet"));
  EXPECT_THAT(with_time_left({"run", "--time-limit=2h", "x.yaml"}, 0.2),
              ElementsAre("run", "--time-limit=1s", "x.yaml"));
  EXPECT_THAT(with_time_left({"run", "x.yaml"}, 5), ElementsAre("run", "x.yaml"));
}

}  // namespace
}  // namespace nfold::supervise
